//! What notes say to people: as it stands in the journal in English, and in Chinese where it is one of the sentences
//! that the program itself writes. What an engine says in its own words is never translated. Start at [`words`].

use super::lang::Lang;
use crate::record::Noted;

/// The sentences by the kind of their note: English with `{}` for what changes, and Chinese with the same in its
/// order.
const SENTENCES: &[(&str, &str, &str)] = &[
    (
        "unknown_option",
        "the engine does not list these options, so they were not sent: {}",
        "引擎未列出以下选项，故未发送：{}",
    ),
    (
        "lock_declared",
        "the engine of member {} on another machine, as its own side declares it: {}",
        "第 {} 名队员在另一台机器上的引擎，由其一方自行申报：{}",
    ),
    (
        "lock_declared",
        "the engine on another machine, as its own side declares it: {}",
        "另一台机器上的引擎，由其一方自行申报：{}",
    ),
    ("lock_broken", "the locked copy of {} has changed", "{} 的封存副本已被更改"),
    ("equal_files", "the same file (SHA-256 {}..): {}", "文件相同（SHA-256 {}..）：{}"),
    (
        "lots_promised",
        "before entries closed this commitment to the seed of the lots was published: {}",
        "报名截止前已公布抽签种子的承诺值：{}",
    ),
    (
        "identical_game",
        "the same moves as in game {}: these engines may never decide it by themselves",
        "与第 {} 局着法完全相同：这两个引擎可能永远分不出胜负",
    ),
    (
        "runner_waited",
        "an answer was read {} us too late; the runner itself had waited {} us for a processor, so it counts as in time",
        "应答的读取晚了 {} 微秒；裁判程序自身等待处理器 {} 微秒，故视为未超时",
    ),
    (
        "runner_stopped",
        "the runner did not run for {} ms; all clocks stood still",
        "裁判程序停顿 {} 毫秒；其间所有棋钟均未走动",
    ),
    (
        "busy_when_idle",
        "used {} ms of processor time in {} ms in which nothing was asked of it",
        "在未被提问的时间里占用处理器 {} 毫秒（共观察 {} 毫秒）",
    ),
    (
        "late_answer",
        "its answer came when it was stopped, {} ms after the game was lost for want of it",
        "因未应答判负 {} 毫秒后，引擎在被叫停时才给出应答",
    ),
    ("refused", "refuses a legal move or position: {}", "拒绝合法的着法或局面：{}"),
    ("gone", "{} after its turn", "轮走结束后中止：{}"),
    ("gone", "{}; not started again, the flag decides", "{}；不再重启，由棋钟裁定"),
    ("gone", "no sign of {}; the flag decides", "未见 {}；由棋钟裁定"),
    ("restarted", "{}; started again, its clock runs on", "{}；已重新启动，棋钟照走"),
    ("killed", "did not answer {} and was killed", "未应答 {}，已被终止"),
    (
        "repetition_warning",
        "the position stands for the {} time; if the loop goes on, {} loses{}",
        "同一局面第 {} 次出现；循环若继续，{}负{}",
    ),
    (
        "nobestmove",
        "nobestmove although there are {} legal moves ({}); it counts as a resignation",
        "尚有 {} 种合法着法却答 nobestmove（{}）；按认输处理",
    ),
];

/// What stands in a place of a sentence, where it is a word of ours: the kinds of the notes, English and Chinese.
const PARTS: &[(&[&str], &str, &str)] = &[
    (&["lock_declared"], "in a way that cannot be read", "无法读取"),
    (&["nobestmove"], "the position stands for the {} time", "同一局面第 {} 次出现"),
    (&["nobestmove"], "{} plies without a capture", "{} 个半回合未吃子"),
    (&["nobestmove"], "no cause that the referee can see", "裁判看不出原因"),
    (&["repetition_warning"], " (article {}, {})", "（第 {} 条）"),
    (&["repetition_warning"], " ({})", ""),
    (&["repetition_warning"], "Red", "红方"),
    (&["repetition_warning"], "Black", "黑方"),
    (ORDINALS, "first", "1"),
    (ORDINALS, "second", "2"),
    (ORDINALS, "third", "3"),
    (ORDINALS, "fourth", "4"),
    (ORDINALS, "{}th", "{}"),
    (&["restarted"], "gone", "已中止"),
];

/// The kinds of notes that count in words.
const ORDINALS: &[&str] = &["repetition_warning", "nobestmove"];

/// What a note says.
pub fn words(note: &Noted, lang: Lang) -> String {
    let chinese = || {
        let own = SENTENCES.iter().filter(|(kind, ..)| *kind == note.kind);
        own.into_iter().find_map(|(kind, english, chinese)| said_in(kind, english, chinese, &note.text))
    };
    match lang {
        Lang::English => note.text.clone(),
        Lang::Chinese => chinese().unwrap_or_else(|| note.text.clone()),
    }
}

/// A text of a note of this kind that has the form `english`, in the form `chinese`.
fn said_in(kind: &str, english: &str, chinese: &str, text: &str) -> Option<String> {
    let mut found = places(english, text)?.into_iter();
    let mut pieces = chinese.split("{}");
    let mut said = pieces.next()?.to_owned();
    for piece in pieces {
        said.push_str(&part(kind, found.next()?));
        said.push_str(piece);
    }
    Some(said)
}

fn part(kind: &str, text: &str) -> String {
    let own = PARTS.iter().filter(|(kinds, ..)| kinds.contains(&kind));
    let own = own.into_iter().find_map(|(_, english, chinese)| said_in(kind, english, chinese, text));
    own.unwrap_or_else(|| text.to_owned())
}

/// What stands in the places `{}` of a form, if a text has that form.
fn places<'a>(form: &str, text: &'a str) -> Option<Vec<&'a str>> {
    let mut pieces = form.split("{}");
    let mut rest = text.strip_prefix(pieces.next()?)?;
    let mut pieces = pieces.peekable();
    let mut found = Vec::new();
    while let Some(piece) = pieces.next() {
        let end =
            if pieces.peek().is_none() { rest.len().checked_sub(piece.len())? } else { rest.find(piece)? };
        let (place, after) = rest.split_at_checked(end)?;
        rest = after.strip_prefix(piece)?;
        found.push(place);
    }
    rest.is_empty().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where sentences are written.
    const WRITERS: &[&str] = &[
        include_str!("../record/event.rs"),
        include_str!("../runner/live/remote.rs"),
        include_str!("../runner/hall.rs"),
        include_str!("../runner/lock.rs"),
        include_str!("../runner/event.rs"),
        include_str!("../runner/play.rs"),
        include_str!("../table.rs"),
        include_str!("../table/loss.rs"),
        include_str!("../table/warning.rs"),
    ];

    fn check(kind: &str, text: &str, chinese: &str) {
        let (kind, text) = (kind.to_owned(), text.to_owned());
        let note = Noted { game: None, entrant: None, kind, text };
        assert_eq!(words(&note, Lang::Chinese), chinese);
        assert_eq!(words(&note, Lang::English), note.text);
    }

    #[test]
    fn notes_in_chinese() {
        let declared = "on another machine, as its own side declares it:";
        check(
            "lock_declared",
            &format!("the engine {declared} a (SHA-256 0f), b (SHA-256 1e)"),
            "另一台机器上的引擎，由其一方自行申报：a (SHA-256 0f), b (SHA-256 1e)",
        );
        check(
            "lock_declared",
            &format!("the engine of member 3 {declared} in a way that cannot be read"),
            "第 3 名队员在另一台机器上的引擎，由其一方自行申报：无法读取",
        );
        check(
            "repetition_warning",
            "the position stands for the third time; if the loop goes on, Red loses (article 29, False roots)",
            "同一局面第 3 次出现；循环若继续，红方负（第 29 条）",
        );
        check(
            "nobestmove",
            "nobestmove although there are 40 legal moves (the position stands for the 5th time); it counts as a resignation",
            "尚有 40 种合法着法却答 nobestmove（同一局面第 5 次出现）；按认输处理",
        );
        check("gone", "exited with status 3 after its turn", "轮走结束后中止：exited with status 3");
        check("restarted", "gone; started again, its clock runs on", "已中止；已重新启动，棋钟照走");
        // What is not ours stays as it is, whatever it begins with.
        check("claim", "the locked copy of x has changed", "the locked copy of x has changed");
        check("gone", "后", "后");
        check("lock_broken", "the locked copy of", "the locked copy of");
        check("lock_broken", "the locked copy of fifth has changed", "fifth 的封存副本已被更改");
    }

    /// A sentence that is written otherwise some day would stay English without anybody noticing.
    #[test]
    fn every_sentence_is_one_that_somebody_writes() {
        for (_, english, chinese) in SENTENCES {
            assert_eq!(english.matches("{}").count(), chinese.matches("{}").count(), "{english}");
            // Who is a member is written into the same sentence.
            let english = english.replace(" of member ", "{}").replace(" on another machine", "{}");
            for piece in english.split("{}") {
                let piece = piece.trim_end_matches(['(', ')']);
                assert!(WRITERS.iter().any(|text| text.contains(piece)), "nobody writes '{piece}'");
            }
        }
    }
}
