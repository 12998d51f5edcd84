//! Connections before their first request, and the TLS handshake.

use std::{future::Future, future::poll_fn, io, rc::Rc, time::Duration};

use actix_web::rt::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsAcceptor;

use super::{
    Connection, OpenConnection, RejectReason, RejectionWriter,
    start::Start,
    stream::{CountingStream, Stream},
};

/// A connection that was accepted. It counts as open, and as waiting for its first request.
pub(crate) struct Accepted {
    stream: TcpStream,
    start: Start,
}

/// How a handshake ended.
enum Handshake {
    Done(Stream),
    /// The client speaks HTTP without TLS.
    Plain(TcpStream),
    /// The client closed without sending a byte, like a load balancer that only checks the port.
    Silent,
}

impl Accepted {
    /// A connection whose first request, with the TLS handshake before it, may take up to
    /// `head_timeout` from now on.
    pub(crate) fn new(
        stream: TcpStream,
        head_timeout: Duration,
        open: OpenConnection,
        rejection_writer: Rc<RejectionWriter>,
    ) -> Self {
        let start = Start {
            peer: stream.peer_addr().ok(),
            since: Instant::now(),
            head_timeout,
            open,
            rejection_writer,
        };
        Self { stream, start }
    }

    /// The connection without TLS.
    pub(crate) fn plain(self) -> Connection {
        Connection::new(Stream::Plain(CountingStream::new(self.stream)), self.start)
    }

    /// The connection after its handshake.
    ///
    /// # Errors
    /// Logged: the handshake fails or takes too long, or the client speaks HTTP without TLS. Not
    /// logged: the client closes without sending a byte, or `stopped` completes first, or others need the place.
    pub(crate) async fn secure(
        self,
        acceptor: TlsAcceptor,
        stopped: impl Future<Output = ()>,
    ) -> io::Result<Connection> {
        let Self { stream, start } = self;
        let deadline = start.since + start.head_timeout;
        let handshake = tokio::select! {
            handshake = timeout_at(deadline, accept_tls(stream, acceptor)) => handshake,
            () = stopped => return Err(io::ErrorKind::ConnectionAborted.into()),
            () = poll_fn(|context| start.open.place().poll_evicted(context)) => {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
        };
        let error = match handshake {
            Ok(Ok(Handshake::Done(stream))) => return Ok(Connection::new(stream, start)),
            Ok(Ok(Handshake::Silent)) => return Err(io::ErrorKind::ConnectionAborted.into()),
            Ok(Ok(Handshake::Plain(stream))) => {
                let stream = Stream::Plain(CountingStream::new(stream));
                let mut connection = Connection::new(stream, start);
                connection.refuse(RejectReason::WithoutTls);
                poll_fn(|context| connection.poll_close(context)).await?;
                return Err(io::ErrorKind::InvalidData.into());
            }
            Ok(Err(error)) => error,
            Err(_) => io::ErrorKind::TimedOut.into(),
        };
        tracing::info!(
            peer = start.peer.map(tracing::field::display),
            reason = "the TLS handshake failed",
            %error,
            "refused"
        );
        Err(error)
    }
}

/// Completes the handshake of a client that speaks TLS.
async fn accept_tls(stream: TcpStream, acceptor: TlsAcceptor) -> io::Result<Handshake> {
    let mut first = [0];
    let [first] = match stream.peek(&mut first).await? {
        0 => return Ok(Handshake::Silent),
        _ => first,
    };
    // An HTTP request starts with the upper-case letter of its method; a TLS record starts with a byte
    // below 32.
    if first.is_ascii_uppercase() {
        return Ok(Handshake::Plain(stream));
    }
    let tls = acceptor.accept(CountingStream::new(stream)).await?;
    Ok(Handshake::Done(Stream::Tls(Box::new(tls))))
}
