//! Servers as people name them: `HOST:PORT`, or a link with `http://` or `https://` before and more behind. Decides
//! which port is meant and whether TLS is spoken, and connects to nothing. Start at [`Site::read`].

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

/// The ports of links that name none.
const PLAIN_PORT: u16 = 80;
const SECURE_PORT: u16 = 443;

/// A server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Whether TLS is spoken.
    secure: bool,
    /// Its name or address, without brackets.
    name: String,
    port: u16,
}

impl Site {
    /// Reads a server and returns what follows it (a path, a secret). Without `http://`, `https://` or the like
    /// before it the port is `bare` unless one is named; where `bare` is `None` there has to be such a beginning.
    ///
    /// # Errors
    /// It is none; in words, what is expected.
    pub fn read(typed: &str, bare: Option<u16>) -> Result<(Site, &str), String> {
        let (secure, usual, rest) = match typed.split_once("://") {
            Some((scheme, rest)) => match scheme.to_ascii_lowercase().as_str() {
                "https" | "wss" => (true, SECURE_PORT, rest),
                "http" | "ws" => (false, PLAIN_PORT, rest),
                _ => return Err(format!("'{scheme}://' is neither http:// nor https://")),
            },
            None => (false, bare.ok_or("expected http:// or https:// before the name")?, typed),
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, after) = rest.split_at(end);
        let (name, port) = split(authority).ok_or_else(|| format!("'{authority}' is no HOST:PORT"))?;
        Ok((Site { secure, name, port: port.unwrap_or(usual) }, after))
    }

    /// Whether TLS is spoken.
    pub fn is_secure(&self) -> bool {
        self.secure
    }

    /// Its name, or its address without brackets.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where to connect to: `HOST:PORT`.
    pub fn address(&self) -> String {
        format!("{}:{}", self.bracketed(), self.port)
    }

    /// What a request calls it: without the port that its links mean anyway.
    pub fn authority(&self) -> String {
        let usual = if self.secure { SECURE_PORT } else { PLAIN_PORT };
        if self.port == usual { self.bracketed() } else { self.address() }
    }

    /// What its links begin with, without a `/` at the end.
    pub fn base(&self) -> String {
        format!("http{}://{}", if self.secure { "s" } else { "" }, self.authority())
    }

    /// Whether somebody on the way could read what is said: it leaves this machine, and not by TLS.
    pub fn is_overheard(&self) -> bool {
        let own = self.name.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback());
        !self.secure && !own && !self.name.eq_ignore_ascii_case("localhost")
    }

    fn bracketed(&self) -> String {
        if self.name.contains(':') { format!("[{}]", self.name) } else { self.name.clone() }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&if self.secure { self.base() } else { self.address() })
    }
}

/// The name and the port of `NAME`, `NAME:PORT`, `[IPV6]` or `[IPV6]:PORT`.
fn split(authority: &str) -> Option<(String, Option<u16>)> {
    let (name, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (address, port) = rest.split_once(']')?;
            address.parse::<Ipv6Addr>().ok()?;
            (address, port)
        }
        None => {
            let (name, port) = authority.split_at(authority.find(':').unwrap_or(authority.len()));
            let proper = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
            if name.is_empty() || !name.chars().all(proper) {
                return None;
            }
            (name, port)
        }
    };
    let port = match port.strip_prefix(':') {
        Some(port) => Some(port.parse().ok()?),
        None if port.is_empty() => None,
        None => return None,
    };
    Some((name.to_owned(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_as_typed() {
        for (typed, base, address, after) in [
            ("192.0.2.1:9000", "http://192.0.2.1:9000", "192.0.2.1:9000", ""),
            ("hall.example", "http://hall.example:8090", "hall.example:8090", ""),
            ("ws://hall.example:1", "http://hall.example:1", "hall.example:1", ""),
            ("http://hall.example/remote#0", "http://hall.example", "hall.example:80", "/remote#0"),
            ("https://hall.example#0", "https://hall.example", "hall.example:443", "#0"),
            ("HTTPS://hall.example:443/", "https://hall.example", "hall.example:443", "/"),
            ("wss://hall.example:80?x", "https://hall.example:80", "hall.example:80", "?x"),
            ("https://[::1]/seat#0", "https://[::1]", "[::1]:443", "/seat#0"),
            ("[2001:db8::1]:7", "http://[2001:db8::1]:7", "[2001:db8::1]:7", ""),
        ] {
            let (site, rest) = Site::read(typed, Some(8090)).unwrap_or_else(|why| panic!("{typed}: {why}"));
            assert_eq!(
                (site.base().as_str(), site.address().as_str(), rest),
                (base, address, after),
                "{typed}"
            );
        }
        for wrong in
            ["", "http://", "https:///seat", "ftp://hall.example", "a b:1", "user@hall:1", "hall:", "hall:x"]
                .into_iter()
                .chain(["hall:70000", "::1", "[::1", "[::1]8", "[hall]:1"])
        {
            assert!(Site::read(wrong, Some(8090)).is_err(), "{wrong}");
        }
        assert!(Site::read("hall.example", None).is_err());
    }

    #[test]
    fn what_leaves_the_machine_in_the_clear_is_overheard() {
        let overheard = |typed| Site::read(typed, Some(8090)).is_ok_and(|(site, _)| site.is_overheard());
        for open in ["hall.example", "http://192.0.2.1", "localhost.example:1", "[2001:db8::1]"] {
            assert!(overheard(open), "{open}");
        }
        for closed in ["https://hall.example", "localhost", "127.0.0.1:1", "[::1]", "[::ffff:127.0.0.1]:1"] {
            assert!(!overheard(closed), "{closed}");
        }
    }
}
