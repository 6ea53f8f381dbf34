//! The end of a block: which of its fences closes it, and the repairs that decide where that is doubtful.

use super::{ReadMode, Reader, ReaderStep};
use crate::block::Settings;
use crate::block::check::Ending;
use crate::block::fences::{Candidate, Fences};
use crate::block::recorder::Verdict;
use crate::block::repair::{DamagedBlock, Reach, RepairedBlock, leads_on};
use crate::block::tools::CallField;
use crate::value::find;
use crate::value::text::{head, part, tail, trim_start};

/// Bounds of the search for the end of a damaged block: the number of candidates, and the bytes repaired in all.
const MAX_CANDIDATES: usize = 16;
const MAX_TRIED: usize = 2 << 20;

impl Reader {
    /// Ends the block before the opener of another one.
    pub(super) fn interrupt(&mut self) -> ReaderStep {
        let opener = self.raw.len().saturating_sub(self.body.possible_opener_bytes());
        self.pushback = self.raw.split_off(opener);
        ReaderStep::Ended(Ending::Unclosed)
    }

    /// Ends the block at its only candidate when the text ends; brackets may be missing before it.
    pub(super) fn repair_at_only_fence(&mut self, settings: &Settings) {
        let (Some(first), Some(fence)) = (self.candidate.filter(|first| first.count == 1), self.body.fence) else {
            return;
        };
        let rest = tail(&self.raw, first.end);
        let json = part(&self.raw, self.json..first.fence);
        if !fence.is_in(json) && !fence.is_in(rest) && !leads_on(trim_start(rest)) {
            self.fence = Some(first.fence);
            self.repaired = self.damaged(Reach::Only).repair(settings).filter(|repaired| repaired.is_valid());
        }
    }

    /// A closing fence. Where the lexer has been misled it is one only if the text up to there can be repaired.
    pub(super) fn fence(&mut self, settings: &Settings) -> ReaderStep {
        let fence = self.raw.len().saturating_sub(self.body.line.bytes());
        self.fence = Some(fence);
        if self.body.parser.recorder.verdict != Verdict::Block {
            return ReaderStep::Ended(Ending::Closed);
        }
        if !self.body.parser.lexer.is_misled() {
            // A fence inside a text is closed first, e.g. a snippet after a quote that should have been escaped.
            let closes_another = |fences: Fences| matches!(fences.open, Some((_, None)));
            let may_be_text = self.has_fault() && self.text_fences < MAX_CANDIDATES;
            if !may_be_text || !closes_another(Fences::of(head(&self.raw, fence), self.json, self.body.fence)) {
                return ReaderStep::Ended(Ending::Closed);
            }
            self.text_fences += 1;
            self.fence = None;
            self.body.take_fence_as_text();
            return ReaderStep::More;
        }
        match Fences::of(head(&self.raw, fence), self.json, self.body.fence) {
            // Text after the block's own fence does not belong to the block.
            Fences { of_block: Some(candidate), .. } => {
                return self.give_up(candidate);
            }
            // This fence closes a snippet inside a text.
            Fences { open: Some(_), .. } => {}
            Fences { .. } => self.repaired = self.damaged(Reach::Doubtful).repair(settings),
        }
        if self.repaired.is_some() {
            return ReaderStep::Ended(Ending::Closed);
        }
        self.fence = None;
        let end = self.raw.len();
        let first = self.candidate.get_or_insert(Candidate { fence, end, count: 0, tried: 0 });
        first.count += 1;
        first.tried += fence - self.json;
        if first.count >= MAX_CANDIDATES || first.tried >= MAX_TRIED {
            let first = *first;
            return self.give_up(first);
        }
        self.body.take_fence_as_text();
        ReaderStep::More
    }

    /// Ends the block at the first candidate; the text after it is read again.
    pub(super) fn give_up(&mut self, first: Candidate) -> ReaderStep {
        self.candidate = Some(first);
        self.fence = Some(first.fence);
        self.pushback = self.raw.split_off(first.end);
        ReaderStep::Ended(Ending::Closed)
    }

    pub(super) fn damaged(&self, reach: Reach) -> DamagedBlock<'_> {
        let recorder = &self.body.parser.recorder;
        DamagedBlock {
            json: self.json(),
            // Several objects are a fault in arguments, but none to be repaired.
            has_fault: self.has_fault() && self.mode != ReadMode::Arguments,
            reach,
            tool: recorder.tool.as_deref(),
            number: recorder.first_number(),
        }
    }

    pub(in crate::block) fn repair(&mut self, reach: Reach, settings: &Settings) -> Option<Box<RepairedBlock>> {
        if let Some(repaired) = self.repaired.take() {
            return Some(repaired);
        }
        // With several candidate fences and no successful repair, the end of the block is ambiguous.
        let is_doubtful = reach == Reach::Closed && self.body.parser.lexer.is_misled();
        if self.candidate.is_some() || is_doubtful { None } else { self.damaged(reach).repair(settings) }
    }

    /// Whether a repair finds a valid call although the text is not a block as it stands; keeps the repair.
    pub(in crate::block) fn hides_a_call(&mut self, ending: Ending, settings: &Settings) -> bool {
        let json = self.json();
        let is_broken = self.has_fault() || trim_start(json).starts_with('"');
        if settings.repair && ending == Ending::Closed && is_broken && find(json, CallField::Tool.key()).is_some() {
            self.repaired = self.damaged(Reach::Complete).repair(settings).filter(|repaired| repaired.is_valid());
        }
        self.repaired.is_some()
    }
}
