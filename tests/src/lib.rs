//! Tests that go across the parts of the project: the cases player, properties of the machines, the virtual-time pair.
pub mod cases;
pub mod wire;
pub mod pair;
