//! Forms with files (RFC 7578), byte by byte.

/// The boundary between the parts; it occurs in no image of the tests.
const BOUNDARY: &str = "patrol-7MA4YWxkTrZu0gW";

/// A form.
#[derive(Clone, Debug, Default)]
pub struct Form {
    parts: Vec<u8>,
}

impl Form {
    /// Adds a file with a generic name and type.
    #[must_use]
    pub fn file(self, name: &str, content: &[u8]) -> Self {
        self.declared(name, "picture.bin", "application/octet-stream", content)
    }

    /// Adds a file with this name and type.
    #[must_use]
    pub fn declared(self, name: &str, file: &str, kind: &str, content: &[u8]) -> Self {
        let head = format!("form-data; name=\"{name}\"; filename=\"{file}\"");
        self.part(&format!("{head}\r\nContent-Type: {kind}"), content)
    }

    /// Adds a field.
    #[must_use]
    pub fn field(self, name: &str, value: &str) -> Self {
        self.part(&format!("form-data; name=\"{name}\""), value.as_bytes())
    }

    fn part(mut self, head: &str, content: &[u8]) -> Self {
        let head = format!("--{BOUNDARY}\r\nContent-Disposition: {head}\r\n\r\n");
        self.parts.extend(head.as_bytes());
        self.parts.extend(content);
        self.parts.extend(b"\r\n");
        self
    }

    /// The value of `Content-Type`.
    #[must_use]
    pub fn content_type(&self) -> String {
        format!("multipart/form-data; boundary={BOUNDARY}")
    }

    /// The body, whole.
    #[must_use]
    pub fn body(&self) -> Vec<u8> {
        let mut body = self.parts.clone();
        body.extend(format!("--{BOUNDARY}--\r\n").as_bytes());
        body
    }
}
