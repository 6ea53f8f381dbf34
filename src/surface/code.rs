//! What can be wrong with a surface message: the table of codes.

use crate::codes::codes;

codes! {
    "What is wrong, for programs. Each has a name that JavaScript sees.";
    /// The line is not JSON.
    InvalidJson = "INVALID_JSON",
    /// A message whose fields are missing or of the wrong kind.
    InvalidMessage = "INVALID_MESSAGE",
    /// An object that is none of the messages.
    UnknownMessage = "UNKNOWN_MESSAGE",
    /// A version that is not known; what it says is read all the same.
    UnsupportedVersion = "UNSUPPORTED_VERSION",
    /// No surface has this id.
    UnknownSurface = "UNKNOWN_SURFACE",
    /// A surface with this id is there already.
    SurfaceExists = "SURFACE_EXISTS",
    /// The surface was deleted.
    SurfaceDeleted = "SURFACE_DELETED",
    /// A path that is none, or that leads through what is neither list nor object.
    InvalidPath = "INVALID_PATH",
    /// A scalar stood in the way of a path, and gave way.
    Overwritten = "OVERWRITTEN",
    /// More than a limit allows.
    LimitExceeded = "LIMIT_EXCEEDED",
    /// The stream ended and a surface has nothing to begin with.
    MissingRoot = "MISSING_ROOT",
    /// The stream ended and a component that is asked for has not come.
    MissingComponent = "MISSING_COMPONENT",
    /// A component stands inside itself.
    Cycle = "CYCLE",
    /// A function that is not known.
    UnknownFunction = "UNKNOWN_FUNCTION",
    /// A function that failed, or whose arguments it cannot use.
    FunctionFailed = "FUNCTION_FAILED",
    /// An absolute path that leads nowhere was read from the item.
    PathFallback = "PATH_FALLBACK",
    /// The catalog has no such type.
    UnknownType = "UNKNOWN_TYPE",
    /// The catalog does not allow a property.
    InvalidComponent = "INVALID_COMPONENT",
}
