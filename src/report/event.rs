//! What an event under a regulation shows beside its tables: lots, rapid games among equals, the score of
//! boards, what waits for the chief referee and what he decided. Facts come from the run alone.
//! Start at [`below_sheet`] and [`decisions`].

use super::crosstable::{called, game_line, name};
use super::lang::Lang;
use super::lines::one_line;
use super::sheet::{Sheet, token};
use crate::game::{Outcome, Termination};
use crate::record::{Decision, DeskWord, FormatSettings, Ordered, Run, Said, Settings, Spoken};
use crate::tournament::{Format, GameResult, Known, Next, Part, PlayOff, lots};

/// The lines of a table's rapid games and boards.
pub fn below_sheet(run: &Run, sheet: &Sheet, lang: Lang) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut told: Vec<&[usize]> = Vec::new();
    for play_off in &sheet.play_offs {
        if !told.iter().any(|among| same(among, &play_off.among)) {
            told.push(&play_off.among);
            let bouts = sheet.play_offs.iter().filter(|other| same(&other.among, &play_off.among));
            lines.push(play_off_line(run, sheet, &play_off.among, bouts, lang));
        }
    }
    lines.extend(board_lines(run, sheet, lang));
    lines.extend(super::exhibition::lines(run, sheet, lang));
    lines
}

fn same(one: &[usize], other: &[usize]) -> bool {
    one.len() == other.len() && one.iter().all(|member| other.contains(member))
}

/// `Play-off Wukong - Tiger, two games of 900 a bout: 1-1 1-1 | 1-1 2-0`, points of the first-named.
fn play_off_line<'a>(
    run: &Run,
    sheet: &Sheet,
    among: &[usize],
    bouts: impl Iterator<Item = &'a PlayOff>,
    lang: Lang,
) -> String {
    let names: Vec<String> = among.iter().map(|one| one_line(name(run, *one, lang)).into_owned()).collect();
    let score = |game: &GameResult| {
        let first = if among.len() == 2 { among[0] } else { game.red };
        let own = game.score_of(first).unwrap_or(0);
        let score = format!("{}-{}", sheet.points.write(own), sheet.points.write(2 - own));
        if among.len() == 2 {
            return score;
        }
        let (red, black) = (one_line(name(run, game.red, lang)), one_line(name(run, game.black, lang)));
        format!("{red} {score} {black}")
    };
    let between = match (among.len(), lang) {
        (2, _) => " ",
        (_, Lang::English) => ", ",
        (_, Lang::Chinese) => "，",
    };
    let bouts: Vec<String> =
        bouts.map(|bout| bout.results.iter().map(score).collect::<Vec<_>>().join(between)).collect();
    let time = run.settings().and_then(|settings| settings.stages.get(sheet.play_off_stage?));
    let time = time.map(|stage| stage.time.control.clone()).unwrap_or_default();
    match lang {
        Lang::English => {
            format!("Play-off {}, {time} s a side: {}", names.join(" - "), bouts.join(" | "))
        }
        Lang::Chinese => format!("加赛 {}，每方 {time} 秒：{}", names.join("、"), bouts.join(" | ")),
    }
}

/// Each board's score and the sum of all, first-named entrants against second-named ones.
fn board_lines(run: &Run, sheet: &Sheet, lang: Lang) -> Vec<String> {
    if !sheet.boards {
        return Vec::new();
    }
    let results: Vec<GameResult> = run.results().collect();
    let (mut first, mut second) = (0, 0);
    let mut lines = Vec::new();
    for board in 0..run.entrant_count() / 2 {
        let (one, other) = (2 * board, 2 * board + 1);
        let own = |entrant: usize| -> u32 {
            let met = results.iter().filter(|game| game.score_of(one).is_some());
            met.filter_map(|game| game.score_of(entrant)).sum()
        };
        let (points, against) = (own(one), own(other));
        first += points;
        second += against;
        let (points, against) = (sheet.points.write(points), sheet.points.write(against));
        let (left, right) = (one_line(name(run, one, lang)), one_line(name(run, other, lang)));
        lines.push(match lang {
            Lang::English => format!("Board {}: {left} {points} - {against} {right}", board + 1),
            Lang::Chinese => format!("第 {} 台：{left} {points} : {against} {right}", board + 1),
        });
    }
    let (first, second) = (sheet.points.write(first), sheet.points.write(second));
    lines.push(match lang {
        Lang::English => format!("All boards, first-named against second-named: {first} - {second}"),
        Lang::Chinese => format!("各台合计（前者对后者）：{first} : {second}"),
    });
    lines
}

/// What waits for the chief referee: games, and equals that no game separated.
pub fn held(run: &Run, lang: Lang) -> Vec<String> {
    let held = |termination: &Termination| matches!(termination, Termination::Held { .. });
    let mut lines: Vec<String> = run
        .games()
        .filter(|game| game.outcome.is_none() && held(&game.termination))
        .map(|game| format!("  {}", game_line(run, &game, lang)))
        .collect();
    for (one, other) in held_ties(run) {
        let (one, other) = (one_line(name(run, one, lang)), one_line(name(run, other, lang)));
        lines.push(match lang {
            Lang::English => format!("  {one}, {other}: level after all play-offs that the guard allows"),
            Lang::Chinese => format!("  {one}、{other}：加赛达上限仍平"),
        });
    }
    if !lines.is_empty() {
        lines.insert(0, lang.pick("Held for the chief referee:", "待裁判长裁决：").to_owned());
    }
    lines
}

fn held_ties(run: &Run) -> Vec<(usize, usize)> {
    let Some(settings) = run.settings() else { return Vec::new() };
    let results: Vec<GameResult> = run.results().collect();
    let known: Known<'_> = run.known(&results);
    let of_stage = |stage: &FormatSettings| match stage.format() {
        Format::Championship(event, part @ (Part::Qualifying | Part::Places)) => {
            match event.next(part, u32::MAX, &known) {
                Next::Held(ties) => ties,
                Next::Round(_) | Next::Waiting | Next::Over => Vec::new(),
            }
        }
        Format::Championship(_, Part::Groups | Part::Final)
        | Format::RoundRobin { .. }
        | Format::Gauntlet { .. }
        | Format::Pairs { .. }
        | Format::Swiss(_)
        | Format::Knockout(_)
        | Format::Boards { .. }
        | Format::Exhibition(_) => Vec::new(),
    };
    settings
        .stages
        .iter()
        .filter(|stage| matches!(stage.format, FormatSettings::Championship { .. }))
        .flat_map(|stage| of_stage(&stage.format))
        .collect()
}

/// The chief referee's decisions, one line each, the automatic verdict beside the new one.
pub fn decisions(run: &Run, lang: Lang) -> Vec<String> {
    if run.decisions().is_empty() {
        return Vec::new();
    }
    let title = lang.pick("Decisions of the chief referee:", "裁判长裁定：").to_owned();
    let lines = run.decisions().iter().map(|decision| format!("  {}", decision_line(run, decision, lang)));
    std::iter::once(title).chain(lines).collect()
}

/// What was said at the referee's desk beside decisions, one line each.
pub fn spoken(run: &Run, lang: Lang) -> Vec<String> {
    let spoken = |word: &DeskWord| match word {
        DeskWord::Spoken(_) => Some(format!("  {}", word_line(run, word, lang))),
        DeskWord::Decided(_) => None,
    };
    let lines: Vec<String> = run.desk_words().iter().filter_map(spoken).collect();
    let title = lang.pick("At the referee's desk:", "裁判席：").to_owned();
    if lines.is_empty() { lines } else { std::iter::once(title).chain(lines).collect() }
}

/// One word of the referee's desk in one line.
pub fn word_line(run: &Run, word: &DeskWord, lang: Lang) -> String {
    match word {
        DeskWord::Decided(place) => match run.decisions().get(*place) {
            Some(decision) => decision_line(run, decision, lang),
            None => String::new(),
        },
        DeskWord::Spoken(spoken) => {
            let Spoken { date, person, article, reason, said } = &**spoken;
            let article = article.as_ref().map_or(String::new(), |article| format!(" ({article})"));
            let what = said_words(said, lang);
            one_line(&format!("{date} {person}{article}: {what}; {reason}")).into_owned()
        }
    }
}

fn said_words(said: &Said, lang: Lang) -> String {
    match (said, lang) {
        (Said::Paused, _) => lang.pick("no further game begins for now", "暂停开始新局").to_owned(),
        (Said::WentOn, _) => lang.pick("games begin again", "恢复开始新局").to_owned(),
        (Said::Announced { text }, _) => format!("{}: {text}", lang.pick("announcement", "通告")),
        (Said::Asked { request, game, to_move, entered_by }, Lang::English) => {
            let by = entered_by.as_ref().map_or(String::new(), |by| format!(", entered by {by}"));
            format!("asks (request {request}) that game {game} go back to half-move {to_move}{by}")
        }
        (Said::Asked { request, game, to_move, entered_by }, Lang::Chinese) => {
            let by = entered_by.as_ref().map_or(String::new(), |by| format!("，由 {by} 登记"));
            format!("申请更正（第 {request} 号）：对局 {game} 退回第 {to_move} 个半回合{by}")
        }
        (Said::Refused { request, game }, Lang::English) => {
            format!("request {request} is refused, game {game} stands")
        }
        (Said::Refused { request, game }, Lang::Chinese) => {
            format!("第 {request} 号申请不予批准，对局 {game} 维持")
        }
    }
}

fn decision_line(run: &Run, decision: &Decision, lang: Lang) -> String {
    let Decision { number, date, person, article, reason, request, ordered } = decision;
    let granted = match (request, lang) {
        (None, _) => String::new(),
        (Some(request), Lang::English) => format!("request {request} is granted: "),
        (Some(request), Lang::Chinese) => format!("批准第 {request} 号申请："),
    };
    let what = format!("{granted}{}", ordered_words(run, ordered, lang));
    one_line(&format!("{number}. {date} {person} ({article}): {what}; {reason}")).into_owned()
}

fn ordered_words(run: &Run, ordered: &Ordered, lang: Lang) -> String {
    let automatic = |game| {
        let verdict = run.attempt(game).and_then(|game| game.termination.outcome());
        let token: &str = verdict.map_or("*", Outcome::token);
        format!("{} {token}", lang.pick("automatic", "自动判定"))
    };
    let was = |old: &Option<String>| old.clone().unwrap_or_else(|| token(None).to_owned());
    match ordered {
        Ordered::Result { game, old, new } => {
            format!("{} {game}: {} -> {new} ({})", lang.pick("game", "对局"), was(old), automatic(*game))
        }
        Ordered::Annulled { game, old } => {
            let annulled = lang.pick("annulled", "取消");
            format!(
                "{} {game} {annulled}: {} -> * ({})",
                lang.pick("game", "对局"),
                was(old),
                automatic(*game)
            )
        }
        Ordered::Replay { game, old, new } => {
            let again = lang.pick("to be played again as", "重赛，编号");
            format!("{} {game} {again} {new} ({}; {})", lang.pick("game", "对局"), was(old), automatic(*game))
        }
        Ordered::Corrected { game, to_move, struck, clocks_us } => {
            let [red, black] = clocks_us.map(|us| us as f64 / 1e6);
            match lang {
                Lang::English => format!(
                    "game {game} goes back to half-move {to_move}, clocks {red} s and {black} s; struck out: {struck}"
                ),
                Lang::Chinese => format!(
                    "对局 {game} 退回第 {to_move} 个半回合，双方余时 {red} 秒、{black} 秒；删去：{struck}"
                ),
            }
        }
        Ordered::Reopened { game, old, new, to_move, struck, clocks_us, .. } => {
            let ([red, black], was) = (clocks_us.map(|us| us as f64 / 1e6), was(old));
            let automatic = automatic(*game);
            match lang {
                Lang::English => format!(
                    "game {game} ({was}; {automatic}) goes on from half-move {to_move} as {new}, clocks {red} s and {black} s; struck out: {struck}"
                ),
                Lang::Chinese => format!(
                    "对局 {game}（{was}；{automatic}）自第 {to_move} 个半回合续赛，编号 {new}，双方余时 {red} 秒、{black} 秒；删去：{struck}"
                ),
            }
        }
        Ordered::Withdrawn { entrant, cancelled, .. } => {
            let what = match cancelled {
                true => lang.pick("withdrew, its results of the stage are cancelled", "退赛，本阶段成绩取消"),
                false => lang.pick("withdrew, its games to come are forfeited", "退赛，其余对局判负"),
            };
            format!("{} {what}", called(run, entrant, lang))
        }
        Ordered::Placed { order } => {
            let order: Vec<&str> = order.iter().map(|one| called(run, one, lang)).collect();
            format!("{}: {}", lang.pick("order of equals", "同分排名"), order.join(" > "))
        }
        Ordered::Admitted { entrant } => {
            let admitted = lang.pick("may play on with its changed files", "更改后的文件准予继续比赛");
            format!("{} {admitted}", called(run, entrant, lang))
        }
    }
}

/// The lots as drawn: `A1 Tiger, A2 Lotus; B1 ..`, and how to check them.
pub fn lots(run: &Run, lang: Lang) -> String {
    let Some(drawn) = run.drawn() else { return String::new() };
    let named = |(lot, entrant): (&String, &String)| format!("{lot} {}", called(run, entrant, lang));
    let list: Vec<String> = drawn.lots.iter().map(named).collect();
    let commitment: String = drawn.commitment.chars().take(16).collect();
    let promised = run.settings().and_then(|settings| settings.commitment.as_deref());
    let promised = match (promised == Some(&drawn.commitment), lang) {
        (true, Lang::English) => format!("promised before by its commitment {commitment}.."),
        (true, Lang::Chinese) => format!("事先公布承诺值 {commitment}.."),
        (false, Lang::English) => "not promised before".to_owned(),
        (false, Lang::Chinese) => "事先未公布承诺值".to_owned(),
    };
    let algorithm = match lang {
        Lang::Chinese if drawn.algorithm == lots::ALGORITHM => lots::ALGORITHM_ZH,
        _ => &drawn.algorithm,
    };
    match lang {
        Lang::English => format!("{}; seed {}, {promised}; {algorithm}", list.join(", "), drawn.seed),
        Lang::Chinese => {
            format!("{}；种子 {}，{promised}；算法：{algorithm}", list.join("、"), drawn.seed)
        }
    }
}

/// What separates equals of a championship (I.8).
pub fn tie_break(lang: Lang) -> &'static str {
    lang.pick(
        "their own games (a mini-table of three and more), then rapid bouts of two until decided, then the chief referee's word (I.8); in the groups only where the qualifying line runs through them",
        "先比相互成绩（三方以上列小循环表），再以两局一场的快棋加赛至分出胜负，最后由裁判长裁定（一之8）；预赛仅当出线名额所涉",
    )
}

/// What none of the articles settles and no other line of the head says: the readings in force.
pub fn readings(settings: &Settings, lang: Lang) -> String {
    let championship = settings.regulation.as_deref() == Some("championship");
    let first = if championship {
        lang.pick(
            "Berger's table gives the first Red of a bout, a lot that of a play-off",
            "先手按贝格尔表，加赛首局先手抽签",
        )
    } else {
        lang.pick("the first-named has Red first", "排名在前者首局执红")
    };
    let rest = lang.pick(
        "an illegal move loses at once; engines never ponder; start-up is not charged; engines may resign and agree on draws as set; of a withdrawn entrant with less than half its games played the results of the stage are cancelled, else its games to come are forfeited",
        "违规着法立即判负；引擎不得后台思考；启动不计时；认输、议和从设置；退赛者赛程不足半数则本阶段成绩取消，否则其余对局判负",
    );
    format!("{first}{}{rest}", lang.pick("; ", "；"))
}

/// A stage's name; those of a championship have Chinese ones.
pub fn stage_name<'a>(format: &FormatSettings, name: &'a str, lang: Lang) -> std::borrow::Cow<'a, str> {
    match (format, lang) {
        (FormatSettings::Championship { part, .. }, Lang::Chinese) => match part.as_str() {
            "groups" => "预赛".into(),
            "qualifying" => "出线加赛".into(),
            "final" => "决赛".into(),
            _ => "名次加赛".into(),
        },
        (_, Lang::Chinese) => match name.strip_prefix("Stage ") {
            Some(number) => format!("第 {number} 阶段").into(),
            None => name.into(),
        },
        (_, Lang::English) => name.into(),
    }
}

/// A championship's format in words.
pub fn championship(settings: &FormatSettings, lang: Lang) -> String {
    let FormatSettings::Championship { part, groups, qualify, carry_over, bouts, guard, .. } = settings
    else {
        return String::new();
    };
    let order = match (bouts, lang) {
        (true, Lang::English) => "games of a bout back to back",
        (true, Lang::Chinese) => "两局连赛",
        (false, Lang::English) => "cycle by cycle",
        (false, Lang::Chinese) => "逐循环进行",
    };
    let sizes: Vec<String> = groups.iter().map(|group| group.len().to_string()).collect();
    let sizes = sizes.join("+");
    match (part.as_str(), lang) {
        ("groups", Lang::English) => format!(
            "{} group{} by lot ({sizes}), double round robin, {order}, {qualify} of each qualify",
            groups.len(),
            if groups.len() == 1 { "" } else { "s" }
        ),
        ("groups", Lang::Chinese) => {
            format!("抽签分 {} 组（{sizes}），双循环，{order}，每组前 {qualify} 名出线", groups.len())
        }
        ("final", Lang::English) => {
            let carry = if *carry_over {
                "finalists of one group do not meet again, their bout counts"
            } else {
                "everybody meets everybody anew"
            };
            format!("double round robin, {order}; {carry}")
        }
        ("final", Lang::Chinese) => {
            let carry = if *carry_over {
                "同组出线者不再对局，预赛成绩带入"
            } else {
                "全部重新对局"
            };
            format!("双循环，{order}；{carry}")
        }
        ("qualifying", Lang::English) => {
            format!("rapid bouts of two at the qualifying line (not in the text), at most {guard}, then held")
        }
        ("qualifying", Lang::Chinese) => {
            format!("出线名次加赛，每场两局（规程未载），至多 {guard} 场，仍平由裁判长裁定")
        }
        (_, Lang::English) => {
            format!("rapid bouts of two among equals until decided (I.8), at most {guard}, then held")
        }
        (_, Lang::Chinese) => format!("同分加赛，每场两局，至多 {guard} 场，仍平由裁判长裁定"),
    }
}

/// The titles of a championship's table in English and Chinese.
pub fn titles(part: Part, group: usize) -> (String, String) {
    match part {
        Part::Groups | Part::Qualifying => {
            let letter = lots::letter(group);
            (format!("Preliminaries, group {letter}"), format!("预赛 {letter} 组"))
        }
        Part::Final | Part::Places => ("Final".to_owned(), "决赛".to_owned()),
    }
}
