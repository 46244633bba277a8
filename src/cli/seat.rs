//! `chuhe seat`: an engine on its team's own machine plays at a run elsewhere. Start at [`execute`].

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Exit;
use super::exit::report_error;
use super::run::{Language, time};
use crate::report::Lang;
use crate::runner::{FarEnd, FarNews, FarSide, sit};

/// The variable that may hold the secret.
const TOKEN: &str = "CHUHE_TOKEN";

/// The port of live pages.
const PORT: u16 = 8090;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The run's server: HOST:PORT, or the link that the organiser gave, http://HOST:PORT/remote#TOKEN
    #[arg(long, value_name = "ADDR")]
    connect: String,
    /// The seat's secret; better in the environment (CHUHE_TOKEN) or a file, where `ps` does not show it
    #[arg(long, value_name = "TOKEN", conflicts_with = "token_file")]
    token: Option<String>,
    /// A file whose first line is the seat's secret, or the link
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// A file that the engine reads (net, book), declared with its program (I.10); repeat for several
    #[arg(long, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// Give up when the server is out of reach for so long
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "10m")]
    give_up: Duration,
    /// Print only what is wrong
    #[arg(long, short)]
    quiet: bool,
    /// Language of what is printed
    #[arg(long, value_enum, default_value_t)]
    lang: Language,
    /// The engine and its arguments, after --
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "ENGINE")]
    engine: Vec<String>,
}

pub fn execute(arguments: &Arguments) -> Exit {
    let lang: Lang = arguments.lang.into();
    let side = match side(arguments) {
        Ok(side) => side,
        Err(why) => {
            eprintln!("error: {why}");
            return Exit::Usage;
        }
    };
    let say = |news: FarNews| {
        let wrong = matches!(news, FarNews::Lost(_) | FarNews::Ended(..));
        if wrong || !arguments.quiet {
            tell(&news, lang);
        }
    };
    match sit(&side, &say) {
        Ok(end) => conclude(&end, &side.server, lang),
        Err(error) => report_error(&error),
    }
}

fn tell(news: &FarNews, lang: Lang) {
    match news {
        FarNews::Joined => eprintln!("{}", lang.pick("The seat is taken.", "已入席。")),
        FarNews::Began => eprintln!("{}", lang.pick("The engine is started.", "引擎已启动。")),
        FarNews::Lost(why) => {
            eprintln!("{}{why}", lang.pick("No connection, trying again: ", "连接中断，正在重连："));
        }
        FarNews::Ended(how, last_lines) => {
            eprintln!("{}{how}", lang.pick("The engine has ended: ", "引擎已退出："));
            last_lines.iter().for_each(|line| eprintln!("  {line}"));
        }
    }
}

fn conclude(end: &FarEnd, server: &str, lang: Lang) -> Exit {
    let (english, chinese, exit) = match end {
        FarEnd::Over => {
            eprintln!("{}", lang.pick("The run is over.", "比赛已全部结束。"));
            return Exit::Done;
        }
        FarEnd::Interrupted => return Exit::Interrupted,
        FarEnd::Refused(401) => ("the server does not know this token", "服务器不认识此令牌", Exit::Usage),
        FarEnd::Refused(403) => ("this token is not for an engine", "此令牌不是引擎席位的令牌", Exit::Usage),
        FarEnd::Refused(421) => (
            "the server does not go by this name (there: --host NAME)",
            "服务器不以此名称提供服务（服务器端请用 --host NAME）",
            Exit::Usage,
        ),
        FarEnd::Refused(_) | FarEnd::Foreign => {
            ("there is no server of a fitting run", "该处没有相符的比赛服务器", Exit::Usage)
        }
        FarEnd::GaveUp => ("the server is out of reach", "无法连接服务器", Exit::Internal),
    };
    eprintln!("error: {server}: {}", lang.pick(english, chinese));
    exit
}

/// Where to sit and with what, as typed.
fn side(arguments: &Arguments) -> Result<FarSide, String> {
    let (server, linked) = place(&arguments.connect)?;
    let kept = arguments.token_file.as_deref().map(kept).transpose()?;
    let surrounding = || std::env::var(TOKEN).ok();
    let token = arguments.token.clone().or(kept).or(linked).or_else(surrounding);
    let token = token
        .ok_or_else(|| format!("the seat's secret is missing: --token-file, {TOKEN}, or the whole link"))?;
    let token = token.rsplit('#').next().unwrap_or_default().trim().to_owned();
    if token.len() != 32 || !token.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err("a token is 32 hexadecimal digits".to_owned());
    }
    let (program, args) = arguments.engine.split_first().ok_or("no engine is named")?;
    Ok(FarSide {
        server,
        token,
        program: program.clone(),
        args: args.to_vec(),
        files: arguments.file.clone(),
        give_up: arguments.give_up,
    })
}

fn kept(file: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("'{}': {error}", file.display()))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// `HOST:PORT` of an address or a link, and the secret of a link.
fn place(typed: &str) -> Result<(String, Option<String>), String> {
    if typed.starts_with("wss://") || typed.starts_with("https://") {
        return Err(
            "TLS is not spoken here: use an ssh tunnel (ssh -L) and its end on this machine".to_owned()
        );
    }
    let rest = typed.strip_prefix("ws://").or(typed.strip_prefix("http://")).unwrap_or(typed);
    let (rest, token) = match rest.split_once('#') {
        Some((rest, token)) => (rest, Some(token.to_owned())),
        None => (rest, None),
    };
    let host = rest.split('/').next().unwrap_or_default();
    let proper = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']');
    if host.is_empty() || !host.chars().all(proper) {
        return Err(format!("'{host}' is no HOST:PORT"));
    }
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    Ok((if has_port { host.to_owned() } else { format!("{host}:{PORT}") }, token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_typed() {
        let token = "0123456789abcdef0123456789abcdef";
        for (typed, host, linked) in [
            ("192.0.2.1:9000", "192.0.2.1:9000", None),
            ("hall.example", "hall.example:8090", None),
            ("ws://hall.example:1", "hall.example:1", None),
            ("http://[::1]:80/remote#0123456789abcdef0123456789abcdef", "[::1]:80", Some(token)),
        ] {
            assert_eq!(place(typed), Ok((host.to_owned(), linked.map(str::to_owned))), "{typed}");
        }
        for wrong in ["", "http://", "wss://hall.example", "a b:1", "user@hall:1"] {
            assert!(place(wrong).is_err(), "{wrong}");
        }
    }
}
