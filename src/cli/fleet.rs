//! `--fleet` of the commands that play, and `chuhe fleet`: how runs and workers at a server stand, and what an
//! operator orders. Plays nothing itself. Start at [`execute`].

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use super::Exit;
use super::run::time;
use crate::runner::fleet::message::{Notice, State};
use crate::runner::fleet::{Address, Operation, Options, RunName, Standing, operate, standings};

/// Where the server is.
#[derive(Debug, Clone, clap::Args)]
pub struct Server {
    /// NATS server with JetStream: nats://HOST[:PORT] or tls://HOST[:PORT]
    #[arg(long, value_name = "URL", value_parser = url)]
    fleet: String,
    /// Credentials file of NATS
    #[arg(long, value_name = "FILE")]
    creds: Option<PathBuf>,
    /// Certificate of the authority that signed the server's
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
}

impl Server {
    /// The address that was typed.
    pub fn address(&self) -> Address {
        Address { url: self.fleet.clone(), creds: self.creds.clone(), ca: self.ca.clone() }
    }
}

/// That a run is given to a fleet, and how.
#[derive(Debug, Clone, clap::Args)]
pub struct Fleet {
    /// Give the games to the workers at this NATS server: nats://HOST[:PORT] or tls://HOST[:PORT]
    #[arg(long, value_name = "URL", value_parser = url)]
    fleet: Option<String>,
    /// Credentials file of NATS
    #[arg(long, value_name = "FILE", requires = "fleet")]
    creds: Option<PathBuf>,
    /// Certificate of the authority that signed the server's
    #[arg(long, value_name = "FILE", requires = "fleet")]
    ca: Option<PathBuf>,
    /// The publisher's name, which workers allow or not
    #[arg(long, value_name = "NAME", default_value = "chuhe", value_parser = name, requires = "fleet")]
    publisher: String,
    /// Without a sign of life for so long a pair is given to another worker
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = lease, requires = "fleet")]
    lease: Duration,
    /// Workers scale their clocks by the speed of the first engine, measured here and there
    #[arg(long, requires = "fleet")]
    scale_clocks: bool,
}

impl Fleet {
    /// The fleet that was asked for.
    pub fn options(&self) -> Option<Options> {
        Some(Options {
            address: Address { url: self.fleet.clone()?, creds: self.creds.clone(), ca: self.ca.clone() },
            publisher: self.publisher.clone(),
            lease: self.lease,
            scale_clocks: self.scale_clocks,
        })
    }
}

/// An address as typed.
fn url(text: &str) -> Result<String, String> {
    let sound = text.split(',').all(|one| {
        let rest = one.trim().strip_prefix("nats://").or_else(|| one.trim().strip_prefix("tls://"));
        rest.is_some_and(|rest| !rest.is_empty())
    });
    if sound {
        Ok(text.to_owned())
    } else {
        Err("it begins with nats:// or tls:// and names a host".to_owned())
    }
}

/// A name as typed.
pub fn name(text: &str) -> Result<String, String> {
    match crate::runner::fleet::message::is_name(text) {
        true => Ok(text.to_owned()),
        false => Err("a name has 1 to 40 letters, digits, - and _".to_owned()),
    }
}

fn lease(text: &str) -> Result<Duration, String> {
    let lease = time(text)?;
    let sound = (Duration::from_millis(500)..=Duration::from_secs(3600)).contains(&lease);
    if sound { Ok(lease) } else { Err("a lease lasts from half a second to an hour".to_owned()) }
}

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    order: Order,
}

#[derive(Debug, clap::Subcommand)]
enum Order {
    /// Show workers and runs
    Status {
        #[command(flatten)]
        server: Server,
    },
    /// Begin no further pairs of a run
    Pause(OfRun),
    /// Go on with a paused run
    Continue(OfRun),
    /// Stop a run: its coordinator ends, and can go on with `chuhe resume DIR --fleet URL`
    Stop(OfRun),
    /// Remove everything of a run from the server; its folder stays
    Purge(OfRun),
}

#[derive(Debug, clap::Args)]
struct OfRun {
    /// The run as `status` shows it: PUBLISHER.NAME
    #[arg(value_parser = run_name)]
    run: RunName,
    #[command(flatten)]
    server: Server,
}

fn run_name(text: &str) -> Result<RunName, String> {
    RunName::parse(text)
        .ok_or_else(|| "a run is called PUBLISHER.NAME, as `chuhe fleet status` shows it".to_owned())
}

pub fn execute(arguments: &Arguments) -> Exit {
    let (of_run, operation) = match &arguments.order {
        Order::Status { server } => return status(server),
        Order::Pause(run) => (run, Operation::Pause),
        Order::Continue(run) => (run, Operation::Continue),
        Order::Stop(run) => (run, Operation::Stop),
        Order::Purge(run) => (run, Operation::Purge),
    };
    match operate(&of_run.server.address(), &of_run.run, operation) {
        Ok(()) => Exit::Done,
        Err(why) => {
            eprintln!("error: {why}");
            Exit::Usage
        }
    }
}

fn status(server: &Server) -> Exit {
    match standings(&server.address()) {
        Ok(standing) => {
            // Whoever reads may have read enough.
            let _ = std::io::stdout().write_all(text(&standing).as_bytes());
            Exit::Done
        }
        Err(why) => {
            eprintln!("error: {why}");
            Exit::Usage
        }
    }
}

fn text(standing: &Standing) -> String {
    let mut out = String::new();
    let slots: u32 = standing.workers.values().map(|card| card.slots).sum();
    let busy: u32 = standing.workers.values().map(|card| card.busy).sum();
    let _ = writeln!(out, "{} workers, {slots} slots, {busy} busy", standing.workers.len());
    for (name, card) in &standing.workers {
        let _ = writeln!(
            out,
            "  {name}: {} of {} busy; {} threads, {}",
            card.busy, card.slots, card.threads, card.cpu
        );
        for (run, speed) in &card.joined {
            let speed = speed.map_or(String::new(), |speed| format!(", {speed} nodes a second"));
            let _ = writeln!(out, "    plays {run}{speed}");
        }
        for (run, why) in &card.refused {
            let _ = writeln!(out, "    refuses {run}: {why}");
        }
    }
    let _ = writeln!(out, "{} runs", standing.runs.len());
    for (run, (notice, undone, stored)) in &standing.runs {
        let _ = writeln!(out, "  {}: {}", run.dotted(), how(notice));
        let planned = notice.planned.map_or(String::new(), |planned| format!(" of {planned}"));
        let _ = writeln!(
            out,
            "    games {}{planned}; pairs {} out, {undone} at the server, {stored} results, {} redelivered, {} dead \
             letters",
            notice.decided, notice.out, notice.redelivered, notice.dead
        );
        let _ = writeln!(out, "    {} games a minute{}", notice.pace, left(notice));
        if !notice.aside.is_empty() {
            let _ = writeln!(out, "    put aside: {}", notice.aside.join(", "));
        }
    }
    out
}

fn how(notice: &Notice) -> String {
    let word = match notice.state {
        State::Running => "running",
        State::Paused => "paused",
        State::Stopped => "over",
        State::Cancelled => "stopped",
    };
    if notice.reason.is_empty() { word.to_owned() } else { format!("{word} ({})", notice.reason) }
}

/// The time left at this pace, where it can be known.
fn left(notice: &Notice) -> String {
    let Some(planned) = notice.planned.filter(|_| notice.state == State::Running && notice.pace > 0.0) else {
        return String::new();
    };
    let minutes = planned.saturating_sub(notice.decided) as f64 / notice.pace;
    format!(", {} min left", minutes.ceil())
}
