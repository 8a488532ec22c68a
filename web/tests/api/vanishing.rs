//! Clients that go away at any moment.

use crate::support::http::metric;
use crate::support::vanish::thousand;
use crate::support::{Server, eventually};

#[test]
fn a_thousand_clients_that_vanish_leave_no_search_running() {
    let server = Server::start();
    thousand(server.address);
    let of = |name| metric(server.address, name);
    eventually("nothing runs or waits", || {
        of("saavedra_searches_running") == 0.0 && of("saavedra_queue_length") == 0.0
    });
    assert!(of("saavedra_searches_cancelled_total") >= 1.0);
    // The one that asks is open itself.
    eventually("no connection is left", || {
        of("saavedra_connections") <= 1.0
    });
}
