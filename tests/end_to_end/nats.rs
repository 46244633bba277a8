//! A fleet on this machine: a NATS server of the test's own, workers, a coordinator, and a client that takes pairs
//! and does not do what it should. Everything belongs to a [`Place`] and goes with it. Start at [`Server`].

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::{self, AckKind, Message};
use rustix::process::Signal;
use serde_json::Value;
use tokio_stream::StreamExt as _;

use crate::world::{CHUHE, Place, Said, send, wait_until};

/// How long the server may take to be there.
const PATIENCE: Duration = Duration::from_secs(20);

fn marked(place: &Place, program: &Path) -> Command {
    let mut command = Command::new(program);
    let dir = place.path("x").parent().unwrap().to_owned();
    command.env("CHUHE_TEST_PLACE", &dir).current_dir(&dir).stdin(Stdio::null());
    command
}

/// A NATS server with JetStream.
pub struct Server<'a> {
    place: &'a Place,
    program: PathBuf,
    port: u16,
    child: Option<Child>,
    config: Option<PathBuf>,
}

impl<'a> Server<'a> {
    pub fn start(place: &'a Place, program: PathBuf) -> Server<'a> {
        Server::with(place, program, None)
    }

    /// A server with a config file of its own; its port is set over it.
    pub fn with(place: &'a Place, program: PathBuf, config: Option<PathBuf>) -> Server<'a> {
        let port = free_port();
        let mut server = Server { place, program, port, child: None, config };
        server.revive();
        server
    }

    pub fn revive(&mut self) {
        let mut command = marked(self.place, &self.program);
        command.args(["-a", "127.0.0.1", "-p", &self.port.to_string()]);
        match &self.config {
            Some(config) => command.arg("-c").arg(config),
            None => command.args(["-js", "-sd", "jetstream"]),
        };
        self.child = Some(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        let there = wait_until(PATIENCE, || TcpStream::connect(("127.0.0.1", self.port)).is_ok());
        assert!(there, "the server does not listen");
    }

    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// The address for a user.
    pub fn url_of(&self, user: &str, password: &str) -> String {
        format!("nats://{user}:{password}@127.0.0.1:{}", self.port)
    }

    /// `chuhe fleet status`.
    pub fn status(&self) -> String {
        self.place.chuhe(&["fleet", "status", "--fleet", &self.url()]).expect(0).stdout.clone()
    }
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        self.kill();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A worker.
pub struct Worker {
    child: Child,
    log: PathBuf,
}

impl Worker {
    pub fn start(place: &Place, url: &str, name: &str, more: &[&str]) -> Worker {
        let log = place.path(&format!("{name}.log"));
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&log).unwrap();
        let mut command = marked(place, Path::new(CHUHE));
        command
            .args(["worker", "--fleet", url, "--name", name])
            .args(more)
            .arg("--cache")
            .arg(place.path("cache"));
        let child = command.stdout(Stdio::null()).stderr(file).spawn().unwrap();
        Worker { child, log }
    }

    pub fn send(&self, signal: Signal) {
        send(self.child.id(), signal);
    }

    pub fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Ctrl-C and the exit code.
    pub fn stop(mut self) -> Option<i32> {
        self.send(Signal::INT);
        self.child.wait().unwrap().code()
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    pub fn waits_to_say(&self, word: &str) {
        let said = wait_until(PATIENCE, || self.log().contains(word));
        assert!(said, "'{word}' is not said: {}", self.log());
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a coordinator into [`Place::out`] and does not wait for it.
pub fn coordinate(place: &Place, config: &Value, url: &str, more: &[&str]) -> Child {
    let config = place.write("fleet.json", &config.to_string());
    let mut command = marked(place, Path::new(CHUHE));
    command.arg("run").arg(config).arg("--out").arg(place.out()).args(["--fleet", url]).args(more);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Goes on with the run in [`Place::out`].
pub fn go_on(place: &Place, url: &str, more: &[&str]) -> Child {
    let mut command = marked(place, Path::new(CHUHE));
    command.arg("resume").arg(place.out()).args(["--fleet", url]).args(more);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits for a coordinator's end, with a limit.
pub fn end(mut child: Child, limit: Duration) -> Said {
    let ended = wait_until(limit, || child.try_wait().unwrap().is_some());
    if !ended {
        let _ = child.kill();
    }
    let said = Said::from(child.wait_with_output().unwrap());
    assert!(ended, "the coordinator did not end within {limit:?}: {said:#?}");
    said
}

/// A client that speaks to the server as a worker does, and does not do what a worker should.
pub struct Rogue {
    runtime: tokio::runtime::Runtime,
    js: jetstream::Context,
    consumer: PullConsumer,
    run: String,
}

impl Rogue {
    /// Joins the run `publisher.name`.
    pub fn join(server: &Server<'_>, run: &str) -> Rogue {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (js, consumer) = runtime.block_on(async {
            let js = jetstream::new(async_nats::connect(server.url()).await.unwrap());
            let consumer = js.get_consumer_from_stream(run.replace('.', "_"), "XQ_WORK").await.unwrap();
            (js, consumer)
        });
        Rogue { runtime, js, consumer, run: run.to_owned() }
    }

    /// Takes a pair.
    pub fn take(&self, patience: Duration) -> Option<Message> {
        self.runtime.block_on(async {
            let fetch = self.consumer.fetch().max_messages(1).expires(patience);
            fetch.messages().await.unwrap().next().await.map(Result::unwrap)
        })
    }

    /// How many pairs are with workers.
    pub fn held(&self) -> usize {
        self.runtime.block_on(async { self.consumer.get_info().await.unwrap().num_ack_pending })
    }

    /// How many of those are played: the result of the others is stored, and the server was not told.
    pub fn played(&self) -> usize {
        let (work, results) = (self.subjects("XQ_WORK", "work"), self.subjects("XQ_RESULT", "result"));
        let told = |subject: &&String| results.contains(&subject.replacen("xq.work", "xq.result", 1));
        self.held().saturating_sub(work.iter().filter(told).count())
    }

    fn subjects(&self, stream: &str, kind: &str) -> Vec<String> {
        let filter = format!("xq.{kind}.{}.*", self.run);
        self.runtime.block_on(async {
            let stream = self.js.get_stream(stream).await.unwrap();
            let info = stream.info_with_subjects(filter).await.unwrap();
            info.map(|entry| entry.unwrap().0).collect().await
        })
    }

    /// The subject under which the result of a pair is stored.
    pub fn result_of(message: &Message) -> String {
        message.subject.replacen("xq.work", "xq.result", 1)
    }

    pub fn result(&self, token: &str) -> String {
        format!("xq.result.{}.{token}", self.run)
    }

    /// Stores bytes as a result; what the server says if it refuses them.
    pub fn store(&self, subject: String, bytes: Vec<u8>, politely: bool) -> Result<(), String> {
        self.runtime.block_on(async {
            let message = PublishMessage::build().payload(bytes.into());
            let message = if politely { message.expected_last_subject_sequence(0) } else { message };
            let sent = self.js.send_publish(subject, message).await.unwrap();
            sent.await.map(drop).map_err(|error| format!("{error:?}"))
        })
    }

    pub fn acknowledge(&self, message: &Message) {
        self.runtime.block_on(message.double_ack_with(AckKind::Ack)).unwrap();
    }
}
