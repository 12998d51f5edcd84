//! Raw requests, for bytes that no correct client sends.

use std::{
    io::{self, Read, Write},
    net::{Shutdown, TcpStream},
    sync::Arc,
    time::Duration,
};

use rustls::{ClientConfig, ClientConnection, StreamOwned, pki_types::ServerName};

/// A connection.
#[derive(Debug)]
pub struct Wire {
    stream: Stream,
}

#[derive(Debug)]
enum Stream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Stream {
    fn tcp(&self) -> &TcpStream {
        match self {
            Self::Plain(stream) => stream,
            Self::Tls(stream) => &stream.sock,
        }
    }

    fn io(&mut self) -> &mut dyn ReadWrite {
        match self {
            Self::Plain(stream) => stream,
            Self::Tls(stream) => stream,
        }
    }
}

trait ReadWrite: Read + Write {}

impl<T: Read + Write> ReadWrite for T {}

impl Wire {
    /// Connects to a server.
    #[must_use]
    pub fn connect(address: &str) -> Self {
        Self::try_connect(address).expect("the server takes connections")
    }

    /// Connects to a server that may reset the connection at once.
    ///
    /// # Errors
    /// When the connection is refused, or reset before the call returns.
    pub fn try_connect(address: &str) -> io::Result<Self> {
        Ok(Self { stream: Stream::Plain(connect(address)?) })
    }

    /// Connects to a server, and completes the handshake of TLS.
    ///
    /// # Errors
    /// When the connection or the handshake fails.
    ///
    /// # Panics
    /// When the configuration is unusable.
    pub fn try_secure(address: &str, config: &Arc<ClientConfig>) -> io::Result<Self> {
        let server = ServerName::try_from("127.0.0.1").expect("an address");
        let client = ClientConnection::new(Arc::clone(config), server).expect("a connection");
        let mut stream = StreamOwned::new(client, connect(address)?);
        while stream.conn.is_handshaking() {
            stream.conn.complete_io(&mut stream.sock)?;
        }
        Ok(Self { stream: Stream::Tls(Box::new(stream)) })
    }

    /// The certificate of the server, as DER, and the protocol that it chose (ALPN).
    ///
    /// # Panics
    /// When the connection has no TLS.
    #[must_use]
    pub fn tls(&self) -> (Vec<u8>, Option<String>) {
        let Stream::Tls(stream) = &self.stream else { panic!("a connection without TLS") };
        let chain = stream.conn.peer_certificates().expect("a certificate");
        let protocol = stream.conn.alpn_protocol();
        let protocol = protocol.map(|name| String::from_utf8_lossy(name).into_owned());
        (chain.first().expect("a certificate").to_vec(), protocol)
    }

    /// Sends bytes. Errors are ignored, because the server may have closed the connection.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let stream = self.stream.io();
        drop(stream.write_all(bytes.as_ref()).and_then(|()| stream.flush()));
    }

    /// Closes the sending half.
    pub fn finish(&mut self) {
        drop(self.stream.tcp().shutdown(Shutdown::Write));
    }

    /// Reads up to `most` bytes; an empty result at the end of the connection.
    ///
    /// # Errors
    /// When the connection is reset.
    pub fn read(&mut self, most: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; most];
        let read = self.stream.io().read(&mut bytes)?;
        bytes.truncate(read);
        Ok(bytes)
    }

    /// Reads until the server closes the connection.
    ///
    /// # Errors
    /// When the connection is reset.
    pub fn read_to_end(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.stream.io().read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads until the server closes or resets the connection, or sends nothing for `patience`.
    pub fn read_to_end_within(&mut self, patience: Duration) -> Vec<u8> {
        self.stream.tcp().set_read_timeout(Some(patience)).expect("a time limit");
        let mut bytes = Vec::new();
        while let Ok(more) = self.read(64 * 1024)
            && !more.is_empty()
        {
            bytes.extend(more);
        }
        bytes
    }

    /// Reads the head of a response, including the empty line.
    #[must_use]
    pub fn read_head(&mut self) -> String {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let byte = self.read(1).expect("the server answers");
            assert!(!byte.is_empty(), "hung up after {}", String::from_utf8_lossy(&head));
            head.extend(byte);
        }
        String::from_utf8(head).expect("a head is ASCII")
    }

    /// Reads the head of a response and returns its status.
    #[must_use]
    pub fn read_status(&mut self) -> u16 {
        let head = self.read_head();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        status.unwrap_or_else(|| panic!("no status in {head}"))
    }
}

fn connect(address: &str) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}
