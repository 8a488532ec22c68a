//! Accepts connections up to a limit, with timeouts, until the service is stopped.

use crate::app::App;
use crate::client::ConnectionInfo;
use crate::write_timeout::WriteTimeoutStream;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};
use tower_http::add_extension::AddExtension;

/// Maximum size of a request head, in bytes. The query of an analysis may hold a long game.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// Delay after a failed accept, for example when there are too many open files.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Serves until `stop` completes, then lets running requests finish within the grace period.
pub async fn serve(app: App, listener: TcpListener, stop: impl Future<Output = ()>) {
    let max_connections = app.config.connections;
    let permits = Arc::new(Semaphore::new(max_connections as usize));
    let (stopping, stopped) = watch::channel(false);
    let service = app.router();
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &permits) => accepted,
            () = &mut stop => break,
        };
        match accepted {
            Ok((stream, permit, info)) => {
                let service = AddExtension::new(service.clone(), info);
                let service = TowerToHyperService::new(service);
                let client_timeout = app.config.client_timeout();
                let (stopped, metrics) = (stopped.clone(), Arc::clone(&app.metrics));
                tokio::spawn(async move {
                    metrics.connection_opened();
                    serve_connection(stream, service, client_timeout, stopped).await;
                    metrics.connection_closed();
                    drop(permit);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
    drop(listener);
    tracing::info!("stopping");
    // Fails only if no connection is open.
    let _ = stopping.send(true);
    app.pool.stop_analyses();
    app.reviews.clear();
    let all_closed = permits.acquire_many(max_connections);
    if timeout(Duration::from_secs(app.config.grace), all_closed)
        .await
        .is_err()
    {
        tracing::warn!("the grace period is over: running requests are aborted");
    }
    app.pool.close();
}

/// Waits for a free connection slot and then for a client.
async fn accept(
    listener: &TcpListener,
    permits: &Arc<Semaphore>,
) -> std::io::Result<(TcpStream, OwnedSemaphorePermit, ConnectionInfo)> {
    let permit = Arc::clone(permits)
        .acquire_owned()
        .await
        .map_err(std::io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    stream.set_nodelay(true)?;
    let local = stream.local_addr()?;
    Ok((stream, permit, ConnectionInfo { peer, local }))
}

/// Serves one connection until it ends or, after a stop, until its current request is answered.
async fn serve_connection(
    stream: TcpStream,
    service: TowerToHyperService<AddExtension<axum::Router, ConnectionInfo>>,
    client_timeout: Duration,
    mut stopped: watch::Receiver<bool>,
) {
    let stopping = async { stopped.wait_for(|stopped| *stopped).await.is_ok() };
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(client_timeout)
        .max_buf_size(MAX_HEAD_BYTES);
    let io = TokioIo::new(WriteTimeoutStream::new(stream, client_timeout));
    let mut connection = pin!(builder.serve_connection(io, service));
    let result = tokio::select! {
        result = &mut connection => result,
        _ = stopping => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = result {
        // Clients that disconnect, stall or send no HTTP are normal.
        tracing::debug!(%error, "a connection ended with an error");
    }
}
