//! Connections: accepting them up to a number, with time limits, until told to stop.

use crate::app::App;
use crate::patience::Patient;
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

/// Largest head of a request, in bytes: a long game fits into an analysis's address.
const MAX_HEAD: usize = 64 * 1024;
/// Pause after an error of accepting, such as too many open files.
const PAUSE: Duration = Duration::from_millis(50);

/// Serves until `stop` is ready, then lets what runs end within the grace time.
pub async fn serve(app: App, listener: TcpListener, stop: impl Future<Output = ()>) {
    let connections = app.config.connections;
    let places = Arc::new(Semaphore::new(connections as usize));
    let (stopping, stopped) = watch::channel(false);
    let service = app.router();
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &places) => accepted,
            () = &mut stop => break,
        };
        match accepted {
            Ok((stream, place)) => {
                let service = TowerToHyperService::new(service.clone());
                let patience = app.config.patience();
                let (stopped, metrics) = (stopped.clone(), Arc::clone(&app.metrics));
                tokio::spawn(async move {
                    metrics.connected();
                    converse(stream, service, patience, stopped).await;
                    metrics.disconnected();
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                sleep(PAUSE).await;
            }
        }
    }
    drop(listener);
    tracing::info!("stopping");
    // Receivers are our own connections; there may be none.
    let _ = stopping.send(true);
    app.pool.stop_analyses();
    app.reviews.stop();
    let all = places.acquire_many(connections);
    if timeout(Duration::from_secs(app.config.grace), all)
        .await
        .is_err()
    {
        tracing::warn!("what still ran was broken off");
    }
    app.pool.close();
}

/// Waits for a place and for a client.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> std::io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let place = Arc::clone(places)
        .acquire_owned()
        .await
        .map_err(std::io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    stream.set_nodelay(true)?;
    Ok((stream, place))
}

/// Serves one connection until it ends or, once we stop, until its request is answered.
async fn converse(
    stream: TcpStream,
    service: TowerToHyperService<axum::Router>,
    patience: Duration,
    mut stopped: watch::Receiver<bool>,
) {
    let stopping = async { stopped.wait_for(|stopped| *stopped).await.is_ok() };
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .max_buf_size(MAX_HEAD);
    let io = TokioIo::new(Patient::new(stream, patience));
    let mut connection = pin!(builder.serve_connection(io, service));
    let result = tokio::select! {
        result = &mut connection => result,
        _ = stopping => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = result {
        // Clients that vanish, stall or talk nonsense are everyday life.
        tracing::debug!(%error, "a connection ended");
    }
}
