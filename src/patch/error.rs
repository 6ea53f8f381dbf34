//! What a call is refused with.

use crate::codes::codes;
use crate::value::{ParseError, Position, write_string};

codes! {
    "Why a call was refused. No code stands for two causes that a caller would handle differently.";
    /// The instance is not there, or its name is none.
    InvalidInstance = "INVALID_INSTANCE",
    /// An unknown operation, or one that does not belong here.
    InvalidOp = "INVALID_OP",
    /// The path does not follow the grammar, or the operation does not work on such a path.
    InvalidPath = "INVALID_PATH",
    /// The path is well-formed, but the document has no such place.
    PathNotFound = "PATH_NOT_FOUND",
    /// A place that is fixed after the instance was created.
    SchemaMutation = "SCHEMA_MUTATION",
    /// A value that the operation needs is absent.
    MissingValue = "MISSING_VALUE",
    /// An id or key that is taken.
    DuplicateId = "DUPLICATE_ID",
    /// The name of a new instance is taken.
    InstanceExists = "INSTANCE_EXISTS",
    /// A value, a patch or a call that is not shaped as it must be.
    InvalidStructure = "INVALID_STRUCTURE",
    /// A text that is not JSON.
    InvalidJson = "INVALID_JSON",
    /// Larger, deeper or more than a limit allows.
    LimitExceeded = "LIMIT_EXCEEDED",
    /// The target of a proposal has changed in the meantime, where the proposal would change it.
    StaleProposal = "STALE_PROPOSAL",
    /// The proposal was approved or refused before.
    ProposalSettled = "PROPOSAL_SETTLED",
    /// There is no such proposal.
    UnknownProposal = "UNKNOWN_PROPOSAL",
    /// It waits for a person's yes, which no agent can give.
    NeedsApproval = "NEEDS_APPROVAL",
    /// An argument of a tool that is not as the tool's definition says.
    InvalidArgument = "INVALID_ARGUMENT",
    /// There is no such tool.
    UnknownTool = "UNKNOWN_TOOL",
    /// A `test` of a JSON Patch that does not hold (RFC 6902).
    TestFailed = "TEST_FAILED",
    /// The instance has no action of this id.
    UnknownAction = "UNKNOWN_ACTION",
    /// The action is disabled.
    ActionDisabled = "ACTION_DISABLED",
    /// No pending call has this id.
    UnknownPending = "UNKNOWN_PENDING",
    /// The server has taken a pending call that no longer applies here: the instance must be loaded again.
    NeedsSnapshot = "NEEDS_SNAPSHOT",
    /// A message of a kind that is not known.
    UnknownMessage = "UNKNOWN_MESSAGE",
    /// Well-formed, but this package has no way to do it.
    Unsupported = "UNSUPPORTED",
}

/// Why a call was refused, and what to send instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchError {
    /// The cause.
    pub code: Code,
    /// What was found, and where: one sentence.
    pub message: String,
    /// What to send instead, from the document at hand.
    pub solution: String,
    /// The place of the patch in the call.
    pub index: Option<usize>,
    /// The operation of the patch, as it was sent.
    pub op: Option<String>,
    /// The path of the patch, as it was sent.
    pub path: Option<String>,
    /// For text that is not JSON: where.
    pub position: Option<Position>,
}

/// A refusal, boxed: most calls succeed, and a result should be small.
pub type Refusal = Box<PatchError>;

impl PatchError {
    /// A refusal that does not yet know its patch.
    #[must_use]
    #[cold]
    pub fn new(code: Code, message: impl Into<String>, solution: impl Into<String>) -> Refusal {
        Box::new(Self {
            code,
            message: message.into(),
            solution: solution.into(),
            index: None,
            op: None,
            path: None,
            position: None,
        })
    }

    /// Refuses a text that is not JSON, or too deep to be read.
    #[must_use]
    #[cold]
    pub fn from_text(error: &ParseError) -> Refusal {
        let deep = matches!(error.fault.kind, crate::value::FaultKind::TooDeep(_));
        let code = if deep { Code::LimitExceeded } else { Code::InvalidJson };
        let mut refusal = Self::new(
            code,
            format!("{error}."),
            if deep { "Send a flatter value." } else { "Send one JSON text (RFC 8259)." },
        );
        refusal.position = Some(error.position);
        refusal
    }

    /// Appends the error as JSON, in the shape of the JavaScript API.
    #[cold]
    pub fn write_json(&self, out: &mut String) {
        out.push_str("{\"code\":\"");
        out.push_str(self.code.name());
        out.push_str("\",\"message\":");
        write_string(out, &self.message);
        out.push_str(",\"solution\":");
        write_string(out, &self.solution);
        if let Some(index) = self.index {
            out.push_str(&format!(",\"index\":{index}"));
        }
        for (name, text) in [("op", &self.op), ("path", &self.path)] {
            if let Some(text) = text {
                out.push_str(&format!(",\"{name}\":"));
                write_string(out, text);
            }
        }
        if let Some(Position { offset, line, column }) = self.position {
            out.push_str(&format!(",\"position\":{{\"offset\":{offset},\"line\":{line},\"column\":{column}}}"));
        }
        out.push('}');
    }
}

impl std::fmt::Display for PatchError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}: {} {}", self.code.name(), self.message, self.solution)
    }
}

impl std::error::Error for PatchError {}
