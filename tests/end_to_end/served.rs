//! A run or a watcher with its live page, asked by plain connections. Judges nothing. Start at [`Served`].

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::world::{Place, wait_until};

/// Longest wait for an answer.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A run or a watcher with its live page.
pub struct Served {
    pub child: Child,
    pub address: String,
    /// What it says, until its end is waited for.
    stderr: Option<BufReader<std::process::ChildStderr>>,
}

impl Served {
    /// Starts the program and reads where its page is.
    pub fn begin(place: &Place, arguments: &[&str]) -> Served {
        let mut child =
            place.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let (mut line, mut said) = (String::new(), String::new());
        while !line.contains("http://") {
            line.clear();
            let read = stderr.read_line(&mut line).unwrap();
            assert!(read > 0, "{arguments:?} named no page: {said}");
            said.push_str(&line);
        }
        let address = line.trim().rsplit("http://").next().unwrap().trim_end_matches('/').to_owned();
        Served { child, address, stderr: Some(stderr) }
    }

    pub fn run(place: &Place, config: &Value, more: &[&str]) -> Served {
        let config = place.write("config.json", &config.to_string());
        let (config, out) =
            (config.to_string_lossy().into_owned(), place.out().to_string_lossy().into_owned());
        let arguments: Vec<&str> = ["run", &config, "--out", &out, "--quiet", "--live", "0"]
            .into_iter()
            .chain(more.iter().copied())
            .collect();
        Served::begin(place, &arguments)
    }

    /// The token of the referee's desk, which is told in the next line.
    pub fn desk_token(&mut self) -> String {
        let mut line = String::new();
        self.stderr.as_mut().unwrap().read_line(&mut line).unwrap();
        let (_, token) = line.trim().split_once("/desk#").unwrap_or_else(|| panic!("no desk: {line}"));
        token.to_owned()
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends bytes and reads the whole answer.
    pub fn raw(&self, request: &[u8]) -> String {
        let mut stream = self.connect();
        // The other end may refuse before it has read everything.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    pub fn get(&self, path: &str) -> String {
        self.raw(
            format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address).as_bytes(),
        )
    }

    pub fn json(&self, path: &str) -> Value {
        let answer = self.get(path);
        assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer}");
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    /// A viewer's stream, after its head.
    pub fn events(&self, more: &str) -> BufReader<TcpStream> {
        let mut stream = self.connect();
        write!(stream, "GET /events HTTP/1.1\r\nHost: {}\r\n{more}\r\n", self.address).unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            assert!(reader.read_line(&mut line).unwrap() > 0, "no head");
        }
        reader
    }

    /// The end of a run: its exit code.
    pub fn end(self) -> Option<i32> {
        self.end_saying().0
    }

    /// The end of a run: its exit code, and what it said since its page was named.
    pub fn end_saying(mut self) -> (Option<i32>, String) {
        let mut stderr = self.stderr.take().unwrap();
        let said = std::thread::spawn(move || {
            let mut said = String::new();
            let _ = stderr.read_to_string(&mut said);
            said
        });
        let ended = wait_until(Duration::from_secs(60), || self.child.try_wait().unwrap().is_some());
        assert!(ended, "the run does not end");
        (self.child.wait().unwrap().code(), said.join().unwrap())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
