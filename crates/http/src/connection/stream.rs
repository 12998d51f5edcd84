//! The bytes of a connection, with or without TLS.

use std::{
    io, mem,
    pin::Pin,
    task::{Context, Poll, ready},
};

use actix_web::rt::net::TcpStream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::server::TlsStream;

/// The stream of a connection. An enum, because a read or a write without TLS should cost no more
/// than one of TCP.
pub(super) enum Stream {
    Plain(CountingStream),
    Tls(Box<TlsStream<CountingStream>>),
}

impl Stream {
    /// The TCP stream.
    pub(super) fn tcp(&self) -> &TcpStream {
        match self {
            Self::Plain(counted) => &counted.tcp,
            Self::Tls(tls) => &tls.get_ref().0.tcp,
        }
    }

    /// The number of bytes that the kernel has accepted since the last call. With TLS that is not
    /// the number that a write returns, because TLS has a buffer of its own.
    pub(super) fn take_accepted(&mut self) -> usize {
        let counted = match self {
            Self::Plain(counted) => counted,
            Self::Tls(tls) => tls.get_mut().0,
        };
        mem::take(&mut counted.accepted)
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(counted) => Pin::new(counted).poll_read(context, buffer),
            Self::Tls(tls) => match ready!(Pin::new(tls).poll_read(context, buffer)) {
                // Many clients close the connection without the TLS message that announces this.
                // HTTP itself tells whether a request is complete.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Poll::Ready(Ok(())),
                read => Poll::Ready(read),
            },
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(counted) => Pin::new(counted).poll_write(context, bytes),
            Self::Tls(tls) => Pin::new(tls).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(counted) => Pin::new(counted).poll_flush(context),
            Self::Tls(tls) => Pin::new(tls).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(counted) => Pin::new(counted).poll_shutdown(context),
            Self::Tls(tls) => Pin::new(tls).poll_shutdown(context),
        }
    }
}

/// A TCP stream that counts the bytes that the kernel accepts.
pub(super) struct CountingStream {
    tcp: TcpStream,
    accepted: usize,
}

impl CountingStream {
    pub(super) const fn new(tcp: TcpStream) -> Self {
        Self { tcp, accepted: 0 }
    }
}

impl AsyncRead for CountingStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().tcp).poll_read(context, buffer)
    }
}

impl AsyncWrite for CountingStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let Self { tcp, accepted } = self.get_mut();
        let written = ready!(Pin::new(tcp).poll_write(context, bytes))?;
        *accepted = accepted.saturating_add(written);
        Poll::Ready(Ok(written))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().tcp).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().tcp).poll_shutdown(context)
    }
}
