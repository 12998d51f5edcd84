//! Forms with files (RFC 7578), byte by byte.

/// What stands between the parts; no picture of the tests holds it.
const BOUNDARY: &str = "patrol-7MA4YWxkTrZu0gW";

/// A form.
#[derive(Clone, Debug, Default)]
pub struct Form {
    parts: Vec<u8>,
}

impl Form {
    /// This form, with a file more that says little of itself.
    #[must_use]
    pub fn file(self, name: &str, content: &[u8]) -> Self {
        self.declared(name, "picture.bin", "application/octet-stream", content)
    }

    /// This form, with a file more that says this of itself.
    #[must_use]
    pub fn declared(self, name: &str, file: &str, kind: &str, content: &[u8]) -> Self {
        let head = format!("form-data; name=\"{name}\"; filename=\"{file}\"");
        self.part(&format!("{head}\r\nContent-Type: {kind}"), content)
    }

    /// This form, with a field more.
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

    /// What the header says of it.
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
