//! Tells the linker where the memory of the board is described.
use std::env;

fn main() {
    println!("cargo::rerun-if-changed=memory.x");
    println!("cargo::rustc-link-search={}", env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
    println!("cargo::rustc-link-arg-bins=-Tlink.x");
}
