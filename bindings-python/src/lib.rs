//! The Python module `mcp_sansio._core`: the two connections of [`mcp_sansio::embed`] and their events.

mod connection;
mod errors;
mod events;

/// The engine: connections without I/O, and what they say.
#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use crate::connection::{ClientConnection, ServerConnection};
    #[pymodule_export]
    use crate::events::{
        Audit, Closed, Completed, Failed, Fault, Input, InputOver, Notification, Over, Progress, Ready,
        Request, Subscribed, Task, Trace, Watched, Writable,
    };
}
