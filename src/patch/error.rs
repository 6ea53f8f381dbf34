//! The errors of calls: their codes, and the table of causes with all sentences.

use super::segment::{pointer_to, show};
use super::words::{article, cut};
use crate::codes::codes;
use crate::value::text::line;
use crate::value::{
    ParseError, Position, Step, Value, concat, decimal, find, put, put_char, write_index, write_string,
};

codes! {
    /// Why a call was refused. No code stands for two causes that a caller would handle differently.
    Code;
    InvalidInstance "INVALID_INSTANCE" "The instance is not there, or its name is none.",
    InvalidOp "INVALID_OP" "An unknown operation, or one that does not belong here.",
    InvalidPath "INVALID_PATH" "The path does not follow the grammar, or the operation does not work on such a path.",
    PathNotFound "PATH_NOT_FOUND" "The path is well-formed, but the document has no such place.",
    SchemaMutation "SCHEMA_MUTATION" "A place that is fixed after the instance was created.",
    MissingValue "MISSING_VALUE" "A value that the operation needs is absent.",
    DuplicateId "DUPLICATE_ID" "An id or key that is taken.",
    InstanceExists "INSTANCE_EXISTS" "The name of a new instance is taken.",
    InvalidStructure "INVALID_STRUCTURE" "A value, a patch or a call that is not shaped as it must be.",
    InvalidJson "INVALID_JSON" "A text that is not JSON.",
    LimitExceeded "LIMIT_EXCEEDED" "Larger, deeper or more than a limit allows.",
    StaleProposal "STALE_PROPOSAL"
        "The target of a proposal has changed in the meantime, where the proposal would change it.",
    ProposalSettled "PROPOSAL_SETTLED" "The proposal was approved or refused before.",
    UnknownProposal "UNKNOWN_PROPOSAL" "There is no such proposal.",
    NothingToUndo "NOTHING_TO_UNDO" "The history has no such group to undo, or to make again.",
    UndoConflict "UNDO_CONFLICT" "Later changes of the same places are in the way of undoing a group.",
    NeedsApproval "NEEDS_APPROVAL" "The call needs the approval of a user, which no agent can give.",
    InvalidArgument "INVALID_ARGUMENT" "An argument of a tool that is not as the tool's definition says.",
    UnknownTool "UNKNOWN_TOOL" "There is no such tool.",
    TestFailed "TEST_FAILED" "A `test` of a JSON Patch that does not hold (RFC 6902).",
    UnknownAction "UNKNOWN_ACTION" "The instance has no action of this id.",
    ActionDisabled "ACTION_DISABLED" "The action is disabled.",
    UnknownPending "UNKNOWN_PENDING" "No pending call has this id.",
    NeedsSnapshot "NEEDS_SNAPSHOT"
        "The server has taken a pending call that no longer applies here: the instance must be loaded again.",
    UnknownMessage "UNKNOWN_MESSAGE" "A message of a kind that is not known.",
    Unsupported "UNSUPPORTED" "Well-formed, but this package has no way to do it.",
}

/// Why a call was refused, and what to send instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchError {
    /// The kind of the error.
    pub code: Code,
    /// One sentence: the error, and where it is.
    pub message: String,
    /// The correction to send, made from the current document.
    pub solution: String,
    /// The index of the patch in the call; absent if the error is about the call itself.
    pub index: Option<usize>,
    /// The operation of the patch, as it was sent; absent if it is no text.
    pub op: Option<String>,
    /// The path of the patch, as it was sent; absent if it is no text.
    pub path: Option<String>,
    /// For a text that is not JSON: where the error is.
    pub position: Option<Position>,
}

/// A boxed error, so that results stay small.
pub type Refusal = Box<PatchError>;

/// The result of a check or of planning: nothing, or a refusal.
pub(crate) type Checked = Result<(), Refusal>;

impl PatchError {
    /// The refusal of a text that is not JSON, or nests too deep, from the error of the JSON parser.
    pub fn from_text(error: &ParseError) -> Refusal {
        let is_too_deep = matches!(error.fault.kind, crate::value::FaultKind::TooDeep(_));
        let cause = if is_too_deep { Cause::TextTooDeep } else { Cause::NotJson };
        let mut refusal = cause.refuse(&[Arg::Text(&error.sentence())]);
        refusal.position = Some(error.position);
        refusal
    }

    /// Whether the error may be a broken structure rule, which further edits could repair.
    pub(super) const fn is_of_rules(&self) -> bool {
        matches!(self.code, Code::InvalidStructure | Code::DuplicateId)
    }

    /// Adds which patch was refused: its index in the call, and its operation and path as they were sent.
    pub(super) fn name_patch(&mut self, index: usize, patch: &Value) {
        let text = |key: &str| patch.get(key).and_then(Value::as_str).map(Into::into);
        (self.index, self.op, self.path) = (Some(index), text("op"), text("path"));
    }

    /// `CODE: message solution`
    pub(crate) fn sentence(&self) -> String {
        concat(&[self.code.name(), ": ", &self.message, " ", &self.solution])
    }

    /// Appends the error as JSON, in the shape of the JavaScript API.
    pub fn write_json(&self, out: &mut String) {
        put_char(put(put(out, "{\"code\":\""), self.code.name()), '"');
        write_string(put(out, ",\"message\":"), &self.message);
        write_string(put(out, ",\"solution\":"), &self.solution);
        if let Some(index) = self.index {
            write_index(put(out, ",\"index\":"), index);
        }
        for (name, text) in [(",\"op\":", &self.op), (",\"path\":", &self.path)] {
            if let Some(text) = text {
                write_string(put(out, name), text);
            }
        }
        let position = self.position.map(|Position { offset, line, column }| {
            [(",\"position\":{\"offset\":", offset), (",\"line\":", line), (",\"column\":", column)]
        });
        for (name, number) in position.as_slice().as_flattened() {
            write_index(put(out, name), *number);
        }
        put(out, if position.is_some() { "}}" } else { "}" });
    }
}

impl std::fmt::Display for PatchError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.sentence())
    }
}

impl std::error::Error for PatchError {}

/// An argument for a gap in a sentence.
#[derive(Clone, Copy)]
pub(crate) enum Arg<'a> {
    /// A text of this crate, written whole.
    Text(&'a str),
    /// A text from outside, cut to a length that suits a message.
    Cut(&'a str),
    Count(usize),
    /// The kind of a value with its article, such as `a list`.
    Kind(&'a Value),
    /// The JSON text of a value, cut.
    Json(&'a Value),
    /// A path of the document, in the spelling of this crate. The empty path is "The document".
    Path(&'a [Step]),
    /// A path of the document, as a JSON Pointer. The empty path is "The document".
    Pointer(&'a [Step]),
}

impl Arg<'_> {
    fn write(self, out: &mut String) {
        match self {
            Self::Text(text) => put(out, text),
            Self::Cut(text) => put(out, cut(text)),
            Self::Count(count) => put(out, &decimal(count)),
            Self::Kind(value) => put(out, article(value)),
            Self::Json(value) => put(out, cut(&value.to_json())),
            Self::Pointer(path) if !path.is_empty() => put(out, &pointer_to(path)),
            Self::Path(path) | Self::Pointer(path) => put(out, &show(path)),
        };
    }
}

/// Fills the gaps of a sentence: `{0}` is the first argument. A brace without a digit after it is a part of the sentence, e.g. in
/// an example of JSON.
fn fill(sentence: &str, args: &[Arg<'_>]) -> String {
    let mut out = String::new();
    let mut rest = sentence;
    while let Some(brace) = find(rest, "{") {
        // A missing byte and any byte but a digit give 10 or more. Sentences have fewer arguments.
        let digit = rest.as_bytes().get(brace + 1).map_or(10, |byte| byte.wrapping_sub(b'0'));
        // The end of the text before the argument, and the start of the text after it; a gap has three bytes, as `{0}`.
        let (end, next) = if digit < 10 { (brace, brace + 3) } else { (brace + 1, brace + 1) };
        put(&mut out, rest.get(..end).unwrap_or_default());
        if let Some(arg) = args.get(usize::from(digit)) {
            arg.write(&mut out);
        }
        rest = rest.get(next..).unwrap_or_default();
    }
    put(&mut out, rest);
    out
}

/// Declares the causes once: the enum, and for each the code, the message and the solution. The sentences are the lines of one
/// text, which makes a smaller module than a table; a tab separates message and solution.
macro_rules! causes {
    ($($cause:ident = $code:ident, $message:literal, $solution:literal;)+) => {
        /// Why something was refused. [`Cause::refuse`] fills in its sentences.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Cause {
            $($cause,)+
        }

        const CODES: &[Code] = &[$(Code::$code),+];
        const SENTENCES: &str = concat!($($message, "\t", $solution, "\n"),+);
    };
}

impl Cause {
    /// The refusal, with the gaps of its sentences filled.
    pub(crate) fn refuse(self, args: &[Arg<'_>]) -> Refusal {
        // Every cause has a code.
        let code = CODES.get(self as usize).copied().unwrap_or(Code::InvalidStructure);
        let sentences = line(SENTENCES, self as usize);
        let tab = find(sentences, "\t").unwrap_or_default();
        let [message, solution] =
            [sentences.get(..tab), sentences.get(tab + 1..)].map(|text| fill(text.unwrap_or_default(), args));
        Box::new(PatchError { code, message, solution, index: None, op: None, path: None, position: None })
    }
}

causes! {
    // A text, a call, a patch.
    NotJson = InvalidJson, "{0}.", "Send one JSON text (RFC 8259).";
    TextTooDeep = LimitExceeded, "{0}.", "Send a flatter value.";
    CallKind = InvalidStructure, "The call is {0}.", "Send an object {\"instance_name\": …, \"patches\": […]}.";
    Versioned = InvalidStructure, "The {0} carries \"{1}\"; calls have no versions.", "Leave \"{1}\" out.";
    NoInstance = MissingValue, "The call names no instance.",
        "Send instance_name (or instanceId): an instance's name, __CREATE__ or __DELETE__.";
    NoTarget = MissingValue, "A call to {0} lacks the instance's name.", "Send it as {2} (or {1}).";
    TwoNames = InvalidStructure, "\"{0}\" and its other spelling name two instances.", "Send one of the two.";
    NameKind = InvalidInstance, "\"{0}\" is {1}.", "Send the instance's name as a string.";
    NameControl = InvalidInstance, "The instance's name has a control character.", "Use a name of visible characters.";
    NoName = InvalidInstance, "\"{0}\" cannot be the name of an instance.",
        "Use a name that is not empty, __CREATE__ or __DELETE__.";
    UnknownInstance = InvalidInstance, "There is no instance \"{0}\".", "Use one of {1}, or create it with __CREATE__.";
    NoInstances = InvalidInstance, "There is no instance \"{0}\".", "Create one with __CREATE__.";
    PatchesKind = InvalidStructure, "\"patches\" is {0}.", "Send a list of patches.";
    TooManyPatches = LimitExceeded, "The call has {0} patches; the limit is {1}.", "Send several calls.";
    PatchKind = InvalidStructure, "The patch is {0}.", "Send an object {\"op\": …, \"path\": …, \"value\": …}.";
    OpUnknown = InvalidOp, "There is no operation \"{0}\".", "Use one of {1}.";
    OpKind = InvalidOp, "\"op\" is {0}.", "Use one of {1}.";
    NoOp = InvalidOp, "The patch has no \"op\".", "Use one of {1}.";
    PathKind = InvalidPath, "\"path\" is {0}.", "Send the path as a string.";
    ConditionKind = InvalidStructure, "\"condition\" is {0}.", "Send it as a string, such as state.params.count > 0.";
    NoPath = InvalidPath, "{0} has no \"path\".", "Send the path of what to change, such as state.params.count.";
    NoValue = MissingValue, "{0} has no value.", "Send \"value\" (null is a value) with it.";
    NoValueOrItems = MissingValue, "{0} has no value.", "Send \"value\" or \"items\" with it.";
    NoTo = MissingValue, "{0} has no \"to\".",
        "Send \"to\" with it: an index, {\"before\": id} or {\"after\": id} in the same list.";
    CreateElsewhere = InvalidOp, "create works only as the first patch of a call that creates an instance.",
        "Send a call with instance_name __CREATE__ and new_instance_name.";
    DeleteElsewhere = InvalidOp, "delete works only in a call that deletes an instance.",
        "Send a call with instance_name __DELETE__ and target_instance_name; op remove removes an item.";
    DeleteWithPatches = InvalidOp, "A call to __DELETE__ takes no patches.", "Send them in a call of their own.";
    FirstDocumentKind = InvalidStructure, "The first document is {0}.", "Send it as an object.";
    // Paths.
    PathEmpty = InvalidPath, "The path is empty.", "Name the place, such as state.params.count.";
    PathTooLong = LimitExceeded, "The path has {0} segments; the limit is {1}.", "Use a shallower place.";
    NoSegments = InvalidPath, "A path has no segments.", "Give at least one segment.";
    SegmentEmpty = InvalidPath, "The path has an empty segment.", "Name every segment.";
    SegmentControl = InvalidPath, "The path has a control character.", "Leave control characters out of names.";
    SegmentReserved = InvalidPath, "The path has the segment \"{0}\", which is reserved.", "Use another name.";
    IndexForm = InvalidPath, "The path has a negative index or an index with leading zeros, {0}.",
        "Count from 0, without leading zeros; quote a key or an id of digits.";
    PointerTilde = InvalidPath, "The pointer has a ~ that is neither ~0 nor ~1.", "Write ~ as ~0 and / as ~1.";
    PointerEnd = InvalidPath, "The pointer continues after -.", "Use - only at the end of a pointer.";
    DotBeforeBracket = InvalidPath, "The path has a dot before [.", "Leave the dot before [ out.";
    NoSeparator = InvalidPath, "The path has \"{0}\" where a dot or a bracket should be.", "Separate segments by dots.";
    InSegment = InvalidPath, "The path has {0} inside a segment.", "Quote the whole segment.";
    Blank = InvalidPath, "The path has a blank outside of quotes.", "Quote a name with blanks; leave out other blanks.";
    EndsInPlus = InvalidPath, "The path has \"{0}\", which ends in +.", "Use one + at the end to append; quote a key.";
    SingleQuotes = InvalidPath, "The path has a name in single quotes.", "Use double quotes.";
    NoPlainId = InvalidPath, "The path has a bracket that is not closed after a plain id.",
        "Close it, and quote what is not a plain id.";
    BracketOpen = InvalidPath, "The path has a bracket that is not closed.", "Close it with ] after the id.";
    QuoteOpen = InvalidPath, "The path has a quote that is not closed.", "Close it with another one.";
    NoString = InvalidPath, "The path has {0}, which is not a JSON string.", "Escape it as JSON does.";
    AfterOperator = InvalidPath, "The path continues after an operator.", "Write it without the operator.";
    IdBlank = InvalidPath, "The path has an id with blanks or quotes in it.", "Quote the id.";
    NoPart = InvalidPath, "A page's document has no part \"{0}\".",
        "Begin the path with one of page_key, meta, state, layout, blocks, actions.";
    NoPointer = InvalidPath, "\"{0}\" is neither a path nor a pointer.", "Use op add, path {1}.";
    NoPartOfState = InvalidPath, "state has no part \"{0}\".", "Use {1}.params{2} or {1}.runtime{2}.";
    // Paths that are well-formed, and do not fit the operation or the document.
    Appends = InvalidPath, "{0} does not work on a path that appends.", "Use op add to append, or {1} for the list.";
    RemovesItem = InvalidPath, "{0} does not work on a path that removes an item by id.", "Use {1}.";
    SetsItem = InvalidPath, "{0} does not work on a path that sets an item.", "Use {1}.";
    RemoveAt = InvalidPath, "{0} does not work on a path that sets an item.",
        "Use {2}-\"{3}\" for an id, {1} for an index.";
    BelowScalar = PathNotFound, "{0} is {1}, so it has nothing below it.", "Use that place itself.";
    BelowFreeScalar = PathNotFound, "{0} is {1}, so it has nothing below it.", "Set it to an object first.";
    NoKey = PathNotFound, "{0} has no \"{1}\".", "It has {2}.";
    NoKeyYet = PathNotFound, "{0} has no \"{1}\".", "It has no keys yet: set it whole.";
    NoParent = PathNotFound, "{0} has no \"{1}\".", "Set it first.";
    RootEmpty = PathNotFound, "{0} has {1} items, so there is none at index {2}.", "It is empty.";
    BeyondEmpty = PathNotFound, "{0} has {1} items, so there is none at index {2}.", "Append with op add, path {5}.";
    BeyondOne = PathNotFound, "{0} has 1 item, so there is none at index {2}.", "Use index 0{4}{5}.";
    Beyond = PathNotFound, "{0} has {1} items, so there is none at index {2}.", "Use an index from 0 to {3}{4}{5}.";
    NoItem = PathNotFound, "{0} has no item with {1} \"{2}\".", "Use one of {3}.";
    NoItemHasId = PathNotFound, "{0} has no item with {1} \"{2}\".", "None of its items has one: use an index.";
    KeyOnList = PathNotFound, "{0} is a list, and \"{1}\" is a key.", "Use {2} for the item of that id, or its index.";
    KeyOnListPlain = PathNotFound, "{0} is a list, and \"{1}\" is a key.", "Use the item's index.";
    EndAsKey = PathNotFound, "{0} is a list, and \"{1}\" is neither an index nor the id of an item.",
        "Use op add, path {2}, to append, or the item's index.";
    TooMuchWork = LimitExceeded, "The call looks at, or copies, more than {0} items and places.",
        "Send fewer patches at once, copy less, name items by id, or set the list or object whole.";
    // Operations.
    AmountKind = InvalidStructure, "{0} needs a number, but its value is {1}.", "Send a number as value, or none for 1.";
    SumTooLarge = InvalidStructure, "{0} becomes larger than a number can be.", "Use a smaller value.";
    NotInState = InvalidPath, "{0} is not below state.params or state.runtime, where {1} works.",
        "Use a path below one of them, or op set.";
    NotOfKind = InvalidStructure, "{0} is {1}, not {2}.", "Use the path of {2}, or set it to {2} first.";
    MergeOf = InvalidStructure, "merge needs an object, but its value is {0}.", "Send an object of the keys to set.";
    MergeInto = InvalidStructure, "{0} is {1}, not an object.", "Use op set to give it another kind.";
    NotRemovable = InvalidPath, "{0} cannot be removed.", "{1}";
    WhichItem = MissingValue, "remove of {0} does not say which item.",
        "Send value {\"{1}\": …}, or name the item in the path; op clear empties the list.";
    NothingDeclared = PathNotFound, "No field declares a value for {0}.", "Use op set with a value.";
    NotClearable = InvalidPath, "{0} cannot be cleared.",
        "Use op clear on state.params, state.runtime, blocks, actions, or a list or object in state.";
    NotParams = InvalidPath, "{0} is not state.params.", "Leave the path out, or use op clear for another place.";
    ValueAndItems = InvalidStructure, "The patch has \"value\" and \"items\".", "Send one as value, several as items.";
    ItemsKind = InvalidStructure, "\"items\" is {0}.", "Send a list, or one item as value.";
    NotAList = InvalidStructure, "{0} is {1}, not a list.", "Use the path of a list, or set it to a list first.";
    MatchKeyKind = InvalidStructure, "\"key\" is {0}.", "Send the name of a property as key.";
    MatchNothing = MissingValue, "The value does not say which item.", "Send {\"key\": …, \"value\": …}, or the item's id.";
    NoMatch = PathNotFound, "{0} has no item that matches {1}{2}.", "Use one of {3}.";
    NothingToMatch = PathNotFound, "{0} has no item that matches {1}{2}.",
        "None of its items has one: append with op add, path {0}.";
    ListEmpty = PathNotFound, "{0} is empty.", "There is nothing to remove; leave the patch out.";
    NoUpdates = MissingValue, "The value has no \"updates\".",
        "Send {\"key\": …, \"value\": …, \"updates\": {…}}, or index and the updates as value.";
    UpdatesKind = InvalidStructure, "The updates are {0}.", "Send an object of the keys to set.";
    ItemKind = InvalidStructure, "{0} is {1}, so it has no keys to set.", "Use op set, path {0}.";
    IndexBeyond = PathNotFound, "{0} has {1} items, so there is none at index {2}.", "Use an index below its length.";
    IndexKind = InvalidStructure, "\"index\" is {0}.", "Send a whole number from 0.";
    NoItemToMove = InvalidPath, "{0} is not an item of a list.", "Use the path of the item to move, such as blocks[\"form\"].";
    MoveBeyond = PathNotFound, "{0} has {1} items, so none can move to index {2}.", "Send to as an index from 0 to {3}.";
    MoveTo = InvalidStructure, "\"to\" is {0}.",
        "Send an index, {\"before\": id} or {\"after\": id} of the same list; op remove and op add take an item to another list.";
    FilterKind = InvalidStructure, "The filter is {0}.", "Send {\"key\": …, \"operator\": \"==\", \"value\": …}.";
    FilterLacks = MissingValue, "The filter has no \"{0}\".", "Send {\"key\": …, \"operator\": \"==\", \"value\": …}.";
    FilterWords = InvalidStructure, "The filter compares {0} by {1}.", "Use a key and one of == != < <= > >=.";
    ConditionGrammar = InvalidStructure, "The condition \"{0}\" has {1}{2}{1} where {3} should be.",
        "Write path, !path, or path == json, joined by && and ||, such as state.params.count > 0.";
    // Edits.
    NoEdits = InvalidStructure, "The script is not a list of edits.",
        "Send a list of {kind, path, value}, or {kind: \"move\", from, path}.";
    PathVanished = PathNotFound, "The patch went wrong: the document has no such place.", "Read the instance again.";
    Fixed = SchemaMutation, "{0} cannot change after the instance was created; it is {1}.", "Keep it, or create a new instance.";
    FixedAbsent = SchemaMutation, "{0} cannot change after the instance was created; it is absent.",
        "Leave {0} out, or create another instance with it.";
    TooDeep = LimitExceeded, "The document would be {0} levels deep; the limit is {1}.", "Send a flatter value.";
    Infinite = InvalidStructure, "The value has a number too large for a double.", "Send it as a string.";
    // Structure.
    WrongKind = InvalidStructure, "{0} is {1}, not {2}.", "Make it {2}.";
    Needed = InvalidStructure, "{0} has no {1}.", "{2}";
    NeedsWord = InvalidStructure, "{0} has no {1}.", "Use one of {2}.";
    NeedsFields = InvalidStructure, "{0} has no fields.", "Send a list of fields, which may be empty.";
    UnknownWord = InvalidStructure, "{0} is {1}, which is not known.", "Use one of {2}.";
    Unfit = InvalidStructure, "{0} is {1}.", "{2}";
    TextEmpty = InvalidStructure, "{0} is empty.", "{1}";
    NotInStatePart = InvalidStructure, "state has \"{0}\".", "Put it into state.params or state.runtime.";
    BreaksSchema = InvalidStructure, "{0} is {1}, which the schema of {2} does not allow.",
        "Send what {3} asks for: {4}.";
    HostRefuses = InvalidStructure, "{0} is {1}, which the schema of {2} does not allow: {3}.",
        "Send a value that it allows.";
    SchemaTooDeep = LimitExceeded, "The schema of {0} leads too deep.", "Send a flatter value.";
    FieldTakes = InvalidStructure, "The field \"{0}\" takes {1}, not {2}.", "Send {1}.";
    IdTaken = DuplicateId, "{0} already has an item with {1} \"{2}\".", "Use another {1}, or set that item.";
    // Warnings about values that are kept. Only the sentences are used: a warning has a code of its own.
    NoEffectHere = InvalidStructure, "\"{0}\" has no effect here.", "Send it as {1}.";
    NoEffectForType = InvalidStructure, "\"{0}\" has no effect on the type {1}.", "It is for {2}.";
    NoEffectMisspelt = InvalidStructure, "\"{0}\" is not known here, and has no effect.", "Did you mean {1}?";
    NoEffectSolved = InvalidStructure, "\"{0}\" has no effect here.", "{1}";
    NothingHappens = InvalidStructure, "A press of \"{0}\" changes nothing.",
        "Send patches {\"state.params.saved\": true}, or an action_type other than apply_patch.";
    OtherKind = InvalidStructure, "\"{0}\" is {1}, not {2}.", "{3}";
    NoId = InvalidStructure, "It has no {0}.", "{1}";
    // JSON Patch.
    JsonPatchKind = InvalidStructure, "The JSON Patch is {0}.",
        "Send a list of operations such as {\"op\": \"replace\", \"path\": \"/a\", \"value\": 1}.";
    OperationKind = InvalidStructure, "The operation is {0}.", "Send an object with \"op\" and \"path\".";
    OperationUnknown = InvalidOp, "JSON Patch has no op \"{0}\".", "Use add, remove, replace, move, copy or test.";
    OperationValue = MissingValue, "{0} has no \"value\".", "Send one; null is a value.";
    MemberKind = InvalidPath, "\"{0}\" is {1}.", "Send a JSON Pointer (RFC 6901), as /state/params/count.";
    MemberAbsent = MissingValue, "\"{0}\" is absent.", "Send a JSON Pointer (RFC 6901), as /state/params/count.";
    MoveIntoItself = InvalidPath, "{0} would move into itself.", "Send a path that is not below from, or op copy.";
    TestFails = TestFailed, "{0} is {1}, not {2}.", "Read the document again and patch what it is now.";
    // Documents and texts.
    TextTooLong = LimitExceeded, "The {0} has {1} bytes; the limit is {2}.", "Send less at once.";
    DocumentTooLarge = LimitExceeded, "The document would be about {0} bytes; the limit is {1}.", "Remove something.";
    InstanceIsThere = InstanceExists, "There already is an instance \"{0}\".", "Use another name, or patch this one.";
    SavedLacks = InvalidStructure, "The saved text has no {0}.", "Give the text of save(), whole.";
    SavedTwice = InstanceExists, "The saved text has the instance \"{0}\" twice.", "Give the text of save(), whole.";
    SavedTooManyPending = LimitExceeded, "The saved text has more than {0} pending calls.", "Set a larger maxPending.";
    // Pending calls, messages of a server.
    TooManyPending = LimitExceeded, "There are {0} pending calls, the limit.", "Wait until the server settles some.";
    NoPending = UnknownPending, "No pending call has the id \"{0}\".", "It may be settled: see pending().";
    LostOnServer = NeedsSnapshot, "The server confirmed a call that no longer applies here: {0}", "Load \"{1}\" again.";
    MessageKind = UnknownMessage, "{2} is {0}.", "Send a patch call, or one of the types {1}.";
    MessageType = UnknownMessage, "No message has the type \"{0}\".", "Send a patch call, or one of the types {1}.";
    MessageWithoutType = UnknownMessage, "The message has no type.", "Send a patch call, or one of the types {1}.";
    MessageLacks = MissingValue, "The message has no \"{0}\".", "Send \"{0}\" with it.";
    MessagePatchKind = InvalidStructure, "\"patch\" is {0}.", "Send {path: value, …} or a list of patches.";
}
