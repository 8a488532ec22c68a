//! The program `saavedra-web`: listens, prints its address and serves until it is stopped.

use saavedra_web::config::{Command, LogFormat};
use saavedra_web::engine::{EngineFactory, open_tablebase};
use saavedra_web::{App, server};
use std::io::{IsTerminal, Write};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use tokio::net::TcpListener;

fn main() -> ExitCode {
    let command = match Command::read() {
        Ok(command) => command,
        Err(error) if error.use_stderr() => {
            let text = error.to_string();
            let message = text.strip_prefix("error: ").unwrap_or(&text);
            return fail(&message.trim_end());
        }
        // `--help` and `--version` are no errors.
        Err(help) => help.exit(),
    };
    start_log(&command);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&error),
    };
    match runtime.block_on(run(command)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

fn fail(error: &dyn std::fmt::Display) -> ExitCode {
    eprintln!("saavedra-web: {error}");
    ExitCode::from(2)
}

fn start_log(command: &Command) {
    let builder = tracing_subscriber::fmt()
        .with_max_level(command.log_level)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false);
    match command.log_format {
        LogFormat::Text => builder.init(),
        LogFormat::Json => builder.json().flatten_event(true).init(),
    }
}

async fn run(command: Command) -> Result<(), Box<dyn std::error::Error>> {
    let listener = TcpListener::bind(command.listen)
        .await
        .map_err(|error| format!("cannot listen on {}: {error}", command.listen))?;
    let address = listener.local_addr()?;
    let hash = command.config.hash as usize;
    let eval_file = command.config.eval_file.clone();
    let tablebase = command.config.syzygy_path.as_deref().map(open_tablebase).transpose()?;
    let factory = EngineFactory { hash, eval_file, tablebase };
    let app = App::start(command.config, Arc::new(factory))?;
    // Whoever reads the address may stop the service at once.
    let stop = stop_signal()?;
    print_address(address)?;
    let (engine, workers) = (app.engine_name.as_ref(), app.config.workers());
    tracing::info!(%address, engine, workers, "listening");
    server::serve(app.clone(), listener, stop).await;
    Ok(())
}

/// Prints the first line of standard output: the address of the page.
fn print_address(address: SocketAddr) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "listening on http://{address}")?;
    out.flush()
}

/// Completes on SIGTERM or Ctrl-C, which no longer end the program after this call.
///
/// # Errors
/// The signals cannot be caught.
#[cfg(unix)]
fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Completes on Ctrl-C, which no longer ends the program after this call.
///
/// # Errors
/// Ctrl-C cannot be caught.
#[cfg(not(unix))]
fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        interrupt.recv().await;
    })
}
