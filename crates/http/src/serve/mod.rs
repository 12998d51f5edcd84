//! Starts, runs and stops the server.

use std::{
    future::Future,
    io,
    net::{SocketAddr, TcpListener},
    rc::Rc,
    sync::Arc,
    time::Duration,
};

use actix_http::{HttpService, Request, error::DispatchError};
use actix_service::{ServiceFactoryExt as _, map_config};
use actix_web::{
    Error,
    dev::{AppConfig, Extensions, Server, fn_service},
    rt::net::TcpStream,
};
use rustix::event::{PollFd, PollFlags, Timespec};
use socket2::{Domain, Protocol, SockRef, Socket, Type};
use tokio::{sync::Barrier, time::error::Elapsed};

use crate::{
    app::app,
    connection::{Accepted, Connection, OpenConnections, RejectionWriter, SPARE},
    features::{self, ROUTES},
    openapi,
    page::Site,
    services::Services,
    settings::Settings,
    shared::Shared,
    tls::Tls,
};

/// When the server stops: how long accepted connections may take to send their first request.
const FIRST_REQUEST_TIMEOUT: Duration = Duration::from_secs(1);

/// When the server stops: the pause in which waiting connections are accepted and handshakes
/// complete, before the listener is closed.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The maximum number of connections that wait to be accepted.
const BACKLOG: i32 = 1024;

/// The maximum number of bytes of a response that the kernel buffers.
#[cfg(target_os = "linux")]
const MAX_UNSENT: u32 = 16 * 1024;

/// How long a connection above the limit may take to send its first request.
const OVER_LIMIT_TIMEOUT: Duration = Duration::from_secs(2);

/// How long actix waits for a connection to close. The connection itself has a shorter limit; see
/// [`Connection`].
const DISCONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// An address that is bound for this process. Connections are refused until [`BoundSocket::listen`].
pub struct BoundSocket(Socket);

impl BoundSocket {
    /// The address, with the actual port if port 0 was bound.
    ///
    /// # Errors
    /// When the system does not return it.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        let Self(socket) = self;
        let address = socket.local_addr()?.as_socket();
        address.ok_or_else(|| io::ErrorKind::AddrNotAvailable.into())
    }

    /// Starts to listen. New connections wait to be accepted.
    ///
    /// # Errors
    /// When another process listens on the address.
    pub fn listen(self) -> io::Result<TcpListener> {
        let Self(socket) = self;
        socket.listen(BACKLOG)?;
        Ok(socket.into())
    }
}

/// Binds the address; port 0 chooses a free one.
///
/// # Errors
/// When the address is in use or does not belong to this machine.
pub fn bind(settings: &Settings) -> io::Result<BoundSocket> {
    let address = settings.listen;
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // A restarted server must not wait for the connections of the previous one.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    // TCP_USER_TIMEOUT is not set: with a small receive window its timer also runs while the client
    // reads, which disconnects slow clients. `Pace` limits clients instead.
    //
    // The kernel reports free space at once, instead of when a third of a large buffer is free:
    // otherwise a slow client would look like a stuck one.
    #[cfg(target_os = "linux")]
    socket.set_tcp_notsent_lowat(MAX_UNSENT)?;
    socket.bind(&SocketAddr::into(address))?;
    Ok(BoundSocket(socket))
}

/// Serves the API and the pages of `site`, with TLS if `tls` is given, until `shutdown`
/// completes. From then on readiness fails, and every response closes its connection. After
/// [`Settings::drain`] no new connection is accepted, idle ones are closed, and requests in
/// flight have the request timeout to finish.
///
/// # Errors
/// When the listener fails.
pub async fn serve(
    listener: TcpListener,
    settings: Settings,
    services: Services,
    site: Option<Site>,
    tls: Option<Arc<Tls>>,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let table = features::table(site.as_ref());
    let description = openapi::describe(&table, features::parts(), &settings)?;
    let shared = Shared::new(services, settings.clone(), table.patterns(), description, site)?;
    // The workers meet here again and again, and the server when it stops.
    let turns = Arc::new(Barrier::new(settings.workers.saturating_add(1)));
    let stopped = {
        let (health, connections) =
            (Arc::clone(&shared.health), Arc::clone(&shared.load.connections));
        let (drain, timeout) = (settings.drain, settings.request_timeout);
        let (listener, turns) = (listener.try_clone()?, Arc::clone(&turns));
        async move {
            shutdown.await;
            health.stop();
            tokio::time::sleep(drain).await;
            tracing::info!(
                "stopping: requests in flight have {} s to finish, no connection is accepted",
                timeout.as_secs()
            );
            finish_accepting(&listener, &connections, &turns).await;
        }
    };
    let Settings { workers, keep_alive, request_timeout, connections, .. } = settings;
    let server = Server::build()
        .workers(workers)
        // One worker may get all connections, including the spare ones, and one more: further
        // connections are accepted and reset, so that they do not wait in the backlog.
        .max_concurrent_connections(connections.saturating_add(SPARE).saturating_add(1))
        .shutdown_timeout(request_timeout.as_secs().max(1))
        .disable_signals()
        .shutdown_signal(stopped);
    let stopping = server.graceful_shutdown_signal();
    // The same as `HttpServer`, with our own connections.
    let service = move || {
        let (stopping, handshakes_stop) = (stopping.clone(), stopping.clone());
        let acceptor = tls.as_ref().map(|tls| tls.acceptor());
        let Shared { services, metrics, load, .. } = &shared;
        let rejection_writer = Rc::new(RejectionWriter {
            clock: Arc::clone(&services.clock),
            ids: Arc::clone(&services.ids),
            metrics: Arc::clone(metrics),
        });
        let turns = Arc::clone(&turns);
        actix_web::rt::spawn(async move {
            loop {
                turns.wait().await;
            }
        });
        let open = Arc::clone(&load.connections);
        let http = HttpService::build()
            .keep_alive(keep_alive)
            // A client that closes its sending half counts as disconnected: its request is dropped.
            .h1_allow_half_closed(false)
            // The connection limits the time of every head, not only of the first.
            .client_request_timeout(Duration::ZERO)
            .client_disconnect_timeout(DISCONNECT_TIMEOUT)
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            .expect(fn_service(wait_for_earlier_responses))
            .on_connect_ext(|connection: &Connection, data: &mut Extensions| {
                data.insert(connection.activity());
            })
            .h1(map_config(app(&shared, ROUTES), |()| AppConfig::default()));
        fn_service(move |stream: TcpStream| {
            let accepted = accept(stream, request_timeout, &open, &rejection_writer);
            let (acceptor, stopping) = (acceptor.clone(), handshakes_stop.clone());
            async move {
                let accepted = accepted.map_err(DispatchError::Io)?;
                let connection = match acceptor {
                    None => accepted.plain(),
                    // In a box: otherwise connections without TLS would hold the space of the
                    // handshake too.
                    Some(acceptor) => {
                        let secured = accepted.secure(acceptor, stopping.notified());
                        Box::pin(secured).await.map_err(DispatchError::Io)?
                    }
                };
                let peer = connection.peer();
                Ok((connection, peer))
            }
        })
        .and_then(http)
    };
    server.listen("patrol", listener, service)?.run().await
}

/// Accepts a connection.
fn accept(
    stream: TcpStream,
    head_timeout: Duration,
    connections: &Arc<OpenConnections>,
    rejection_writer: &Rc<RejectionWriter>,
) -> io::Result<Accepted> {
    let Some(open) = connections.admit() else {
        // A reset leaves no state in the system.
        SockRef::from(&stream).set_linger(Some(Duration::ZERO))?;
        return Err(io::ErrorKind::QuotaExceeded.into());
    };
    // Otherwise small responses wait for the acknowledgement of the previous one. An error means
    // that the connection is already gone.
    stream.set_nodelay(true)?;
    let head_timeout =
        if open.is_over_limit() { head_timeout.min(OVER_LIMIT_TIMEOUT) } else { head_timeout };
    Ok(Accepted::new(stream, head_timeout, open, Rc::clone(rejection_writer)))
}

/// Delays the `100 Continue` line of actix until earlier responses are written. So the line is at
/// the start of a write, where [`Connection`] recognises and drops it; the connection sends its
/// own line when the body is read.
async fn wait_for_earlier_responses(request: Request) -> Result<Request, Error> {
    tokio::task::yield_now().await;
    Ok(request)
}

/// Refuses new connections, and waits until those that came before have sent their first request,
/// so that no request is lost when the listener is closed.
///
/// actix drops connections that no worker has taken over when it stops. A busy worker takes them
/// over when it has run its tasks, of which one is at the `turns`.
async fn finish_accepting(listener: &TcpListener, connections: &OpenConnections, turns: &Barrier) {
    if let Err(error) = ignore_new_connections(listener) {
        tracing::debug!(%error, "connections that arrive while the listener closes may be reset");
    }
    let finished = async {
        loop {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            if has_waiting_connections(listener) {
                continue;
            }
            // The first may end with what the workers did before.
            turns.wait().await;
            turns.wait().await;
            if connections.unserved() == 0 {
                return;
            }
        }
    };
    // A connection without a request by then is not waited for.
    let _: Result<(), Elapsed> = tokio::time::timeout(FIRST_REQUEST_TIMEOUT, finished).await;
}

/// Whether connections were made that the server has not accepted yet.
fn has_waiting_connections(listener: &TcpListener) -> bool {
    let mut listeners = [PollFd::new(listener, PollFlags::IN)];
    rustix::event::poll(&mut listeners, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
}

/// Makes the system ignore new handshakes for this listener; started ones complete. Closing a
/// listener would reset the connections that wait to be accepted.
#[cfg(target_os = "linux")]
fn ignore_new_connections(listener: &TcpListener) -> io::Result<()> {
    use socket2::SockFilter;

    /// The index of the flags in a TCP header.
    const FLAGS: u32 = 13;
    const SYN: u32 = 0x02;
    const ACK: u32 = 0x10;
    // A classic packet filter: drop packets with SYN and without ACK, and accept all others.
    SockRef::from(listener).attach_filter(&[
        SockFilter::new(0x30, 0, 0, FLAGS),
        SockFilter::new(0x54, 0, 0, SYN | ACK),
        SockFilter::new(0x15, 0, 1, SYN),
        SockFilter::new(0x06, 0, 0, 0),
        SockFilter::new(0x06, 0, 0, u32::MAX),
    ])
}

#[cfg(not(target_os = "linux"))]
fn ignore_new_connections(_: &TcpListener) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
