//! `chuhe watch`: the live page of a run folder, and the arguments with which other commands serve one beside
//! a run. Start at [`execute`].

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use super::Exit;
use super::exit::report_error;
use super::run::time;
use crate::report::Lang;
use crate::runner::{self, Live, LiveOptions, Show, Site};

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
    /// A further name by which browsers may call the page (that of a proxy): NAME, or https://NAME, with which
    /// the printed links begin then
    #[arg(long, value_name = "NAME", value_parser = host)]
    host: Vec<Host>,
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
    /// A further name by which browsers may call the page (that of a proxy): NAME, or https://NAME, with which
    /// the printed links begin then
    #[arg(long = "host", value_name = "NAME", value_parser = host, requires = "live")]
    live_host: Vec<Host>,
}

/// A name by which a page is called.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Host {
    name: String,
    /// What links begin with, if that was said.
    base: Option<String>,
}

/// A name as typed.
fn host(text: &str) -> Result<Host, String> {
    if text.contains("://") {
        let (site, after) = Site::read(text, None)?;
        return match after {
            "" | "/" => Ok(Host { name: site.name().to_owned(), base: Some(site.base()) }),
            _ => {
                Err(format!("'{after}' is too much: the pages want a name of their own, as {}", site.base()))
            }
        };
    }
    let named = |text| Site::read(text, Some(USUAL.port())).ok().filter(|(_, after)| after.is_empty());
    let plain = |site: &Site| text.trim_matches(['[', ']']) == site.name();
    match (text.parse::<IpAddr>(), named(text)) {
        (Ok(_), _) => Ok(Host { name: text.to_owned(), base: None }),
        (Err(_), Some((site, _))) if plain(&site) => Ok(Host { name: site.name().to_owned(), base: None }),
        (Err(_), _) => Err("expected a name without a port, or https://NAME".to_owned()),
    }
}

/// The names, and what links begin with: the first for which that was said.
fn hosts(typed: &[Host]) -> (Vec<String>, Option<String>) {
    let names = typed.iter().map(|host| host.name.clone()).collect();
    (names, typed.iter().find_map(|host| host.base.clone()))
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
        let (hosts, base) = hosts(&self.live_host);
        let options = self.live.map(|address| LiveOptions {
            address,
            hosts,
            base,
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
    let (base, own) = (live.base(), format!("http://{}", live.address()));
    let behind = match base == own {
        true => String::new(),
        false => format!("{}{own}/", lang.pick(", in front of ", "，代理转至 ")),
    };
    eprintln!("{}{base}/{behind}", lang.pick("Live page: ", "直播页："));
    if let Some(link) = live.desk_link() {
        eprintln!("{}{link}", lang.pick("Referee's desk, for nobody else: ", "裁判席（请勿外传）："));
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
    let (hosts, base) = hosts(host);
    let options = LiveOptions { address: *addr, hosts, base, delay: delay.unwrap_or_default(), desk: false };
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

    #[test]
    fn hosts_as_typed() {
        let check = |typed: &str, name: &str, base: Option<&str>| {
            let expected = Host { name: name.to_owned(), base: base.map(str::to_owned) };
            assert_eq!(host(typed), Ok(expected), "{typed}");
        };
        check("hall.example", "hall.example", None);
        check("https://hall.example", "hall.example", Some("https://hall.example"));
        check("https://hall.example:8443/", "hall.example", Some("https://hall.example:8443"));
        check("http://192.0.2.1:8090", "192.0.2.1", Some("http://192.0.2.1:8090"));
        check("https://[2001:db8::1]", "2001:db8::1", Some("https://[2001:db8::1]"));
        check("[2001:db8::1]", "2001:db8::1", None);
        check("2001:db8::1", "2001:db8::1", None);
        for wrong in [
            "",
            "https://",
            "hall.example:8090",
            "hall.example/",
            "https://hall.example/xq",
            "ftp://hall",
            "a b",
        ] {
            assert!(host(wrong).is_err(), "{wrong}");
        }
        let typed = ["a", "https://b", "https://c"].map(|text| host(text).unwrap());
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        assert_eq!(hosts(&typed), (names, Some("https://b".to_owned())));
    }
}
