//! What a round trip is measured with: the messages, the floor, our server machine.
pub mod floor;
pub mod list;
pub mod machine;
pub mod message;
pub mod round_trip;

use message::Era;
use round_trip::RoundTrip;

/// The subjects of this crate by name.
pub fn subject(name: &str, era: Era) -> Option<Box<dyn RoundTrip>> {
    match name {
        "floor" => Some(Box::new(floor::Floor)),
        "machine" => Some(Box::new(machine::Machine::open(era))),
        "list" => Some(Box::new(list::List::open(era))),
        "copy" => Some(Box::new(list::Copy::of(era))),
        "stream" => Some(Box::new(machine::Stream::open(era))),
        _ => None,
    }
}
