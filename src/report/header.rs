//! The head of every report: what was played, where, by whom and with which settings. All facts come
//! from the run's own events. Start at [`facts`].

use serde_json::Value;

use super::lang::Lang;
use super::lines::{Align, cut, pad, width, wrap, wrap_wide};
use super::reasons;
use crate::law::Book;
use crate::plan::Regulation;
use crate::record::{
    ConductSettings, DrawSettings, EntrantSettings, FormatSettings, HELD, OUT_OF_TIME, ResignSettings,
    RuleSettings, Run, STOPPED, ScreensSettings, Settings, SprtSettings, StageSettings, TimeSettings,
};
use crate::tournament::Colours;

/// A fact: its label and its text.
pub type Fact = (String, String);

/// Widest line of a text head.
const TEXT_WIDTH: usize = 110;
/// Most resumes that are listed.
const RESUMES_LISTED: usize = 5;
/// Digits of a file's hash that are printed; the journal has all of them.
const HASH_DIGITS: usize = 16;

/// All facts of the head, in order. A run that has not begun has none.
pub fn facts(run: &Run, lang: Lang) -> Vec<Fact> {
    let (Some(head), Some(settings)) = (run.head(), run.settings()) else { return Vec::new() };
    let mut facts = Facts { lang, list: Vec::new() };
    facts.add("Event", "赛事", settings.event.clone());
    facts.add("Site", "地点", settings.site.clone());
    facts.add("Begun", "开始", head.date.clone());
    for resumed in run.resumed().iter().take(RESUMES_LISTED) {
        facts.add("Resumed", "续赛", resumed.date.clone());
    }
    if run.resumed().len() > RESUMES_LISTED {
        let count = run.resumed().len();
        facts.add("Resumed", "续赛", format!("{count} {}", lang.pick("times in all", "次（共计）")));
    }
    facts.add("State", "状态", state(run, lang));
    facts.add("Program", "程序", head.program.clone());
    let host = &head.host;
    let threads = lang.pick("threads", "线程");
    let host = format!("{}, {} {threads}, {} MiB, {}", host.cpu, host.threads, host.memory_mib, host.system);
    facts.add("Host", "主机", host);
    facts.add("Cores", "处理器核", head.host.cores.clone().unwrap_or_default());
    for stage in &settings.stages {
        facts.add("Stage", "阶段", stage_line(stage, settings.colours(), lang));
        for (english, chinese, fact) in super::exhibition::facts(&stage.format, lang) {
            facts.add(english, chinese, fact);
        }
    }
    facts.add("Lots", "抽签", super::event::lots(run, lang));
    rule_facts(&settings.rules, &mut facts);
    facts.add("Points", "计分", points(settings, lang));
    facts.add("Equal points", "同分", tie_break(settings, lang));
    if settings.draw_as_black_win {
        let odds = lang.pick("a drawn game counts as won by Black", "和棋算黑方胜");
        facts.add("Draw odds", "和棋让先", odds.to_owned());
    }
    facts.add("Colours", "先后", colours(settings.colours(), lang).to_owned());
    if let Some(least) = settings.min_score {
        let ends = lang.pick("of the points wanted; ends when that is certain", "为所需得分率；已成定局即停");
        facts.add("Score wanted", "得分目标", format!("{least} {ends}"));
    }
    if let Some(test) = &settings.sprt {
        facts.add("Test", "检验", sprt(test));
    }
    conduct_facts(&settings.conduct, &mut facts);
    if settings.regulation.as_deref() == Some(Regulation::Blindfold.name()) {
        let added = lang.pick(
            "lock of programs, records of both sides (not in section II)",
            "软件封存、双方记录（第二部分未载）",
        );
        facts.add("Added", "附加", added.to_owned());
    }
    adjudication_facts(&settings.conduct, &mut facts);
    facts.add("Openings", "开局", openings(run, settings, lang));
    for (path, hash) in &head.sources {
        let digits: String = hash.chars().take(HASH_DIGITS).collect();
        facts.add("File", "文件", format!("{path} (SHA-256 {digits}..)"));
    }
    facts.add("Seed", "随机种子", settings.seed.to_string());
    if settings.regulation.is_some() {
        facts.add("Text silent", "规程未载", super::event::readings(settings, lang));
    }
    for (index, entrant) in settings.entrants.iter().enumerate() {
        facts.add("Engine", "棋软", engine(run, index, entrant, lang));
    }
    facts.list
}

/// The head as text, one fact a line.
pub fn text(run: &Run, lang: Lang) -> String {
    let facts = facts(run, lang);
    let label = facts.iter().map(|(label, _)| width(label)).max().unwrap_or(0);
    let mut text = String::new();
    for (name, fact) in &facts {
        let mut name = name.as_str();
        let most = TEXT_WIDTH - label - 2;
        for line in wrap(fact, most).iter().flat_map(|line| wrap_wide(line, most)) {
            let line = format!("{}  {line}", pad(name, label, Align::Left));
            text.push_str(line.trim_end());
            text.push('\n');
            name = "";
        }
    }
    text
}

struct Facts {
    lang: Lang,
    list: Vec<Fact>,
}

impl Facts {
    /// Adds a fact under its label; an empty one is left out.
    fn add(&mut self, english: &str, chinese: &str, fact: String) {
        if !fact.is_empty() {
            let fact = super::lines::one_line(&fact).into_owned();
            self.list.push((self.lang.pick(english, chinese).to_owned(), fact));
        }
    }
}

fn state(run: &Run, lang: Lang) -> String {
    let played = run.decided();
    let of = match run.settings().and_then(Settings::games) {
        None => String::new(),
        Some(games) => match lang {
            Lang::English => format!(" of {games}"),
            Lang::Chinese => format!("/{games}"),
        },
    };
    let state = match (run.over(), run.interrupted()) {
        (Some("complete"), _) => lang.pick("complete", "已结束").to_owned(),
        (Some(reason), _) => format!("{}: {reason}", lang.pick("ended early", "提前结束")),
        (None, Some(reason)) => {
            format!("{}: {}", lang.pick("interrupted", "中断"), interruption(reason, lang))
        }
        (None, None) => lang.pick("in progress", "进行中").to_owned(),
    };
    match lang {
        Lang::English => format!("{state}, {played}{of} games"),
        Lang::Chinese => format!("{state}，{played}{of} 局"),
    }
}

/// Why a run is interrupted, in a language.
pub fn interruption(reason: &str, lang: Lang) -> &str {
    let chinese = match reason {
        HELD => "待裁判长裁定",
        STOPPED => "收到停止信号",
        OUT_OF_TIME => "时间用尽",
        other => other,
    };
    lang.pick(reason, chinese)
}

/// Who is Red where it is not as the tables have it; nothing otherwise.
const fn colours(colours: Colours, lang: Lang) -> &'static str {
    match colours {
        Colours::Exchanged => "",
        Colours::Kept => lang.pick("kept through all games of a pairing", "同一对各局先后不变"),
        Colours::Reversed => lang.pick("exchanged, opposite to the tables", "逐局互换，与编排表相反"),
        Colours::KeptReversed => lang.pick(
            "kept through all games of a pairing, opposite to the tables",
            "同一对各局先后不变，与编排表相反",
        ),
    }
}

fn stage_line(stage: &StageSettings, colours: Colours, lang: Lang) -> String {
    let time = time(&stage.time, lang);
    let name = super::event::stage_name(&stage.format, &stage.name, lang);
    format!("{name}: {}; {} {time}", format(&stage.format, colours, lang), lang.pick("time", "用时"))
}

/// A format in words; how colours are shared out only where it is as the format has it.
pub fn format(format: &FormatSettings, colours: Colours, lang: Lang) -> String {
    match (format, lang) {
        (FormatSettings::RoundRobin { cycles, bouts }, Lang::English) => {
            let order = match (cycles, bouts) {
                (1, _) => "",
                (_, true) => ", games of two entrants back to back",
                (_, false) => ", cycle by cycle",
            };
            format!("round robin, {cycles} game{} a pairing{order}", if *cycles == 1 { "" } else { "s" })
        }
        (FormatSettings::RoundRobin { cycles, bouts }, Lang::Chinese) => {
            let order = match (cycles, bouts) {
                (1, _) => "",
                (_, true) => "，两局连赛",
                (_, false) => "，逐循环进行",
            };
            format!("循环赛，每对 {cycles} 局{order}")
        }
        (FormatSettings::Gauntlet { seeds, games }, Lang::English) => {
            format!("gauntlet, the first {seeds} against all others, {games} games a pairing")
        }
        (FormatSettings::Gauntlet { seeds, games }, Lang::Chinese) => {
            format!("挑战赛，前 {seeds} 名对其余各家，每对 {games} 局")
        }
        (FormatSettings::Pairs { pairs }, Lang::English) => {
            let exchanged = if colours == Colours::Exchanged { " with colours exchanged" } else { "" };
            format!("match, {pairs} pairs of games{exchanged}")
        }
        (FormatSettings::Pairs { pairs }, Lang::Chinese) => {
            let exchanged = if colours == Colours::Exchanged { "换先 " } else { "" };
            format!("对抗赛，{exchanged}{pairs} 对局")
        }
        (FormatSettings::Swiss { rounds, games }, Lang::English) => {
            format!(
                "Swiss system, {rounds} rounds, {games} game{} a pairing",
                if *games == 1 { "" } else { "s" }
            )
        }
        (FormatSettings::Swiss { rounds, games }, Lang::Chinese) => {
            format!("瑞士制，{rounds} 轮，每对 {games} 局")
        }
        (FormatSettings::Boards { games }, Lang::English) => {
            format!("boards, entrants meet by twos, {games} games with colours exchanged; level stays level")
        }
        (FormatSettings::Boards { games }, Lang::Chinese) => {
            format!("分台对抗，每台 {games} 局换先，战平即平")
        }
        (FormatSettings::Exhibition { .. }, lang) => super::exhibition::format(format, lang),
        (FormatSettings::Championship { .. }, lang) => super::event::championship(format, lang),
        (FormatSettings::Knockout { games, extra, held }, lang) => knockout(*games, *extra, *held, lang),
    }
}

fn knockout(games: u8, extra: u8, held: bool, lang: Lang) -> String {
    match (lang, held) {
        (Lang::English, true) => {
            format!("knockout, bouts of {games}, up to {extra} extra pairs, then held for the chief referee")
        }
        (Lang::English, false) => {
            format!("knockout, bouts of {games}, up to {extra} extra pairs, then the higher seed goes on")
        }
        (Lang::Chinese, true) => format!("淘汰赛，每场 {games} 局，至多加赛 {extra} 对，仍平由裁判长裁定"),
        (Lang::Chinese, false) => format!("淘汰赛，每场 {games} 局，至多加赛 {extra} 对，仍平高种子晋级"),
    }
}

fn time(time: &TimeSettings, lang: Lang) -> String {
    match &time.told {
        None => time.control.clone(),
        Some(told) => match lang {
            Lang::English => format!("{} (engines are told {told} s)", time.control),
            Lang::Chinese => format!("{}（告知引擎 {told} 秒）", time.control),
        },
    }
}

fn rule_facts(rules: &RuleSettings, facts: &mut Facts) {
    let lang = facts.lang;
    let book = Book::from_name(&rules.book).map_or("", |book| reasons::book(book, lang));
    let judged = match lang {
        Lang::English => format!("{} ({book}), judged at occurrence {}", rules.book, rules.occurrences),
        Lang::Chinese => format!("{}（{book}），同一局面第 {} 次出现时裁决", rules.book, rules.occurrences),
    };
    facts.add("Repetition", "循环局面", judged);
    let off = lang.pick("off", "关闭");
    let on = if rules.dead_position {
        lang.pick("draw when neither side can attack", "双方无进攻子力判和")
    } else {
        off
    };
    facts.add("Dead position", "无攻子力", on.to_owned());
    let limit = match (rules.no_capture, rules.checks.as_deref()) {
        (None, _) => off.to_owned(),
        (Some(plies), checks) => {
            let checks = checks.unwrap_or("all");
            match lang {
                Lang::English => format!("draw after {plies} half-moves; checks counted: {checks}"),
                Lang::Chinese => format!("{plies} 个半回合无吃子判和；将军计法：{checks}"),
            }
        }
    };
    facts.add("No capture", "自然限着", limit);
    let most = match (rules.max_plies, lang) {
        (None, _) => off.to_owned(),
        (Some(plies), Lang::English) => format!("draw after {plies} half-moves"),
        (Some(plies), Lang::Chinese) => format!("{plies} 个半回合判和"),
    };
    facts.add("Game length", "步数上限", most);
}

fn points(settings: &Settings, lang: Lang) -> String {
    match lang {
        Lang::English => format!("win/draw/loss {}", settings.points),
        Lang::Chinese => format!("胜/和/负 {}", settings.points),
    }
}

fn tie_break(settings: &Settings, lang: Lang) -> String {
    if settings.stages.iter().any(|stage| matches!(stage.format, FormatSettings::Championship { .. })) {
        return super::event::tie_break(lang).to_owned();
    }
    let words = settings.tie_break.iter().map(|word| match word.as_str() {
        "head-to-head" => lang.pick("head to head", "相互成绩"),
        "play-off" => lang.pick("play-off", "加赛"),
        "wins-as-black" => lang.pick("wins as Black", "后胜局数"),
        "wins" => lang.pick("wins", "胜局数"),
        "sonneborn-berger" => lang.pick("Sonneborn-Berger", "小分"),
        other => other,
    });
    let words: Vec<&str> = words.chain([lang.pick("shared", "并列")]).collect();
    words.join(lang.pick(", then ", "，再 "))
}

fn conduct_facts(conduct: &ConductSettings, facts: &mut Facts) {
    let lang = facts.lang;
    let yes = |on: bool| if on { lang.pick("yes", "是") } else { lang.pick("no", "否") };
    let margin = format!("{} ms", conduct.margin.as_micros() as f64 / 1000.0);
    facts.add("Time margin", "超时宽限", margin);
    let crash = match conduct.crash.as_str() {
        "loses" => lang.pick("loses the game", "判负"),
        "restart" => lang.pick("restarted once on its own clock", "计时中重启一次"),
        other => other,
    };
    facts.add("Engine crash", "引擎中止", crash.to_owned());
    facts.add("Patience", "等待上限", format!("{} s", conduct.patience.as_secs_f64()));
    facts.add("Games at once", "同时局数", conduct.concurrency.to_string());
    let lock = match conduct.lock.as_str() {
        "hold" => lang.pick("locked; on a change held for the chief referee", "已锁定，更改则待裁判长裁决"),
        "forfeit" => lang.pick("locked; on a change the game is forfeited", "已锁定，更改则判负"),
        _ => "",
    };
    facts.add("Programs", "软件", lock.to_owned());
    let rotation = match conduct.rotation.as_deref() {
        Some("continue") => lang.pick(
            "members move in turn; the order runs on into the second game",
            "队员轮流落子，第二局接续次序",
        ),
        Some(_) => lang.pick(
            "members move in turn; the first member begins each game",
            "队员轮流落子，每局由第一名队员开始",
        ),
        None => "",
    };
    facts.add("Seats", "席位", rotation.to_owned());
    if let Some(screens) = &conduct.screens {
        facts.add("Screens", "屏幕", screens_line(screens, lang));
    }
    facts.add("Engines kept", "引擎复用", yes(conduct.reuse).to_owned());
    let warned = format!("UCCI {}, UCI {}", yes(conduct.warn), yes(conduct.warn_uci));
    facts.add("Warned of bans", "禁着提示", warned);
    facts.add("Draw offers", "提和", yes(conduct.draw_offers).to_owned());
    facts.add("Time scale", "时间倍率", conduct.time_scale.to_string());
    let recorded = if conduct.every_move {
        lang.pick("every move as it is made", "逐着记录")
    } else {
        lang.pick("games at their end", "终局记录")
    };
    facts.add("Recorded", "记录方式", recorded.to_owned());
    if let Some(most) = conduct.max_faults {
        facts.add("Faults allowed", "允许故障", most.to_string());
    }
}

fn screens_line(screens: &ScreensSettings, lang: Lang) -> String {
    let opponent = match screens.opponent {
        true => lang.pick("each side sees the other's", "双方可见对方屏幕"),
        false => lang.pick("not shown to the other side", "不向对方展示"),
    };
    let thinking = match screens.thinking {
        true => lang.pick("thinking is public", "公开思考内容"),
        false => lang.pick("thinking is not public", "不公开思考内容"),
    };
    let delay = match (screens.delay > 0.0, lang) {
        (false, Lang::English) => "the public sees games at once".to_owned(),
        (false, Lang::Chinese) => "公众即时观看".to_owned(),
        (true, Lang::English) => format!("the public sees games {} s later", screens.delay),
        (true, Lang::Chinese) => format!("公众延迟 {} 秒观看", screens.delay),
    };
    [opponent, thinking, &delay].join(lang.pick("; ", "；"))
}

fn sprt(test: &SprtSettings) -> String {
    let SprtSettings { elo0, elo1, alpha, beta, model } = test;
    format!("SPRT, {model} Elo [{elo0}, {elo1}], alpha {alpha}, beta {beta}, pairs in schedule order")
}

/// What is off is not printed: a run without adjudication has the header it always had.
fn adjudication_facts(conduct: &ConductSettings, facts: &mut Facts) {
    let lang = facts.lang;
    if let Some(ResignSettings { move_count, score, two_sided }) = conduct.resign {
        let fact = match lang {
            Lang::English => {
                let agreed = if two_sided { ", both sides agreeing" } else { "" };
                format!("lost at -{score} for {move_count} moves on end{agreed} (engines' own units)")
            }
            Lang::Chinese => {
                let agreed = if two_sided { "，双方一致" } else { "" };
                format!("连续 {move_count} 步评分不高于 -{score} 判负{agreed}（引擎自身单位）")
            }
        };
        facts.add("Adjudicated loss", "评分判负", fact);
    }
    if let Some(DrawSettings { move_number, move_count, score }) = conduct.draw {
        let fact = match lang {
            Lang::English => format!(
                "within {score} for {move_count} moves of both sides, from move {move_number} (engines' own units)"
            ),
            Lang::Chinese => {
                format!("第 {move_number} 回合起双方连续 {move_count} 步评分在 {score} 以内（引擎自身单位）")
            }
        };
        facts.add("Adjudicated draw", "评分判和", fact);
    }
    if let Some(most) = conduct.max_failures {
        let fact = match lang {
            Lang::English => format!("after {most} crashes or stalls of one engine on end"),
            Lang::Chinese => format!("同一引擎连续 {most} 次中止或无应答"),
        };
        facts.add("Stops", "停赛", fact);
    }
    let timed = [
        (conduct.ready_patience, "Patience with readiness", "准备时限"),
        (conduct.stagger, "Between beginnings", "开局间隔"),
        (conduct.pause, "Rest between games", "局间休息"),
    ];
    for (time, english, chinese) in timed {
        facts.add(english, chinese, time.map_or_else(String::new, |time| format!("{time} s")));
    }
    if let Some(budget) = conduct.time_budget {
        facts.add("Time budget", "总时限", format!("{budget} s"));
    }
}

fn openings(run: &Run, settings: &Settings, lang: Lang) -> String {
    if settings.openings == 0 {
        return lang.pick("the usual start position", "标准开局局面").to_owned();
    }
    let config = match run.head().and_then(|head| head.config.get("openings")) {
        None => String::new(),
        Some(config) => format!(": {}", cut(&in_words(config), TEXT_WIDTH)),
    };
    match lang {
        Lang::English => format!("{} positions{config}", settings.openings),
        Lang::Chinese => format!("{} 个局面{config}", settings.openings),
    }
}

/// A part of the config as `name value, name value`.
fn in_words(config: &Value) -> String {
    match config {
        Value::String(text) => text.clone(),
        Value::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(name, value)| format!("{name} {}", in_words(value))).collect();
            members.join(", ")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => config.to_string(),
    }
}

fn engine(run: &Run, index: usize, entrant: &EntrantSettings, lang: Lang) -> String {
    let mut text = entrant.name.clone();
    if let Some(chinese) = &entrant.name_zh {
        text = format!("{text} ({chinese})");
    }
    text = format!("{text}: {} [{}]", entrant.command.join(" "), entrant.protocol);
    if let Some(checked) = run.checked_in(index).filter(|checked| !checked.id_name.is_empty()) {
        text = format!("{text}; id {}", checked.id_name);
    }
    for (name, value) in &entrant.options {
        text = format!("{text}; {name}={value}");
    }
    for line in &entrant.init {
        text = format!("{text}; init '{line}'");
    }
    if let Some(own) = &entrant.time {
        text = format!("{text}; {} {}", lang.pick("own time", "单独用时"), time(own, lang));
    }
    if entrant.ponder {
        text = format!("{text}; {}", lang.pick("ponders", "对方走棋时思考"));
    }
    for (number, further) in (2..).zip(&entrant.team) {
        text = format!("{text}; {} {number}: {further}", lang.pick("member", "队员"));
    }
    for (word, declared) in &entrant.registration {
        text = format!("{text}; {}: {}", registered(word, lang), declaration(declared, lang));
    }
    if !entrant.reuse {
        text = format!("{text}; {}", lang.pick("started for each game", "每局重启"));
    }
    text
}

/// The word of a declaration.
fn registered(word: &str, lang: Lang) -> &str {
    match (word, lang) {
        ("authors", Lang::Chinese) => "作者",
        ("licence", Lang::Chinese) => "许可证",
        ("third party", Lang::Chinese) => "第三方内容",
        ("own work", Lang::Chinese) => "自主产权",
        ("source", Lang::Chinese) => "源码所在",
        ("operator", Lang::Chinese) => "操作员",
        ("committee days", Lang::Chinese) => "组委会代操作（天）",
        ("committee bouts", Lang::Chinese) => "组委会代操作（场）",
        ("inspection", Lang::Chinese) => "源码查看",
        ("committee days", Lang::English) => "operated by the committee, days",
        ("committee bouts", Lang::English) => "operated by the committee, bouts",
        (word, _) => word,
    }
}

fn declaration(text: &str, lang: Lang) -> &str {
    match (text, lang) {
        ("yes", Lang::Chinese) => "是",
        ("no", Lang::Chinese) => "否",
        ("the runner", Lang::Chinese) => "本程序",
        (text, _) => text,
    }
}
