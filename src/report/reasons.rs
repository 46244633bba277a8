//! How a game ended, in words: one sentence and a short form for every termination, in English and
//! Chinese, naming the rule book's article where there is one. Start at [`sentence`].

use std::time::Duration;

use super::lang::Lang;
use crate::game::{Outcome, Termination};
use crate::law::{self, Book, Level, Ruling};
use crate::time::micros;
use crate::xiangqi::Side;

/// A side's name.
pub const fn side(side: Side, lang: Lang) -> &'static str {
    match side {
        Side::Red => lang.pick("Red", "红方"),
        Side::Black => lang.pick("Black", "黑方"),
    }
}

/// One sentence without a full stop.
pub fn sentence(termination: &Termination, lang: Lang) -> String {
    let named = |loser: Side, english: &str, chinese: &str| {
        let gap = lang.pick(" ", "");
        format!("{}{gap}{}", side(loser, lang), lang.pick(english, chinese))
    };
    let whole = |english, chinese| lang.pick(english, chinese).to_owned();
    match termination {
        Termination::Mated { loser } => named(*loser, "is mated", "被将死"),
        Termination::NoMove { loser } => named(*loser, "has no legal move and loses", "困毙作负"),
        Termination::Repetition(ruling) => repetition(ruling, lang),
        Termination::DeadPosition => {
            whole("Draw: neither side has a piece left that can attack", "和棋：双方均无进攻子力")
        }
        Termination::NoCapture => {
            whole("Draw: the limit of moves without a capture is reached", "和棋：达到自然限着")
        }
        Termination::MaxLength => whole("Draw: the game is as long as it may be", "和棋：达到总步数上限"),
        Termination::Flag { loser, used, allowed } => {
            let (used, allowed) = flag_times(*used, *allowed);
            let english = format!("loses on time (used {used} s of {allowed} s)");
            named(*loser, &english, &format!("超时作负（用时 {used} 秒，限时 {allowed} 秒）"))
        }
        Termination::OverrunInCheck { loser, used, allowed } => {
            let (used, allowed) = flag_times(*used, *allowed);
            let english = format!("must pass in check and loses (II.5; used {used} s of {allowed} s)");
            let chinese = format!("被将军时超时禁走，判负（二之5；用时 {used} 秒，限时 {allowed} 秒）");
            named(*loser, &english, &chinese)
        }
        Termination::IllegalMove { loser, text } => {
            let english = format!("answers with an illegal move ({text}) and loses");
            named(*loser, &english, &format!("着法违规（{text}），判负"))
        }
        Termination::Crashed { loser, how } => {
            let english = format!("loses: its engine ended ({how})");
            named(*loser, &english, &format!("引擎中止（{how}），判负"))
        }
        Termination::Stalled { loser, waiting_for } => {
            let english = format!("loses: its engine did not answer (waiting for {waiting_for})");
            named(*loser, &english, &format!("引擎无应答（等待 {waiting_for}），判负"))
        }
        Termination::Resigned { loser } => named(*loser, "resigns", "认负"),
        Termination::Agreed => whole("Draw by agreement", "双方同意和棋"),
        Termination::Adjudicated { winner: Some(winner), .. } => {
            named(*winner, "wins by the scores of both engines", "胜：依双方评分判定")
        }
        Termination::Adjudicated { winner: None, .. } => {
            whole("Draw by the scores of both engines", "和棋：依双方评分判定")
        }
        Termination::Forfeited { loser, reason } => {
            let english = format!("forfeits the game ({reason})");
            named(*loser, &english, &format!("弃权（{reason}），判负"))
        }
        Termination::SessionOver => {
            whole("Draw: the time of the session is over (II.5)", "和棋：赛程时限已到（二之5）")
        }
        Termination::Held { reason } => {
            format!("{}{reason}", lang.pick("Held for the chief referee: ", "待裁判长裁决："))
        }
        Termination::Abandoned { reason } => {
            format!("{}{reason}", lang.pick("Not finished, to be played again: ", "未下完，将重赛："))
        }
    }
}

/// A word or two, for lists.
pub fn short(termination: &Termination, lang: Lang) -> String {
    let word = |english, chinese| lang.pick(english, chinese).to_owned();
    match termination {
        Termination::Mated { .. } => word("mate", "将死"),
        Termination::NoMove { .. } => word("stalemate", "困毙"),
        Termination::Repetition(ruling) => {
            let basis = basis(ruling, lang);
            let basis = if basis.is_empty() { basis } else { format!(" ({basis})") };
            format!("{}{basis}", lang.pick("repetition", "循环局面"))
        }
        Termination::DeadPosition => word("dead position", "无进攻子力"),
        Termination::NoCapture => word("no capture", "自然限着"),
        Termination::MaxLength => word("maximum length", "步数上限"),
        Termination::Flag { .. } => word("time", "超时"),
        Termination::OverrunInCheck { .. } => word("overrun in check", "将军时超时"),
        Termination::IllegalMove { .. } => word("illegal move", "违规着法"),
        Termination::Crashed { .. } => word("crash", "引擎中止"),
        Termination::Stalled { .. } => word("no answer", "无应答"),
        Termination::Resigned { .. } => word("resignation", "认负"),
        Termination::Agreed => word("agreement", "议和"),
        Termination::Adjudicated { .. } => word("scores", "评分判定"),
        Termination::Forfeited { .. } => word("forfeit", "弃权"),
        Termination::SessionOver => word("session over", "赛程时限"),
        Termination::Held { .. } => word("held", "待裁决"),
        Termination::Abandoned { .. } => word("abandoned", "未下完"),
    }
}

/// The words of a recorded kind, for counts; an unknown kind stands for itself.
pub fn kind(kind: &str, lang: Lang) -> String {
    let (english, chinese) = match kind {
        "mated" => ("mate", "将死"),
        "no_move" => ("stalemate", "困毙"),
        "repetition" => ("repetition", "循环局面"),
        "dead_position" => ("dead position", "无进攻子力"),
        "no_capture" => ("no capture", "自然限着"),
        "max_length" => ("maximum length", "步数上限"),
        "flag" => ("time", "超时"),
        "overrun_in_check" => ("overrun in check", "将军时超时"),
        "illegal_move" => ("illegal move", "违规着法"),
        "crashed" => ("crash", "引擎中止"),
        "stalled" => ("no answer", "无应答"),
        "resigned" => ("resignation", "认负"),
        "agreed" => ("agreement", "议和"),
        "adjudicated" => ("scores", "评分判定"),
        "forfeited" => ("forfeit", "弃权"),
        "session_over" => ("session over", "赛程时限"),
        "held" => ("held", "待裁决"),
        "abandoned" => ("abandoned", "未下完"),
        other => (other, other),
    };
    lang.pick(english, chinese).to_owned()
}

/// A rule book's name.
pub const fn book(book: Book, lang: Lang) -> &'static str {
    match book {
        Book::Asian2006 => lang.pick("Asian rules 2006", "亚洲棋规 2006"),
        Book::Computer => lang.pick("computer rules", "电脑规则"),
        Book::Plain => lang.pick("plain repetition", "循环即和"),
    }
}

/// What a side did over the judged span.
pub const fn level(level: Level, lang: Lang) -> &'static str {
    match level {
        Level::Permitted => lang.pick("nothing forbidden", "未犯例"),
        Level::TakesRootsAway => lang.pick("perpetual removal of protection", "长去根"),
        Level::Chases => lang.pick("perpetual chase", "长捉"),
        Level::ChasesPinnedChariot => lang.pick("perpetual chase of a pinned chariot", "长捉被牵制的车"),
        Level::Checks => lang.pick("perpetual check", "长将"),
    }
}

/// The name of an article: `article 13`, `第 13 条`, `general rule`.
pub fn article_name(number: u8, lang: Lang) -> String {
    match (number, lang) {
        (0, _) => lang.pick("general rule", "总则").to_owned(),
        (_, Lang::English) => format!("article {number}"),
        (_, Lang::Chinese) => format!("第 {number} 条"),
    }
}

/// The article a ruling names, with its title; empty for books without articles.
pub fn article(ruling: &Ruling, lang: Lang) -> String {
    match ruling.article.map(|number| (number, law::article(number))) {
        None => String::new(),
        Some((number, Some(row))) if number > 0 => {
            let gap = lang.pick(": ", " ");
            format!("{}{gap}{}", article_name(number, lang), lang.pick(row.title.en, row.title.zh))
        }
        Some((number, _)) => article_name(number, lang),
    }
}

fn basis(ruling: &Ruling, lang: Lang) -> String {
    match (ruling.book, ruling.article) {
        (Book::Asian2006, Some(number)) => article_name(number, lang),
        (Book::Asian2006 | Book::Computer | Book::Plain, _) => book(ruling.book, lang).to_owned(),
    }
}

/// One sentence about a ruling without a full stop.
pub fn repetition(ruling: &Ruling, lang: Lang) -> String {
    let article = article(ruling, lang);
    let gap = if article.is_empty() { "" } else { lang.pick(", ", "，") };
    let basis = format!("{}{gap}{article}", book(ruling.book, lang));
    let done = ruling.verdict.loser().map(|loser| (loser, level(ruling.levels[loser], lang)));
    match (done, lang) {
        (None, Lang::English) => format!("Draw by repetition ({basis})"),
        (None, Lang::Chinese) => format!("循环局面，判和（{basis}）"),
        (Some((loser, deed)), Lang::English) => {
            format!("{} loses by repetition: {deed} ({basis})", side(loser, lang))
        }
        (Some((loser, deed)), Lang::Chinese) => {
            format!("{}{deed}，判负（{basis}）", side(loser, lang))
        }
    }
}

/// Times of a flag in seconds with three decimals, or with six where three would hide the difference.
fn flag_times(used: Duration, allowed: Duration) -> (String, String) {
    let (used, allowed) = (micros(used), micros(allowed));
    let write = |us: u64, digits: usize| {
        let text = format!("{}.{:06}", us / 1_000_000, us % 1_000_000);
        text[..text.len() - 6 + digits].to_owned()
    };
    let digits = if used / 1000 == allowed / 1000 { 6 } else { 3 };
    (write(used, digits), write(allowed, digits))
}

/// The result in words.
pub const fn outcome(outcome: Option<Outcome>, lang: Lang) -> &'static str {
    match outcome {
        None => lang.pick("no result", "无结果"),
        Some(Outcome::RedWins) => lang.pick("Red wins", "红胜"),
        Some(Outcome::BlackWins) => lang.pick("Black wins", "黑胜"),
        Some(Outcome::Draw) => lang.pick("draw", "和棋"),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::record::fixture::{ENDS, termination};

    #[test]
    fn every_end_in_words() {
        let text: String = ENDS
            .into_iter()
            .map(|end| {
                let end = termination(end);
                let line = |lang| format!("{} [{}]", sentence(&end, lang), short(&end, lang));
                format!("{}\n{}\n", line(Lang::English), line(Lang::Chinese))
            })
            .collect();
        expect![[r#"
            Red is mated [mate]
            红方被将死 [将死]
            Black has no legal move and loses [stalemate]
            黑方困毙作负 [困毙]
            Draw by repetition (Asian rules 2006, general rule) [repetition (general rule)]
            循环局面，判和（亚洲棋规 2006，总则） [循环局面 (总则)]
            Red loses by repetition: perpetual chase (Asian rules 2006, article 29: False roots) [repetition (article 29)]
            红方长捉，判负（亚洲棋规 2006，第 29 条 假根子） [循环局面 (第 29 条)]
            Draw: neither side has a piece left that can attack [dead position]
            和棋：双方均无进攻子力 [无进攻子力]
            Draw: the limit of moves without a capture is reached [no capture]
            和棋：达到自然限着 [自然限着]
            Draw: the game is as long as it may be [maximum length]
            和棋：达到总步数上限 [步数上限]
            Black loses on time (used 1.503 s of 1.500 s) [time]
            黑方超时作负（用时 1.503 秒，限时 1.500 秒） [超时]
            Red answers with an illegal move (h2h9 "quoted" }) and loses [illegal move]
            红方着法违规（h2h9 "quoted" }），判负 [违规着法]
            Black loses: its engine ended (signal 11) [crash]
            黑方引擎中止（signal 11），判负 [引擎中止]
            Red loses: its engine did not answer (waiting for a move) [no answer]
            红方引擎无应答（等待 a move），判负 [无应答]
            Black resigns [resignation]
            黑方认负 [认负]
            Black forfeits the game (withdrawn) [forfeit]
            黑方弃权（withdrawn），判负 [弃权]
            Draw by agreement [agreement]
            双方同意和棋 [议和]
            Red wins by the scores of both engines [scores]
            红方胜：依双方评分判定 [评分判定]
            Draw by the scores of both engines [scores]
            和棋：依双方评分判定 [评分判定]
            Draw: the time of the session is over (II.5) [session over]
            和棋：赛程时限已到（二之5） [赛程时限]
            Held for the chief referee: protest [held]
            待裁判长裁决：protest [待裁决]
            Not finished, to be played again: the runner was stopped [abandoned]
            未下完，将重赛：the runner was stopped [未下完]
            Red resigns [resignation]
            红方认负 [认负]
            Black must pass in check and loses (II.5; used 60.000700 s of 60.000000 s) [overrun in check]
            黑方被将军时超时禁走，判负（二之5；用时 60.000700 秒，限时 60.000000 秒） [将军时超时]
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn a_flag_by_microseconds_shows_them() {
        let times = |used, allowed| flag_times(Duration::from_micros(used), Duration::from_micros(allowed));
        assert_eq!(times(1_503_100, 1_500_000), ("1.503".to_owned(), "1.500".to_owned()));
        assert_eq!(times(1_500_001, 1_500_000), ("1.500001".to_owned(), "1.500000".to_owned()));
    }

    #[test]
    fn the_short_form_of_a_kind_is_its_word() {
        for end in ENDS {
            let end = termination(end);
            for lang in [Lang::English, Lang::Chinese] {
                assert!(short(&end, lang).starts_with(&kind(end.kind(), lang)));
            }
        }
    }
}
