//! The program as a child process, with the real engine.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus, Stdio};

/// A running `saavedra-web`; killed when dropped.
pub struct Program {
    child: Child,
    pub address: SocketAddr,
}

impl Program {
    /// Starts on a free port with two engines.
    pub fn start() -> Program {
        Program::with(&[])
    }

    /// Starts with these arguments.
    pub fn with(arguments: &[&str]) -> Program {
        let default = ["--listen", "127.0.0.1:0", "--workers", "2", "--log-level", "error"];
        Program::with_variables(&[], &[&default, arguments].concat())
    }

    /// Starts with these environment variables and no other arguments than these.
    pub fn with_variables(variables: &[(&str, &str)], arguments: &[&str]) -> Program {
        let mut child = Command::new(env!("CARGO_BIN_EXE_saavedra-web"))
            .args(arguments)
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("an output");
        BufReader::new(out).read_line(&mut line).expect("a first line");
        let address = line.trim().strip_prefix("listening on http://").expect("its address");
        let address = address.parse().expect("an address and port");
        Program { child, address }
    }

    /// Starts with two engines at an address that is free again.
    pub fn at(address: SocketAddr) -> Program {
        let address = address.to_string();
        let arguments = ["--listen", &address, "--workers", "2", "--log-level", "error"];
        Program::with_variables(&[], &arguments)
    }

    /// Kills the program and waits for its end.
    pub fn end(&mut self) {
        self.child.kill().expect("it can be killed");
        self.wait();
    }

    /// Sends SIGTERM.
    pub fn terminate(&self) {
        self.signal("TERM");
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        // A shell has `kill`; the program of that name is not everywhere.
        let kill = format!("kill -s {name} {}", self.child.id());
        let sent = Command::new("sh").args(["-c", &kill]).status();
        assert!(sent.is_ok_and(|status| status.success()));
    }

    /// Waits for the program to end.
    pub fn wait(&mut self) -> ExitStatus {
        self.child.wait().expect("the program ends")
    }

    /// Kills the program and returns its log.
    pub fn kill(mut self) -> String {
        let mut log = String::new();
        let errors = self.child.stderr.take();
        self.child.kill().expect("it can be killed");
        errors.expect("a log").read_to_string(&mut log).expect("a log in UTF-8");
        log
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
