//! The message trace: each message with its time, for a person or a log. Off by default.
