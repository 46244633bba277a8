//! What the coordinator and the server of a fleet can take: workers that play nothing at all answer every pair at
//! once. Needs `nats-server` and the built program beside this example. Start at [`main`].
//!
//! `cargo run --example fleet_throughput -- [PAIRS]`

use std::error::Error;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use async_nats::jetstream::{self, AckKind, Message, message::PublishMessage};
use chuhe::record::{GameOver, TerminationRecord};
use chuhe::runner::PROGRAM;
use chuhe::runner::fleet::message::{self, Bag, FORMAT, Slip};
use serde_json::json;
use tokio_stream::StreamExt as _;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Takers at once, each with a batch.
const TAKERS: usize = 4;
/// Pairs of a batch.
const BATCH: usize = 32;

fn main() -> Result<()> {
    let pairs: u32 = std::env::args().nth(1).map_or(Ok(2000), |word| word.parse())?;
    let dir = std::env::temp_dir().join(format!("chuhe-throughput-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;
    let chuhe = std::env::current_exe()?.parent().and_then(Path::parent).map(|dir| dir.join("chuhe"));
    let chuhe = chuhe.filter(|chuhe| chuhe.exists()).ok_or("build the program first: cargo build")?;
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let mut server = start(
        Path::new("/usr/sbin/nats-server"),
        &dir,
        &["-js", "-a", "127.0.0.1", "-p", &port.to_string(), "-sd", "js"],
    )?;
    while TcpStream::connect(("127.0.0.1", port)).is_err() {}
    std::fs::write(dir.join("config.json"), config(pairs).to_string())?;
    let url = format!("nats://127.0.0.1:{port}");
    let mut coordinator =
        start(&chuhe, &dir, &["run", "config.json", "--out", "run", "--fleet", &url, "-q"])?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let took = runtime.block_on(answer(&url, &mut coordinator));
    let code = coordinator.wait()?;
    server.kill()?;
    server.wait()?;
    let took = took?;
    println!(
        "{pairs} pairs in {:.2} s: {:.0} pairs a second; the coordinator's exit code is {code}",
        took.as_secs_f64(),
        f64::from(pairs) / took.as_secs_f64()
    );
    std::fs::remove_dir_all(&dir)?;
    Ok(())
}

fn start(program: &Path, dir: &PathBuf, words: &[&str]) -> Result<Child> {
    let mut command = Command::new(program);
    command.args(words).current_dir(dir).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command.spawn()?)
}

fn config(pairs: u32) -> serde_json::Value {
    json!({
        "entrants": [{ "name": "A", "engine": "sparring" }, { "name": "B", "engine": "sparring" }],
        "time": "nodes=100",
        "format": { "type": "pairs", "pairs": pairs },
        "openings": { "file": "@chuhe-500", "order": "shuffled" },
        "transcripts": false,
    })
}

/// Answers pairs until the coordinator has had enough. Gives the time from the first pair on.
async fn answer(url: &str, coordinator: &mut Child) -> Result<Duration> {
    let js = jetstream::new(async_nats::connect(url).await?);
    let consumer = loop {
        let names = match js.get_stream("XQ_WORK").await {
            Ok(work) => work.consumer_names().collect::<Vec<_>>().await,
            Err(_) => Vec::new(),
        };
        if let Some(Ok(name)) = names.into_iter().next() {
            break js
                .get_consumer_from_stream::<jetstream::consumer::pull::Config, _, _>(name, "XQ_WORK")
                .await?;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    let mut takers = tokio::task::JoinSet::new();
    let began = Instant::now();
    for _ in 0..TAKERS {
        let (js, consumer) = (js.clone(), consumer.clone());
        takers.spawn(async move {
            loop {
                let fetched =
                    consumer.fetch().max_messages(BATCH).expires(Duration::from_millis(100)).messages().await;
                let Ok(mut batch) = fetched else { continue };
                while let Some(Ok(message)) = batch.next().await {
                    let _ = bring(&js, &message).await;
                }
            }
        });
    }
    while coordinator.try_wait()?.is_none() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let took = began.elapsed();
    takers.shutdown().await;
    Ok(took)
}

async fn bring(js: &jetstream::Context, message: &Message) -> Result<()> {
    let slip: Slip = message::read(&message.payload)?;
    let bag = Bag {
        format: FORMAT,
        program: PROGRAM.to_owned(),
        worker: "instant".to_owned(),
        engines: vec!["built-in".to_owned(); 2],
        games: slip.games.iter().map(|seated| resigned(&slip, seated)).collect(),
        notes: Vec::new(),
        speed: None,
        scale: None,
        deliveries: 1,
        played_us: 0,
        waited_us: 0,
    };
    let subject = message.subject.replacen("xq.work", "xq.result", 1);
    let stored =
        PublishMessage::build().payload(message::write(&bag)?.into()).expected_last_subject_sequence(0);
    js.send_publish(subject, stored).await?.await?;
    message.ack_with(AckKind::Ack).await
}

/// A game in which Red resigns at once.
fn resigned(slip: &Slip, seated: &message::Seated) -> GameOver {
    let name = |index: usize| ["A", "B"][index].to_owned();
    let opening = slip.opening.as_ref();
    let moves = opening.map(|opening| opening.moves.clone()).unwrap_or_default();
    GameOver {
        game: seated.game,
        red: name(seated.red),
        black: name(seated.black),
        fen: opening.map(|opening| opening.fen.clone()).unwrap_or_default(),
        opening_plies: moves.split_ascii_whitespace().count() as u32,
        opening: opening.map(|opening| opening.name.clone()).unwrap_or_default(),
        moves,
        used_us: Vec::new(),
        members: Vec::new(),
        thoughts: Vec::new(),
        lines: Vec::new(),
        result: Some("0-1".to_owned()),
        termination: TerminationRecord {
            kind: "resigned".to_owned(),
            loser: Some("red".to_owned()),
            detail: None,
            flag_us: None,
            ruling: None,
            last_lines: Vec::new(),
        },
        left_us: [None, None],
        time_controls: ["nodes=100".to_owned(), "nodes=100".to_owned()],
        took_us: 0,
        date: String::new(),
        runner_delay_us: 0,
    }
}
