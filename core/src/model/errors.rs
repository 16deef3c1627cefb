//! Errors, and what the protocol's own carry (`basic/index`, `client/elicitation` of 2025-11-25).
use alloc::{borrow::Cow, vec::Vec};

use super::{ClientCapabilities, ElicitRequestURLParams, Number, Raw, RequestId};

objects! {
    /// An error. `D` is its data, or an `Option`.
    ErrorObject<D> {
        /// Which: see [`code`](crate::jsonrpc::code).
        "code" => code: Number<'a>,
        /// What went wrong, in a sentence.
        "message" => message: Cow<'a, str>,
        /// More on it.
        "data" => data: D,
    } optional {}

    /// The response to a request that failed.
    ErrorResponse<D>("jsonrpc" = "2.0") {
        /// The error.
        "error" => error: ErrorObject<'a, D>,
    } optional {
        /// The request; absent, or `null` up to 2025-06-18, if it could not be read.
        "id" => id: RequestId<'a>,
    }

    /// The data of -32022: the revision is not spoken here; from 2026-07-28.
    UnsupportedProtocolVersionData {
        /// The revisions that are.
        "supported" => supported: Vec<Cow<'a, str>>,
        /// The one that was asked for.
        "requested" => requested: Cow<'a, str>,
    } optional {}

    /// The data of -32021: the client lacks what the request needs; from 2026-07-28.
    MissingRequiredClientCapabilityData {
        /// What it needs.
        "requiredCapabilities" => required_capabilities: ClientCapabilities<'a>,
    } optional {}

    /// The data of -32042: pages must be visited first; 2025-11-25 alone.
    URLElicitationRequiredData {
        /// The pages.
        "elicitations" => elicitations: Vec<ElicitRequestURLParams<'a>>,
    } optional {}
}

/// Any error. `null` as its data is data.
pub type Error<'a> = ErrorObject<'a, Option<Raw<'a>>>;
/// -32700: what came is not JSON.
pub type ParseError<'a> = Error<'a>;
/// -32600: what came is not a message.
pub type InvalidRequestError<'a> = Error<'a>;
/// -32601: there is no such method.
pub type MethodNotFoundError<'a> = Error<'a>;
/// -32602: the params do not fit.
pub type InvalidParamsError<'a> = Error<'a>;
/// -32603: it failed.
pub type InternalError<'a> = Error<'a>;
/// A response with any error. Up to 2025-06-18 it is [`JSONRPCError`].
pub type JSONRPCErrorResponse<'a> = ErrorResponse<'a, Option<Raw<'a>>>;
/// A response with any error.
pub type JSONRPCError<'a> = JSONRPCErrorResponse<'a>;
/// -32020: header and body differ.
pub type HeaderMismatchError<'a> = JSONRPCErrorResponse<'a>;
/// -32021.
pub type MissingRequiredClientCapabilityError<'a> =
    ErrorResponse<'a, MissingRequiredClientCapabilityData<'a>>;
/// -32022.
pub type UnsupportedProtocolVersionError<'a> = ErrorResponse<'a, UnsupportedProtocolVersionData<'a>>;
/// -32042.
pub type URLElicitationRequiredError<'a> = ErrorResponse<'a, URLElicitationRequiredData<'a>>;
