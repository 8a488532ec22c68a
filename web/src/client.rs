//! Identifies clients, so that they share the engines fairly.

use crate::app::App;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName};
use axum::middleware::Next;
use axum::response::Response;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// The addresses of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConnectionInfo {
    /// The address of the client or of the proxy.
    pub peer: SocketAddr,
    /// The address of the service.
    pub local: SocketAddr,
}

/// A client: an IPv4 address or a /64 IPv6 network, the smallest that a provider assigns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ClientId(IpAddr);

impl From<IpAddr> for ClientId {
    fn from(address: IpAddr) -> ClientId {
        ClientId(match address.to_canonical() {
            IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64).into(),
            v4 => v4,
        })
    }
}

/// Adds the [`ClientId`] to the request: the address of the connection or, behind a proxy, the one in
/// the header `--client-header`.
pub async fn identify(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let peer = request
        .extensions()
        .get::<ConnectionInfo>()
        .map_or(Ipv6Addr::UNSPECIFIED.into(), |info| info.peer.ip());
    let header = app.config.client_header.as_ref();
    let forwarded = header.and_then(|name| forwarded_address(request.headers(), name));
    let client = ClientId::from(forwarded.unwrap_or(peer));
    request.extensions_mut().insert(client);
    next.run(request).await
}

/// The last address in a header such as `X-Forwarded-For`: the one that the proxy itself has added.
fn forwarded_address(headers: &HeaderMap, name: &HeaderName) -> Option<IpAddr> {
    let value = headers.get_all(name).iter().next_back()?.to_str().ok()?;
    let last = value.rsplit(',').next()?.trim();
    last.parse().or_else(|_| last.parse::<SocketAddr>().map(|address| address.ip())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ipv6_clients_are_networks() {
        let client = |text: &str| ClientId::from(text.parse::<IpAddr>().expect("an address"));
        assert_eq!(client("2001:db8::1"), client("2001:db8::ffff:1"));
        assert_ne!(client("2001:db8::1"), client("2001:db8:0:1::1"));
        assert_eq!(client("::ffff:10.0.0.1"), client("10.0.0.1"));
        assert_ne!(client("10.0.0.1"), client("10.0.0.2"));
    }

    #[test]
    fn the_last_forwarded_address_counts() {
        let name = HeaderName::from_static("x-forwarded-for");
        let mut headers = HeaderMap::new();
        let mut address = |value: &'static str| {
            headers.insert(&name, value.parse().expect("a header"));
            forwarded_address(&headers, &name).map(|ip| ip.to_string())
        };
        assert_eq!(address("10.9.9.9, 10.0.0.1").as_deref(), Some("10.0.0.1"));
        assert_eq!(address("10.0.0.1:443").as_deref(), Some("10.0.0.1"));
        assert_eq!(address("unknown"), None);
    }
}
