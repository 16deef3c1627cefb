//! The message-level roles.
