//! `chuhe watch`: the live page of a run folder, and the arguments with which other commands serve one beside
//! a run. Start at [`execute`].

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use super::Exit;
use super::exit::report_error;
use super::run::time;
use crate::report::Lang;
use crate::runner::{self, Live, LiveOptions, Show};

/// Where the page listens unless it is said otherwise: on our own machine only.
const USUAL: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8090);

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The run folder
    dir: PathBuf,
    /// Where the page listens: PORT, ADDRESS or ADDRESS:PORT; only this machine can see it by default
    #[arg(long, value_name = "ADDR", value_parser = address, default_value_t = USUAL)]
    addr: SocketAddr,
    /// Show everything so much later (public views)
    #[arg(long, value_name = "TIME", value_parser = time)]
    delay: Option<Duration>,
    /// A further name by which browsers may call the page (that of a proxy)
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
}

/// The live page beside a run.
#[derive(Debug, clap::Args)]
pub struct LiveArguments {
    /// Show the run in the browser while it is played: PORT, ADDRESS or ADDRESS:PORT
    /// [default: 127.0.0.1:8090, which only this machine can see]
    #[arg(long, value_name = "ADDR", value_parser = address, num_args = 0..=1, default_missing_value = "8090")]
    live: Option<SocketAddr>,
    /// Show everything so much later (public views)
    #[arg(long = "delay", value_name = "TIME", value_parser = time, requires = "live")]
    live_delay: Option<Duration>,
    /// Open the referee's desk: a page that rules, corrects, pauses while the run is played; its secret address
    /// is printed at the start
    #[arg(long = "desk", requires = "live")]
    live_desk: bool,
    /// A further name by which browsers may call the page (that of a proxy)
    #[arg(long = "host", value_name = "NAME", requires = "live")]
    live_host: Vec<String>,
}

/// An address as typed.
fn address(text: &str) -> Result<SocketAddr, String> {
    let text = text.strip_prefix("localhost:").unwrap_or(text);
    let port = || text.parse::<u16>().ok().map(|port| SocketAddr::new(USUAL.ip(), port));
    let ip = || text.parse::<IpAddr>().ok().map(|ip| SocketAddr::new(ip, USUAL.port()));
    let found = text.parse().ok().or_else(port).or_else(ip);
    found.ok_or_else(|| "expected a port, an address, or both as 127.0.0.1:8090 or [::1]:8090".to_owned())
}

impl LiveArguments {
    /// Whether the referee's desk is asked for where nobody could hear it: games that others play, or a trace,
    /// which would lack what it says. It has been said then.
    pub fn deaf(&self, elsewhere: bool, traced: bool) -> bool {
        let deaf = self.live_desk && (elsewhere || traced);
        if deaf {
            eprintln!("error: --desk goes with games that are played here, and not with --fleet or --trace");
        }
        deaf
    }

    /// Adds the page to what is shown, if one is asked for.
    ///
    /// # Errors
    /// The address cannot be had; it has been said.
    pub fn show(&self, show: Show, lang: Lang) -> Result<Show, Exit> {
        let options = self.live.map(|address| LiveOptions {
            address,
            hosts: self.live_host.clone(),
            delay: self.live_delay.unwrap_or_default(),
            desk: self.live_desk,
        });
        Ok(show.with_live(options.map(|options| bind(options, lang)).transpose()?))
    }
}

/// Takes the address and says where the page is.
fn bind(options: LiveOptions, lang: Lang) -> Result<Live, Exit> {
    let address = options.address;
    let live = Live::bind(options).map_err(|error| {
        eprintln!("error: the live page cannot listen at {address}: {error}");
        Exit::Usage
    })?;
    eprintln!("{}http://{}/", lang.pick("Live page: ", "直播页："), live.address());
    if let Some(token) = live.desk_token() {
        let desk = lang.pick("Referee's desk, for nobody else: ", "裁判席（请勿外传）：");
        eprintln!("{desk}http://{}/desk#{}", live.address(), token.link_text());
    }
    if !address.ip().is_loopback() {
        eprintln!(
            "{}",
            lang.pick("Everybody who reaches this address can see it.", "凡能访问此地址者均可观看。")
        );
    }
    Ok(live)
}

pub fn execute(arguments: &Arguments) -> Exit {
    if let Err(error) = runner::look_before_watching(&arguments.dir) {
        return report_error(&error);
    }
    let Arguments { dir, addr, delay, host } = arguments;
    let options =
        LiveOptions { address: *addr, hosts: host.clone(), delay: delay.unwrap_or_default(), desk: false };
    match bind(options, Lang::English).map(|live| runner::watch(dir, live)) {
        Ok(Ok(())) => Exit::Done,
        Ok(Err(error)) => report_error(&error),
        Err(exit) => exit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_as_typed() {
        let check = |typed: &str, expected: &str| {
            let found = address(typed).map_or_else(|_| "refused".to_owned(), |found| found.to_string());
            assert_eq!(found, expected, "{typed}");
        };
        check("80", "127.0.0.1:80");
        check("0.0.0.0", "0.0.0.0:8090");
        check("192.0.2.1:81", "192.0.2.1:81");
        check("localhost:82", "127.0.0.1:82");
        check("[::1]:83", "[::1]:83");
        check("::1", "[::1]:8090");
        check("configs/first-match.json", "refused");
        check("70000", "refused");
    }
}
