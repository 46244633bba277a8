//! Comma-separated tables: the standings and all games, one row each, with stable English column
//! names. UTF-8, LF, quoted by RFC 4180. Start at [`games`].

use std::time::Duration;

use super::Style;
use super::lang::Lang;
use super::lines::one_line;
use super::reasons;
use super::sheet::{sheets, token};
use crate::record::Run;
use crate::tournament::Decided;

/// `crosstable.csv`: one row for each entrant of each stage.
pub fn standings(run: &Run, _style: &Style) -> String {
    let mut out = "rank,engine,name_zh,games,wins,draws,losses,points,h2h_points,playoff_points,wins_red,\
                   wins_black,sb_info,stage\n"
        .to_owned();
    for sheet in sheets(run) {
        for row in &sheet.rows {
            let (line, total) = (&row.line, row.line.total());
            let own = |own: u32| sheet.points.write(own);
            let (head_to_head, play_off) = match line.decided {
                Decided::HeadToHead { own: points, .. } | Decided::MiniTable { own: points, .. } => {
                    (own(points), String::new())
                }
                Decided::PlayOff { own: points, .. } | Decided::PlayOffTable { own: points, .. } => {
                    (String::new(), own(points))
                }
                Decided::Survival
                | Decided::Points
                | Decided::WinsAsBlack(_)
                | Decided::Wins(_)
                | Decided::SonnebornBerger(_)
                | Decided::Withdrawn
                | Decided::Ruled
                | Decided::Shared => (String::new(), String::new()),
            };
            let chinese = run.settings().and_then(|s| s.entrants.get(row.entrant)?.name_zh.clone());
            write_row(
                &mut out,
                &[
                    line.rank.to_string(),
                    text(run.name(row.entrant)),
                    text(&chinese.unwrap_or_default()),
                    total.games().to_string(),
                    total.wins.to_string(),
                    total.draws.to_string(),
                    total.losses.to_string(),
                    own(line.points),
                    head_to_head,
                    play_off,
                    line.red.wins.to_string(),
                    line.black.wins.to_string(),
                    sheet.points.write_sonneborn_berger(line.sonneborn_berger),
                    text(&sheet.stage),
                ],
            );
        }
    }
    out
}

/// `games.csv`: one row for each attempt, in schedule order.
pub fn games(run: &Run, _style: &Style) -> String {
    let mut out = "game,red,black,result,termination,plies,opening,opening_plies,red_used_s,black_used_s,\
                   took_s,runner_delay_s,reason\n"
        .to_owned();
    for game in run.attempts() {
        write_row(
            &mut out,
            &[
                game.id.to_string(),
                text(run.name(game.red)),
                text(run.name(game.black)),
                token(game.outcome).to_owned(),
                game.termination.kind().to_owned(),
                game.plies.to_string(),
                text(&game.opening),
                game.opening_plies.to_string(),
                seconds(game.used.red),
                seconds(game.used.black),
                seconds(game.took),
                seconds(game.runner_delay),
                text(&reasons::sentence(&game.termination, Lang::English)),
            ],
        );
    }
    out
}

fn seconds(time: Duration) -> String {
    format!("{}.{:06}", time.as_secs(), time.subsec_micros())
}

/// A text cell, one line. Spreadsheets take one that begins with `= + - @` for a formula, so it gets an apostrophe.
fn text(cell: &str) -> String {
    let cell = one_line(cell);
    if cell.starts_with(['=', '+', '-', '@']) { format!("'{cell}") } else { cell.into_owned() }
}

fn write_row(out: &mut String, cells: &[String]) {
    for (place, cell) in cells.iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        if cell.contains(['"', ',']) {
            out.push('"');
            out.push_str(&cell.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(cell);
        }
    }
    out.push('\n');
}
