//! The program itself as a child process, with the real engine.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

/// A running `saavedra-web`; it is ended when dropped.
pub struct Program {
    pub child: Child,
    pub address: SocketAddr,
}

impl Program {
    /// On a free port, with two engines.
    pub fn start() -> Program {
        let mut child = Command::new(env!("CARGO_BIN_EXE_saavedra-web"))
            .args([
                "--listen",
                "127.0.0.1:0",
                "--workers",
                "2",
                "--log-level",
                "error",
            ])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("an output");
        BufReader::new(out)
            .read_line(&mut line)
            .expect("a first line");
        let address = line
            .trim()
            .strip_prefix("listening on http://")
            .expect("its address");
        let address = address.parse().expect("an address and port");
        Program { child, address }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
