//! What a round trip is measured with: the messages, the floor, our server machine.
pub mod floor;
pub mod message;
pub mod round_trip;

use message::Era;
use round_trip::RoundTrip;

/// The subjects of this crate by name.
pub fn subject(name: &str, _era: Era) -> Option<Box<dyn RoundTrip>> {
    match name {
        "floor" => Some(Box::new(floor::Floor)),
        _ => None,
    }
}
