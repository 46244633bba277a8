//! The repetition rulings of a run: what was judged, by which article, and what every half-move of the
//! judged stretch was. Start at [`text`].

use serde_json::{Value, json};

use super::Style;
use super::crosstable::game_line;
use super::lang::Lang;
use super::reasons;
use super::sheet::token;
use crate::game::Termination;
use crate::law::{Chase, Deed, Manner, Ruling};
use crate::record::{GameSummary, Run, label_word, ruling_record};
use crate::xiangqi::Side;

/// Games that ended by a repetition, with their rulings, in schedule order.
fn rulings(run: &Run) -> impl Iterator<Item = (&GameSummary, &Ruling)> {
    run.games().filter_map(|game| match &game.termination {
        Termination::Repetition(ruling) => Some((game, ruling)),
        Termination::Mated { .. }
        | Termination::NoMove { .. }
        | Termination::DeadPosition
        | Termination::NoCapture
        | Termination::MaxLength
        | Termination::Flag { .. }
        | Termination::IllegalMove { .. }
        | Termination::Crashed { .. }
        | Termination::Stalled { .. }
        | Termination::Resigned { .. }
        | Termination::Agreed
        | Termination::Adjudicated { .. }
        | Termination::SessionOver
        | Termination::Held { .. }
        | Termination::Abandoned { .. } => None,
    })
}

/// `rulings.txt`.
pub fn text(run: &Run, style: &Style) -> String {
    let lang = style.lang;
    let mut out = String::new();
    for (game, ruling) in rulings(run) {
        out.push_str(&format!("{}\n", game_line(run, game, lang)));
        for line in explain(game, ruling, lang) {
            out.push_str(&format!("  {line}\n"));
        }
        out.push('\n');
    }
    if out.is_empty() {
        out.push_str(lang.pick("No game ended by a repetition.\n", "没有因循环局面结束的对局。\n"));
    }
    out
}

/// The lines of one ruling: who did what over the judged stretch, then every half-move of it.
pub fn explain(game: &GameSummary, ruling: &Ruling, lang: Lang) -> Vec<String> {
    let (from, to) = (ruling.span.start + 1, ruling.span.end);
    let mut lines = vec![match lang {
        Lang::English => {
            format!("judged: half-moves {from} to {to}; the position stood {} times", ruling.occurrences)
        }
        Lang::Chinese => {
            format!("裁决区间：第 {from} 至 {to} 个半回合；同一局面出现 {} 次", ruling.occurrences)
        }
    }];
    let levels = Side::BOTH.map(|side| {
        let level = ruling.levels[side];
        let gap = lang.pick(": ", "：");
        format!("{}{gap}{} ({})", reasons::side(side, lang), reasons::level(level, lang), level as u8)
    });
    lines.push(levels.join(lang.pick("; ", "；")));
    let Some(judged) = &game.moves else { return lines };
    let black_first = judged.fen.split_ascii_whitespace().nth(1) == Some("b");
    let moves = judged.moves.split_ascii_whitespace().enumerate();
    let moves = moves.skip(ruling.span.start).take(ruling.span.len());
    for ((ply, mv), deed) in moves.zip(&ruling.deeds) {
        let side = if (ply % 2 == 1) ^ black_first { Side::Black } else { Side::Red };
        lines.push(format!("{:>4}  {}  {mv}  {}", ply + 1, reasons::side(side, lang), deed_text(deed)));
    }
    lines
}

fn deed_text(deed: &Deed) -> String {
    let mut text = label_word(deed.label).replace('_', " ");
    for chase in &deed.chases {
        text.push_str(&chase_text(chase));
    }
    text
}

fn chase_text(chase: &Chase) -> String {
    let Chase { attacker, attacker_kind, victim, victim_kind, manner, .. } = chase;
    let manner = match manner {
        Manner::Direct => "",
        Manner::Subversive => " (its protection is gone)",
    };
    format!("; {} {attacker} attacks {} {victim}{manner}", attacker_kind.name(), victim_kind.name())
}

/// `rulings.json`: a list; the same data for programs.
pub fn json(run: &Run, _style: &Style) -> String {
    let rulings: Vec<Value> = rulings(run)
        .map(|(game, ruling)| {
            json!({
                "game": game.id.to_string(),
                "red": run.name(game.red),
                "black": run.name(game.black),
                "result": token(game.outcome),
                "reason_en": reasons::sentence(&game.termination, Lang::English),
                "reason_zh": reasons::sentence(&game.termination, Lang::Chinese),
                "ruling": ruling_record(ruling),
                "fen": game.moves.as_ref().map(|judged| judged.fen.as_str()),
                "moves": game.moves.as_ref().map(|judged| judged.moves.as_str()),
            })
        })
        .collect();
    super::pretty(&Value::Array(rulings))
}
