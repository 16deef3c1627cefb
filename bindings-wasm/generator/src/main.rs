//! `wasm-bindgen-generator MODULE.wasm OUT_DIR`: writes the module and its JavaScript and types for the web.
use std::{env, error::Error};

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [module, out] = arguments.as_slice() else {
        return Err("usage: wasm-bindgen-generator MODULE.wasm OUT_DIR".into());
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).web(true)?.omit_default_module_path(true).typescript(true).generate(out)?;
    Ok(())
}
