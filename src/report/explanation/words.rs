//! The sentences of an explanation in English and Chinese. Words only: what is true was found by the
//! law. Start at [`reason`].

use crate::law::{Book, ExplainedHalf, Fault, Guard, Label, Level, Manner, Reason, Ruling, Why, article};
use crate::report::Lang;
use crate::report::reasons;
use crate::xiangqi::{Kind, Piece, Side, Square};

/// Who loses by what.
pub fn headline(ruling: &Ruling, lang: Lang) -> String {
    match ruling.verdict.loser() {
        None => lang.pick("Draw by repetition", "循环局面，判和").to_owned(),
        Some(loser) => {
            let (name, level) = (reasons::side(loser, lang), reasons::level(ruling.levels[loser], lang));
            match lang {
                Lang::English => format!("{name} loses by repetition: {level}"),
                Lang::Chinese => format!("循环局面，{name}{level}，判负"),
            }
        }
    }
}

/// The rule book and its article, and whose half-moves that describes.
pub fn basis(ruling: &Ruling, actor: Option<Side>, lang: Lang) -> String {
    let book = reasons::book(ruling.book, lang);
    let Some(article) = ruling.article.and_then(article) else { return book.to_owned() };
    if article.number == 0 {
        return format!("{book}{}{}", lang.pick(", ", "，"), reasons::article_name(0, lang));
    }
    let whose = actor.map(|side| reasons::side(side, lang));
    let name = reasons::article_name(article.number, lang);
    match lang {
        Lang::English => {
            let whose = whose.map(|side| format!(" on {side}'s half-moves")).unwrap_or_default();
            format!("{book}, {name}{whose}: {}", article.title.en)
        }
        Lang::Chinese => {
            let whose = whose.map(|side| format!("（就{side}着法而言）")).unwrap_or_default();
            format!("{book}，{name}{whose}：{}", article.title.zh)
        }
    }
}

/// What was judged.
pub fn span(ruling: &Ruling, round: usize, lang: Lang) -> String {
    let (first, last, stood) = (ruling.span.start + 1, ruling.span.end, ruling.occurrences);
    let times = ruling.span.len() / round.max(1);
    match (lang, times) {
        (Lang::English, 0 | 1) => {
            format!("The position stood {stood} times; half-moves {first} to {last} are judged:")
        }
        (Lang::English, _) => format!(
            "The position stood {stood} times; half-moves {first} to {last} are judged, these {round} played \
             {times} times:"
        ),
        (Lang::Chinese, 0 | 1) => {
            format!("同一局面出现 {stood} 次，裁决第 {first} 至 {last} 个半回合：")
        }
        (Lang::Chinese, _) => format!(
            "同一局面出现 {stood} 次，裁决第 {first} 至 {last} 个半回合，即以下 {round} 着重复 {times} 遍："
        ),
    }
}

/// What a half-move was.
pub const fn label(label: Label, lang: Lang) -> &'static str {
    match label {
        Label::Check => lang.pick("check", "将"),
        Label::Chase => lang.pick("chase", "捉"),
        Label::MateThreat => lang.pick("mate threat", "杀"),
        Label::Offer => lang.pick("offer", "献"),
        Label::Exchange => lang.pick("offer of exchange", "兑"),
        Label::Block => lang.pick("block", "拦"),
        Label::CheckAndTake => lang.pick("threat to check and take", "要抽"),
        Label::Idle => lang.pick("idle", "闲"),
    }
}

/// A piece on its point: `chariot c3`, `c3 车`.
pub fn piece(at: Square, piece: Piece, lang: Lang) -> String {
    match lang {
        Lang::English => format!("{} {at}", piece.kind().name()),
        Lang::Chinese => format!("{at} {}", character(piece)),
    }
}

/// A piece in prose: simplified, the two sides' own characters where they have some.
const fn character(piece: Piece) -> &'static str {
    match (piece.kind(), piece.side()) {
        (Kind::General, Side::Red) => "帅",
        (Kind::General, Side::Black) => "将",
        (Kind::Advisor, Side::Red) => "仕",
        (Kind::Advisor, Side::Black) => "士",
        (Kind::Elephant, Side::Red) => "相",
        (Kind::Elephant, Side::Black) => "象",
        (Kind::Soldier, Side::Red) => "兵",
        (Kind::Soldier, Side::Black) => "卒",
        (Kind::Horse, Side::Red | Side::Black) => "马",
        (Kind::Chariot, Side::Red | Side::Black) => "车",
        (Kind::Cannon, Side::Red | Side::Black) => "炮",
    }
}

/// A new attack and what it amounts to.
pub fn reason(reason: &Reason, lang: Lang) -> String {
    let attacker = piece(reason.capture.from, reason.attacker, lang);
    let victim = piece(reason.capture.to, reason.victim, lang);
    let why = why(reason, lang);
    let mut text = match (lang, reason.manner) {
        (Lang::English, Manner::Direct) => {
            let kind = if reason.why.is_threat() { " (direct chase)" } else { "" };
            format!("{attacker} newly attacks {victim}{kind}: {why}")
        }
        (Lang::English, Manner::Subversive) => format!(
            "{attacker} attacked {victim} before, but now {} (subversive chase): {why}",
            lost(reason, lang)
        ),
        (Lang::Chinese, Manner::Direct) => {
            let kind = if reason.why.is_threat() { "（直接捉）" } else { "" };
            format!("{attacker}新攻 {victim}{kind}：{why}")
        }
        (Lang::Chinese, Manner::Subversive) => {
            format!("{attacker}原已攻 {victim}，此着之后{}（去根捉）：{why}", lost(reason, lang))
        }
    };
    if reason.why.is_threat() && reason.attacker.kind() == reason.victim.kind() {
        text.push_str(
            lang.pick(", nor could it take the attacker, a piece of its kind", "，且不能反吃同类的攻子"),
        );
    }
    if let Some(horse) = reason.horse {
        text.push_str(&match lang {
            Lang::English => {
                format!("; it stands on the leg of the horse {horse}, which would check if it left")
            }
            Lang::Chinese => format!("；此车别住 {horse} 马的腿，离开即被马将军"),
        });
    }
    text
}

/// What a subversive chase took away.
fn lost(reason: &Reason, lang: Lang) -> String {
    let lost: Vec<String> = reason.guards_lost.iter().map(|guard| owned(guard, reason, lang)).collect();
    let guards = list(&lost, lang);
    match (lang, lost.is_empty(), reason.could_take_back) {
        (Lang::English, false, _) => format!("{guards} can no longer take back"),
        (Lang::English, true, true) => "it can no longer take the attacker".to_owned(),
        (Lang::English, true, false) => "its protection is gone".to_owned(),
        (Lang::Chinese, false, _) => format!(" {guards}不再能回吃"),
        (Lang::Chinese, true, true) => "该子不再能反吃".to_owned(),
        (Lang::Chinese, true, false) => "其保护已失".to_owned(),
    }
}

/// Why an attack is a threat or none.
fn why(reason: &Reason, lang: Lang) -> String {
    let true_guards = || {
        let guards = reason.guards.iter().filter(|guard| guard.fault.is_none());
        list(&guards.map(|guard| owned(guard, reason, lang)).collect::<Vec<_>>(), lang)
    };
    let fixed = |english, chinese| lang.pick(english, chinese).to_owned();
    match reason.why {
        Why::RootedOrNot => match lang {
            Lang::English => format!(
                "a chase, rooted or not, when a {} attacks a {}",
                reason.attacker.kind().name(),
                reason.victim.kind().name()
            ),
            Lang::Chinese => {
                format!("{}捉{}，有根无根都算", character(reason.attacker), character(reason.victim))
            }
        },
        Why::Rootless => fixed("nothing guards it", "无子保护"),
        Why::FalseRoots => {
            let faults: Vec<String> =
                reason.guards.iter().filter_map(|guard| fault(guard, reason, lang)).collect();
            match lang {
                Lang::English => format!("its guards are false roots; {}", faults.join("; ")),
                Lang::Chinese => format!("保护子都是假根，{}", faults.join("；")),
            }
        }
        Why::TrueRoot => match lang {
            Lang::English => format!("no chase, {} could take back", true_guards()),
            Lang::Chinese => format!("不算捉，有真根 {} 可以回吃", true_guards()),
        },
        Why::CouldTakeBack => {
            fixed("no chase, it could take the attacker, a piece of its own kind", "不算捉，同类子可以反吃")
        }
        Why::FreeAttacker => {
            fixed("no chase, the general and soldiers may attack", "不算捉，将帅兵卒可以攻子")
        }
        Why::UncrossedSoldier => fixed(
            "no chase, a soldier that has not crossed the river may be attacked",
            "不算捉，未过河的兵卒可以攻击",
        ),
    }
}

/// Why a guard cannot take back; `None` for a true root.
fn fault(guard: &Guard, reason: &Reason, lang: Lang) -> Option<String> {
    let name = owned(guard, reason, lang);
    Some(match (guard.fault?, lang) {
        (Fault::LineClosed, Lang::English) => format!("{name} loses its line or its screen by the capture"),
        (Fault::LineClosed, Lang::Chinese) => format!("{name}因对方吃子而线路被阻或失去炮架"),
        (Fault::Exposes { kind: Kind::General, .. }, Lang::English) => {
            format!("if {name} took back, the generals would face each other")
        }
        (Fault::Exposes { kind: Kind::General, .. }, Lang::Chinese) => format!("{name}回吃则将帅照面"),
        (Fault::Exposes { by, kind }, Lang::English) => {
            format!("if {name} took back, its general would be attacked by {} {by}", kind.name())
        }
        (Fault::Exposes { by, kind }, Lang::Chinese) => {
            let attacker = Piece::new(reason.attacker.side(), kind);
            format!("{name}回吃则将帅被 {}所攻", piece(by, attacker, lang))
        }
    })
}

/// A guard, a piece of the victim's side.
fn owned(guard: &Guard, reason: &Reason, lang: Lang) -> String {
    piece(guard.at, Piece::new(reason.victim.side(), guard.kind), lang)
}

fn list(names: &[String], lang: Lang) -> String {
    match (names, lang) {
        ([first @ .., last], Lang::English) if !first.is_empty() => {
            format!("{} and {last}", first.join(", "))
        }
        (_, Lang::English) => names.join(", "),
        (_, Lang::Chinese) => names.join("、"),
    }
}

/// How many of a side's half-moves were what.
pub struct Deeds {
    all: usize,
    checks: usize,
    chases: usize,
    checks_of_both: usize,
}

impl Deeds {
    /// Counts them.
    pub fn of(halves: &[ExplainedHalf], side: Side) -> Deeds {
        let is_check = |half: &&ExplainedHalf| half.label == Label::Check;
        let own = || halves.iter().filter(|half| half.side == side);
        let threats = |half: &&ExplainedHalf| half.reasons.iter().any(|reason| reason.why.is_threat());
        Deeds {
            all: own().count(),
            checks: own().filter(is_check).count(),
            chases: own().filter(threats).count(),
            checks_of_both: halves.iter().filter(is_check).count(),
        }
    }
}

/// Why a side's level is what it is; `victims` are the pieces that it chases on every half-move.
pub fn level_reason(ruling: &Ruling, deeds: &Deeds, victims: &[String], side: Side, lang: Lang) -> String {
    let several = if victims.len() > 1 { lang.pick("each of ", "") } else { "" };
    let victims = format!("{several}{}", list(victims, lang));
    match (ruling.levels[side], lang) {
        (Level::Checks, Lang::English) => "every half-move checks".to_owned(),
        (Level::Checks, Lang::Chinese) => "每着都将军".to_owned(),
        (Level::ChasesPinnedChariot, Lang::English) => format!(
            "every half-move attacks one and the same chariot, which each time stands on the leg of a horse \
             aimed at its general ({victims} at the start)"
        ),
        (Level::ChasesPinnedChariot, Lang::Chinese) => {
            format!("每着都捉同一只车，该车每次都别住对准其将帅的马（起始位置：{victims}）")
        }
        (Level::Chases, Lang::English) => {
            format!("every half-move newly attacks one and the same piece ({victims} at the start)")
        }
        (Level::Chases, Lang::Chinese) => format!("每着都重新捉同一子（起始位置：{victims}）"),
        (Level::TakesRootsAway, Lang::English) => format!(
            "every half-move newly attacks one and the same piece or takes its protection away ({victims} at \
             the start)"
        ),
        (Level::TakesRootsAway, Lang::Chinese) => {
            format!("每着都捉同一子或去掉其保护（起始位置：{victims}）")
        }
        (Level::Permitted, _) => permitted(ruling.book, deeds, &victims, lang),
    }
}

/// Why what a side did is nothing forbidden.
fn permitted(book: Book, deeds: &Deeds, victims: &str, lang: Lang) -> String {
    let Deeds { all, checks, chases, checks_of_both } = *deeds;
    let idle = all - checks - chases;
    if book == Book::Plain {
        return lang.pick("this rule book forbids no repetition", "本规则不禁止任何循环").to_owned();
    }
    if book == Book::Computer && checks_of_both > 0 {
        return lang
            .pick("a check that is not perpetual makes it a draw", "循环中有将而非长将，判和")
            .to_owned();
    }
    let text = match (checks, chases, idle) {
        (0, 0, _) => lang.pick("no half-move checks or chases", "没有一着是将或捉"),
        (_, 0, _) => {
            return match lang {
                Lang::English => format!("{checks} of {all} half-moves check, none chases"),
                Lang::Chinese => format!("{all} 着中 {checks} 着将军，没有捉"),
            };
        }
        (0, _, 0) if victims.is_empty() => {
            lang.pick("no one piece is chased on every half-move", "没有一子每着都被捉")
        }
        (0, _, 0) => {
            return match lang {
                Lang::English => format!(
                    "{victims} (at the start) is not attacked directly on every half-move; another piece is \
                     attacked in turn"
                ),
                Lang::Chinese => format!("{victims}（起始位置）并非每着都被直接捉，与他子轮流受攻"),
            };
        }
        (0, _, _) => {
            return match lang {
                Lang::English => format!("{idle} of {all} half-moves chase nothing"),
                Lang::Chinese => format!("{all} 着中 {idle} 着没有捉"),
            };
        }
        (_, _, _) => lang.pick("checks and chases are mixed", "将与捉相间"),
    };
    text.to_owned()
}

/// The verdict and what it follows from.
pub fn verdict(ruling: &Ruling, lang: Lang) -> String {
    let plain = ruling.book == Book::Plain;
    match (ruling.verdict.loser(), lang) {
        (None, Lang::English) if plain => "Every repetition is a draw.".to_owned(),
        (None, Lang::Chinese) if plain => "凡循环局面均判和。".to_owned(),
        (None, Lang::English) => "Equal levels: a draw.".to_owned(),
        (None, Lang::Chinese) => "双方同级，判和。".to_owned(),
        (Some(loser), Lang::English) => {
            format!("The higher level loses: {} loses.", reasons::side(loser, lang))
        }
        (Some(loser), Lang::Chinese) => format!("级高者负：{}判负。", reasons::side(loser, lang)),
    }
}
