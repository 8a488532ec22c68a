//! Accepts connections up to a limit, with timeouts, until the service is stopped.

use crate::app::App;
use crate::client::ConnectionInfo;
use crate::stream::SharedStream;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tower_http::add_extension::AddExtension;

/// Maximum size of a request head, in bytes. The query of an analysis may hold a long game.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// Delay after a failed accept, for example when there are too many open files.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);
/// Maximum number of connections that are accepted during the grace period.
const MAX_LATE_CONNECTIONS: usize = 64;

/// Serves until `stop` completes, then lets running requests finish within the grace period. New
/// requests are then refused with 503.
pub async fn serve(app: App, listener: TcpListener, stop: impl Future<Output = ()>) {
    let max_connections = app.config.connections;
    let permits = Arc::new(Semaphore::new(max_connections as usize));
    tokio::select! {
        never = accept_connections(&app, &listener, &permits) => match never {},
        () = stop => {}
    }
    tracing::info!("stopping");
    app.stopping.send_replace(true);
    app.pool.stop_analyses();
    app.reviews.clear();
    let all_closed = permits.acquire_many(max_connections);
    let all_closed = timeout(Duration::from_secs(app.config.grace), all_closed);
    // The end of the service does not wait for late connections.
    let late_permits = Arc::new(Semaphore::new(MAX_LATE_CONNECTIONS));
    tokio::select! {
        never = accept_connections(&app, &listener, &late_permits) => match never {},
        closed = all_closed => {
            if closed.is_err() {
                tracing::warn!("the grace period is over: running requests are aborted");
            }
        }
    }
    drop(listener);
    app.pool.close();
}

/// Accepts connections and serves each in its own task.
async fn accept_connections(
    app: &App,
    listener: &TcpListener,
    permits: &Arc<Semaphore>,
) -> Infallible {
    let service = app.router();
    let client_timeout = app.config.client_timeout();
    loop {
        match accept(listener, permits).await {
            Ok((stream, permit, info)) => {
                let service = AddExtension::new(service.clone(), info);
                let service = TowerToHyperService::new(service);
                let (stopping, metrics) = (app.stopping.subscribe(), Arc::clone(&app.metrics));
                tokio::spawn(async move {
                    metrics.connection_opened();
                    serve_connection(stream, service, client_timeout, stopping).await;
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
}

/// Waits for a free connection slot and then for a client.
async fn accept(
    listener: &TcpListener,
    permits: &Arc<Semaphore>,
) -> std::io::Result<(TcpStream, OwnedSemaphorePermit, ConnectionInfo)> {
    let permit = Arc::clone(permits).acquire_owned().await.map_err(std::io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    stream.set_nodelay(true)?;
    let local = stream.local_addr()?;
    Ok((stream, permit, ConnectionInfo { peer, local }))
}

/// Serves one connection until it ends or, after a stop, until its current request is answered. A
/// connection that is accepted after the stop has one request.
async fn serve_connection(
    stream: TcpStream,
    service: TowerToHyperService<AddExtension<axum::Router, ConnectionInfo>>,
    client_timeout: Duration,
    mut stopping: watch::Receiver<bool>,
) {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(client_timeout)
        .keep_alive(!*stopping.borrow())
        .max_buf_size(MAX_HEAD_BYTES);
    let client = SharedStream::new(stream);
    let mut stream = TimeoutStream::new(client.clone());
    stream.set_write_timeout(Some(client_timeout));
    let io = TokioIo::new(Box::pin(stream));
    let served = async move {
        let mut connection = pin!(builder.serve_connection(io, service));
        tokio::select! {
            result = &mut connection => result,
            // The receiver of a late connection has seen the stop: it waits for ever.
            _ = stopping.changed() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        }
    };
    tokio::select! {
        result = served => if let Err(error) = result {
            // Clients that disconnect, stall or send no HTTP are normal.
            tracing::debug!(%error, "a connection ended with an error");
        },
        // hyper does not notice it while it has bytes of a further request.
        () = client.closed() => tracing::debug!("the client closed the connection"),
    }
}
