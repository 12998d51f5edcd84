//! Listening, answering, stopping.

use std::{
    future::{Future, ready},
    io,
    net::{SocketAddr, TcpListener},
    sync::Arc,
    time::Duration,
};

use actix_http::{HttpService, error::DispatchError};
use actix_service::{ServiceFactoryExt as _, map_config};
use actix_web::{
    dev::{AppConfig, Extensions, Server, fn_service},
    rt::net::TcpStream,
};
use socket2::{Domain, Protocol, Socket, Type};

use crate::{
    connection::Connection,
    route::{self, Shared, Table},
    services::{Services, Settings},
};

/// How long new connections are still taken once readiness fails, so that whoever balances the
/// load sees it and sends the next request elsewhere.
const NOTICE: Duration = Duration::from_secs(1);

/// Connections that wait to be taken.
const BACKLOG: i32 = 1024;

/// Bytes of an answer that wait in the kernel for the client to have room.
#[cfg(target_os = "linux")]
const MOST_UNSENT: u32 = 128 * 1024;

/// How long a connection may take to go away once its last answer is written; meanwhile a body
/// that was refused is read and dropped, so that the client gets to see the answer.
const PARTING: Duration = Duration::from_secs(5);

/// Takes the address; port 0 takes a free one. The listener does not answer yet.
///
/// # Errors
/// When the address is taken or not one of this machine.
pub fn bind(settings: &Settings) -> io::Result<TcpListener> {
    let address = settings.listen;
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // A server that is started again must not wait for connections of the one before.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    // A client that is gone without a word does not keep what is sent to it.
    #[cfg(target_os = "linux")]
    // Linux also counts the time for which a client keeps its window shut. How slow one may be is
    // for the pace to judge, and this for whoever is gone.
    socket.set_tcp_user_timeout(Some(3 * settings.request_timeout))?;
    // Room in the kernel is told of at once, not when a third of a large buffer is free: else a
    // client that reads slowly would look like one that does not read.
    #[cfg(target_os = "linux")]
    socket.set_tcp_notsent_lowat(MOST_UNSENT)?;
    socket.bind(&SocketAddr::into(address))?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// Answers requests until `shutdown` is ready. Then readiness fails; a second later nothing new is
/// taken, idle connections are closed, and what is in flight has as long as a request may take to
/// be finished.
///
/// # Errors
/// When the listener fails.
pub async fn serve(
    listener: TcpListener,
    settings: Settings,
    services: Services,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let table = Table::new(route::routes(), route::pages());
    let shared = Shared::new(services, settings.clone(), table)?;
    let stopped = {
        let (health, timeout) = (Arc::clone(&shared.health), settings.request_timeout);
        async move {
            shutdown.await;
            health.stop();
            tokio::time::sleep(NOTICE).await;
            tracing::info!(
                "stopping: requests in flight have {} s to finish, nothing new is taken",
                timeout.as_secs()
            );
        }
    };
    let Settings { workers, keep_alive, request_timeout, .. } = settings;
    let server = Server::build()
        .workers(workers)
        .shutdown_timeout(request_timeout.as_secs().max(1))
        .disable_signals()
        .shutdown_signal(stopped);
    let stopping = server.graceful_shutdown_signal();
    // What `HttpServer` does, over connections of our own.
    let service = move || {
        let stopping = stopping.clone();
        let http = HttpService::build()
            .keep_alive(keep_alive)
            .client_request_timeout(request_timeout)
            .client_disconnect_timeout(PARTING)
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            .on_connect_ext(|connection: &Connection, data: &mut Extensions| {
                data.insert(connection.activity());
            })
            .h1(map_config(route::app(shared.clone()), |()| AppConfig::default()));
        fn_service(move |stream: TcpStream| {
            let address = stream.peer_addr().ok();
            // Without it small answers wait for the acknowledgement of the one before. When it
            // cannot be set, the connection is as good as gone.
            let quick = stream.set_nodelay(true);
            ready(
                quick
                    .map(|()| (Connection::new(stream, request_timeout), address))
                    .map_err(DispatchError::Io),
            )
        })
        .and_then(http)
    };
    server.listen("patrol", listener, service)?.run().await
}

#[cfg(test)]
mod tests;
