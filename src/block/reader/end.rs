//! The end of a block: which of its fences closes it. Where faults leave that open, each fence is a *candidate*, and a repair of
//! the text before it decides. A damaged string may contain a *snippet*, that is fenced code of its own.

use super::{ReadMode, Reader, ReaderStep};
use crate::block::Settings;
use crate::block::check::Ending;
use crate::block::fences::{Candidate, Fences};
use crate::block::recorder::Verdict;
use crate::block::repair::{DamagedBlock, Reach, RepairedBlock, seems_to_continue};
use crate::block::tools::CallField;
use crate::value::find;
use crate::value::text::{head, part, tail, trim_start};

/// The maximum number of candidates for the end of a damaged block.
const MAX_CANDIDATES: usize = 16;
/// The maximum number of bytes that the repairs of all candidates read together.
const MAX_TRIED: usize = 2 << 20;

impl Reader {
    /// Ends the block before the opener of another one.
    pub(super) fn interrupt(&mut self) -> ReaderStep {
        let opener = self.raw.len().saturating_sub(self.body.possible_opener_bytes());
        self.pushback = self.raw.split_off(opener);
        ReaderStep::Ended(Ending::Unclosed)
    }

    /// When the text ends: ends the block at its only candidate if a repair then finds valid calls; brackets may be missing
    /// before it. Not if the text has other marks of the fence, or if the text after the candidate seems to belong to the JSON.
    pub(super) fn repair_at_only_fence(&mut self, settings: &Settings) {
        let only_candidate = self.candidate.filter(|candidate| candidate.count == 1);
        let (Some(candidate), Some(opener)) = (only_candidate, self.body.fence) else {
            return;
        };
        let rest = tail(&self.raw, candidate.end);
        let json = part(&self.raw, self.json_start..candidate.start);
        if !opener.is_in(json) && !opener.is_in(rest) && !seems_to_continue(trim_start(rest)) {
            self.json_end = Some(candidate.start);
            self.repaired_block =
                self.damaged_block(Reach::OnlyFence).repair(settings).filter(|repaired| repaired.is_valid());
        }
    }

    /// Decides whether the fence that the body has reached closes the block.
    ///
    /// It does if the text is no tool block, and if faults have not misled the lexer about the strings; except where it closes a
    /// snippet. Once faults have misled the lexer, it does so only if a repair of the text before it succeeds. If no repair does
    /// within the bounds, the block ends at the first candidate.
    pub(super) fn read_fence(&mut self, settings: &Settings) -> ReaderStep {
        // The byte offset in `raw` of the first mark of the fence.
        let fence_start = self.raw.len().saturating_sub(self.body.line.bytes());
        self.json_end = Some(fence_start);
        if self.body.parser.recorder.verdict != Verdict::Block {
            return ReaderStep::Ended(Ending::Closed);
        }
        if !self.body.parser.lexer.is_misled() {
            // The fence may close a snippet inside a string whose quotes are not escaped: then the fence that is open before it
            // cannot end the block.
            let closes_snippet = || {
                let fences = Fences::of(head(&self.raw, fence_start), self.json_start, self.body.fence);
                matches!(fences.open_fence, Some((_, None)))
            };
            let may_be_text = self.has_fault() && self.text_fences < MAX_CANDIDATES;
            if !may_be_text || !closes_snippet() {
                return ReaderStep::Ended(Ending::Closed);
            }
            self.text_fences += 1;
            self.json_end = None;
            self.body.take_fence_as_text();
            return ReaderStep::More;
        }
        match Fences::of(head(&self.raw, fence_start), self.json_start, self.body.fence) {
            // An earlier fence has ended the block: the text after it does not belong to the block.
            Fences { block_end: Some(block_end), .. } => {
                return self.end_at(block_end);
            }
            // The fence closes a snippet inside a text, so it is not repaired here; it counts as a candidate all the same.
            Fences { open_fence: Some(_), .. } => {}
            Fences { .. } => self.repaired_block = self.damaged_block(Reach::DoubtfulFence).repair(settings),
        }
        if self.repaired_block.is_some() {
            return ReaderStep::Ended(Ending::Closed);
        }
        self.json_end = None;
        let end = self.raw.len();
        let candidate = Candidate { start: fence_start, end, count: 0, tried_bytes: 0 };
        let first_candidate = self.candidate.get_or_insert(candidate);
        first_candidate.count += 1;
        first_candidate.tried_bytes += fence_start - self.json_start;
        if first_candidate.count >= MAX_CANDIDATES || first_candidate.tried_bytes >= MAX_TRIED {
            let first_candidate = *first_candidate;
            return self.end_at(first_candidate);
        }
        self.body.take_fence_as_text();
        ReaderStep::More
    }

    /// Ends the block at a candidate without a repair; the text after it is read again.
    pub(super) fn end_at(&mut self, candidate: Candidate) -> ReaderStep {
        self.candidate = Some(candidate);
        self.json_end = Some(candidate.start);
        self.pushback = self.raw.split_off(candidate.end);
        ReaderStep::Ended(Ending::Closed)
    }

    /// The block as the input of a repair.
    pub(super) fn damaged_block(&self, reach: Reach) -> DamagedBlock<'_> {
        let recorder = &self.body.parser.recorder;
        DamagedBlock {
            json: self.json(),
            // In native arguments, several objects are a fault, but not one that a repair removes.
            has_fault: self.has_fault() && self.mode != ReadMode::Arguments,
            reach,
            tool: recorder.tool.as_deref(),
            number: recorder.first_number(),
        }
    }

    /// Repairs the finished block, or returns the repair that has found its end; `None` if no repair applies.
    pub(in crate::block) fn repair(&mut self, reach: Reach, settings: &Settings) -> Option<Box<RepairedBlock>> {
        if let Some(repaired) = self.repaired_block.take() {
            return Some(repaired);
        }
        // With candidates and no successful repair, the end of the block is ambiguous; so is the last bracket if the lexer may
        // have taken it out of a string.
        let has_doubtful_bracket = reach == Reach::Closed && self.body.parser.lexer.is_misled();
        if self.candidate.is_some() || has_doubtful_bracket { None } else { self.damaged_block(reach).repair(settings) }
    }

    /// Whether a repair finds a valid call in a text that is not a tool block as it arrived; keeps the repair for
    /// [`Self::repair`]. It is tried only on a closed text that has a fault, or is a string, and contains the word `tool`.
    pub(in crate::block) fn hides_a_call(&mut self, ending: Ending, settings: &Settings) -> bool {
        let json = self.json();
        let is_broken = self.has_fault() || trim_start(json).starts_with('"');
        if settings.repair && ending == Ending::Closed && is_broken && find(json, CallField::Tool.key()).is_some() {
            self.repaired_block =
                self.damaged_block(Reach::Complete).repair(settings).filter(|repaired| repaired.is_valid());
        }
        self.repaired_block.is_some()
    }
}
