//! A minimal HTTP/1.1 client that can also send malformed requests.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Read timeout: ten times the time of the slowest response.
const LIVENESS: Duration = Duration::from_secs(60);

/// A response.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        match serde_json::from_str(&self.body) {
            Ok(value) => value,
            Err(error) => panic!("{error} in {self:?}"),
        }
    }

    /// The body of an error response; checks its content type and status.
    #[track_caller]
    pub fn problem(&self) -> Value {
        let content_type = self.header("content-type");
        assert_eq!(content_type, Some("application/problem+json"), "{self:?}");
        let problem = self.json();
        assert_eq!(problem["status"], self.status, "{problem}");
        problem
    }
}

/// A client connection.
pub struct Connection {
    pub stream: TcpStream,
    reader: BufReader<TcpStream>,
}

impl Connection {
    pub fn open(address: SocketAddr) -> Connection {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_read_timeout(Some(LIVENESS)).expect("a timeout can be set");
        stream.set_nodelay(true).expect("no delay can be set");
        let reader = BufReader::new(stream.try_clone().expect("a stream can be cloned"));
        Connection { stream, reader }
    }

    /// Sends bytes. Returns false if the server has closed the connection.
    pub fn send(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    /// Sends the head of a request.
    pub fn head(&mut self, method: &str, path: &str, headers: &[(&str, &str)]) {
        let host =
            self.stream.peer_addr().map_or_else(|_| "gone".to_owned(), |host| host.to_string());
        let mut text = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n");
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        self.send(format!("{text}\r\n").as_bytes());
    }

    /// Reads a response; `None` if the connection closes first.
    pub fn response(&mut self) -> Option<Response> {
        let (status, headers) = self.response_head()?;
        let header = |name: &str| {
            headers
                .iter()
                .find(|(known, _)| known.eq_ignore_ascii_case(name))
                .map(|(_, v)| v.clone())
        };
        let length = header("content-length").and_then(|text| text.parse::<usize>().ok());
        let mut body = Vec::new();
        if header("transfer-encoding").as_deref() == Some("chunked") {
            while let Some(chunk) = self.chunk() {
                body.extend(chunk);
            }
        } else if let Some(length) = length {
            body.resize(length, 0);
            self.reader.read_exact(&mut body).ok()?;
        } else if status != 204 && status != 304 {
            self.reader.read_to_end(&mut body).ok()?;
        }
        let body = String::from_utf8(body).expect("responses are UTF-8");
        Some(Response { status, headers, body })
    }

    /// Reads the head of a response.
    pub fn response_head(&mut self) -> Option<(u16, Vec<(String, String)>)> {
        let status = self.line()?.split(' ').nth(1)?.parse().ok()?;
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else {
                break;
            };
            headers.push((name.to_owned(), value.trim().to_owned()));
        }
        Some((status, headers))
    }

    /// Reads a chunk of a body; `None` at its end.
    pub fn chunk(&mut self) -> Option<Vec<u8>> {
        let length = usize::from_str_radix(self.line()?.trim(), 16).ok()?;
        let mut bytes = vec![0; length];
        self.reader.read_exact(&mut bytes).ok()?;
        self.line()?;
        (length > 0).then_some(bytes)
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.reader.read_line(&mut line).ok()?;
        (read > 0).then(|| line.trim_end().to_owned())
    }
}

/// Sends one request and reads the response.
#[track_caller]
pub fn request(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Response {
    let mut connection = Connection::open(address);
    let length = body.len().to_string();
    let mut all = vec![("Connection", "close"), ("Content-Length", length.as_str())];
    all.extend(headers);
    connection.head(method, path, &all);
    connection.send(body);
    let response = connection.response();
    response.unwrap_or_else(|| panic!("no response to {method} {path}"))
}

/// GET.
#[track_caller]
pub fn get(address: SocketAddr, path: &str) -> Response {
    request(address, "GET", path, &[], b"")
}

/// POST with a JSON body.
#[track_caller]
pub fn post(address: SocketAddr, path: &str, body: &Value) -> Response {
    let headers = [("Content-Type", "application/json")];
    request(address, "POST", path, &headers, body.to_string().as_bytes())
}

/// POST with a body of this content type.
#[track_caller]
pub fn post_as(address: SocketAddr, path: &str, content_type: &str, body: &[u8]) -> Response {
    request(address, "POST", path, &[("Content-Type", content_type)], body)
}

/// The value of a metric.
#[track_caller]
pub fn metric(address: SocketAddr, name: &str) -> f64 {
    let text = get(address, "/metrics").body;
    let line = text.lines().find(|line| line.split(' ').next() == Some(name));
    let value = line.and_then(|line| line.rsplit(' ').next()?.parse().ok());
    value.unwrap_or_else(|| panic!("no metric {name} in:\n{text}"))
}
