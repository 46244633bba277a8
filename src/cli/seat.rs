//! `chuhe seat`: an engine on its team's own machine plays at a run elsewhere. Start at [`execute`].

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Exit;
use super::exit::report_error;
use super::run::{Language, time};
use crate::report::Lang;
use crate::runner::{FarEnd, FarNews, FarSide, Site, read_text, sit};

/// The variable that may hold the secret.
const TOKEN: &str = "CHUHE_TOKEN";

/// The port of live pages, where an address names none.
const PORT: u16 = 8090;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The run's server: HOST:PORT, https://HOST, or the link that the organiser gave,
    /// https://HOST/remote#TOKEN. With https:// its certificate has to be one that this machine trusts;
    /// SSL_CERT_FILE names a file of those that are to be trusted instead
    #[arg(long, value_name = "ADDR", required_unless_present = "token_file")]
    connect: Option<String>,
    /// The seat's secret; better in the environment (CHUHE_TOKEN) or a file, where `ps` does not show it
    #[arg(long, value_name = "TOKEN", conflicts_with = "token_file")]
    token: Option<String>,
    /// A file whose first line is the seat's secret, or the link, which then says where the server is as well
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
    if !arguments.quiet && side.server.is_overheard() {
        eprintln!("{}", overheard(&side.server, lang));
    }
    match sit(&side, &say) {
        Ok(end) => conclude(&end, &side.server, lang),
        Err(error) => report_error(&error),
    }
}

/// That nothing is encrypted on the way to a server.
pub fn overheard(server: &Site, lang: Lang) -> String {
    lang.pick(
        "warning: nothing is encrypted on the way to SERVER: who listens there can take the seat; use https:// or \
         an ssh tunnel",
        "警告：到 SERVER 的连接没有加密，途中窃听者可以夺取席位；请用 https:// 或 ssh 隧道",
    )
    .replace("SERVER", &server.address())
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

fn conclude(end: &FarEnd, server: &Site, lang: Lang) -> Exit {
    let (english, chinese, exit) = match end {
        FarEnd::Over => {
            eprintln!("{}", lang.pick("The run is over.", "比赛已全部结束。"));
            return Exit::Done;
        }
        FarEnd::Interrupted => return Exit::Interrupted,
        FarEnd::Untrusted(distrust) => {
            eprintln!("error: {server}: {}", distrust.words(lang));
            return Exit::Usage;
        }
        FarEnd::Refused(401) => ("the server does not know this token", "服务器不认识此令牌", Exit::Usage),
        FarEnd::Refused(403) => ("this token is not for an engine", "此令牌不是引擎席位的令牌", Exit::Usage),
        FarEnd::Refused(421) => (
            "the server does not go by this name (there: --host NAME)",
            "服务器不以此名称提供服务（服务器端请用 --host NAME）",
            Exit::Usage,
        ),
        // Sent elsewhere, or to a port where TLS is spoken.
        FarEnd::Refused(300..=400) if !server.is_secure() => (
            "there is no server of a fitting run; is https:// meant?",
            "该处没有相符的比赛服务器，是否应为 https://？",
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
    let kept = arguments.token_file.as_deref().map(kept).transpose()?;
    let link = kept.as_deref().filter(|kept| kept.contains("://"));
    let place = arguments.connect.as_deref().or(link);
    let place = place.ok_or("the file holds no link; --connect says where the server is")?;
    let (server, after) = Site::read(place, Some(PORT))?;
    let linked = after.split_once('#').map(|(_, token)| token.to_owned());
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
    let text = read_text(file).map_err(|error| format!("'{}': {error}", file.display()))?;
    Ok(text.lines().next().unwrap_or_default().trim().to_owned())
}
