//! `rmcp` on the transport that it recommends for pipes, on one thread or, with the argument `threads`, on tokio's pool.
use std::{env, error::Error};

use mcp_sansio_bench_rmcp::Server;
use rmcp::{ServiceExt, transport::stdio_pipes};
use tokio::runtime::Builder;

fn main() -> Result<(), Box<dyn Error>> {
    let mut runtime = match env::args().nth(1).as_deref() {
        Some("threads") => Builder::new_multi_thread(),
        _ => Builder::new_current_thread(),
    };
    runtime.enable_all().build()?.block_on(async {
        Server::default().serve(stdio_pipes()).await?.waiting().await?;
        Ok(())
    })
}
