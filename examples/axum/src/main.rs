//! Rooms of genui-patch behind axum: the protocol of `connect`, served by the crate itself.
//!
//! ```text
//! page ──WebSocket or POST──> connection ──> room task: tried on the store ─> log, synced ─> store ─┐
//!   └────────────<──────────── outbox <──────────────── numbered message to every page <────────────┘
//! ```

mod clients;
mod connection;
mod entry;
mod http;
mod identity;
mod json;
mod limits;
mod log;
mod message;
mod outbox;
mod rate;
mod recent;
mod room;
mod rooms;
mod settings;
mod time;

use std::process::ExitCode;
use std::sync::Arc;

use settings::Settings;
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main]
async fn main() -> ExitCode {
    match serve().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

async fn serve() -> Result<(), String> {
    let mut settings = Settings::from_environment()?;
    log::check_folder(&settings.folder)?;
    let listener = tokio::net::TcpListener::bind((settings.host.as_str(), settings.port))
        .await
        .map_err(|error| format!("PORT: {}:{} cannot be used: {error}", settings.host, settings.port))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    settings.hosts.extend([address.to_string(), format!("localhost:{}", address.port())]);
    println!("http://{address}");
    let app = http::router(Arc::new(http::Server::new(settings)));
    let ended = async || -> Result<(), String> {
        let listen = |kind| signal(kind).map_err(|error| error.to_string());
        let (mut terminate, mut interrupt) = (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
        tokio::select! { _ = terminate.recv() => {} _ = interrupt.recv() => {} }
        Ok(())
    };
    // What was acknowledged is on the disk, and pages connect again: nothing is left to do at the end.
    tokio::select! {
        served = axum::serve(listener, app).into_future() => served.map_err(|error| error.to_string()),
        end = ended() => end,
    }
}
