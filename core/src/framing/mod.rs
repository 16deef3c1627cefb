//! How messages lie in a stream of bytes: incremental, bounded, and indifferent to where the stream is cut.
pub mod line;
