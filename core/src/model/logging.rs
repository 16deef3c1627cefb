//! Logging (`server/utilities/logging`).
use alloc::borrow::Cow;

use super::{Notification, Raw, Request, RequestMetaObject, meta::NotificationMetaObject};

words! {
    /// How severe a message is (RFC 5424).
    LoggingLevel {
        /// For who looks for an error.
        Debug = "debug",
        /// It goes on as it should.
        Info = "info",
        /// As it should, but worth a note.
        Notice = "notice",
        /// It may go wrong.
        Warning = "warning",
        /// Something failed.
        Error = "error",
        /// A part fails.
        Critical = "critical",
        /// To be dealt with at once.
        Alert = "alert",
        /// Nothing works.
        Emergency = "emergency",
    }
}

objects! {
    /// From which level on messages are wanted; up to 2025-11-25.
    SetLevelRequestParams {
        /// The level.
        "level" => level: LoggingLevel<'a>,
    } optional {
        /// Metadata.
        "_meta" => meta: RequestMetaObject<'a>,
    }

    /// A message of the server's log.
    LoggingMessageNotificationParams {
        /// How severe it is.
        "level" => level: LoggingLevel<'a>,
        /// The message: text, or any other value.
        "data" => data: Raw<'a>,
    } optional {
        /// Which part of the server it is from.
        "logger" => logger: Cow<'a, str>,
        /// Metadata.
        "_meta" => meta: NotificationMetaObject<'a>,
    }
}

/// `logging/setLevel`.
pub type SetLevelRequest<'a> = Request<'a, SetLevelRequestParams<'a>>;
/// `notifications/message`.
pub type LoggingMessageNotification<'a> = Notification<'a, LoggingMessageNotificationParams<'a>>;
