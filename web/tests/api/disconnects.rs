//! Clients that disconnect at any moment.

use crate::support::disconnect::thousand_clients;
use crate::support::http::metric;
use crate::support::{Server, wait_until};

#[test]
fn a_thousand_disconnecting_clients_leave_no_search_running() {
    let server = Server::start();
    thousand_clients(server.address);
    let of = |name| metric(server.address, name);
    wait_until("no search runs or is queued", || {
        of("saavedra_searches_running") == 0.0 && of("saavedra_queue_length") == 0.0
    });
    assert!(of("saavedra_searches_cancelled_total") >= 1.0);
    // The request for the metrics is itself a connection.
    wait_until("no other connection is open", || of("saavedra_connections") <= 1.0);
}
