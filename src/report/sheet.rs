//! The one model behind all tables: for each stage its entrants in final order, their lines and cells.
//! No layout. Start at [`sheets`].

use super::event::titles;
use super::lang::Lang;
use crate::game::Outcome;
use crate::record::{FormatSettings, GameSummary, Run, Settings, StageSettings};
use crate::tournament::{
    Championship, Decided, Format, GAMES_OF_A_BOUT, GameId, GameResult, GroupTable, Line, MASTER, Mark, Part,
    Pentanomial, PlayOff, Points, Sample, Scoresheet, SprtTrial, Standings, TieBreak, Wdl, contiguous_pairs,
};

/// Most entrants for which a grid of all against all is drawn.
const GRID_LIMIT: usize = 40;
/// Most games of a pairing that are shown one by one in its cell.
const MARKS_LIMIT: u32 = 2;

/// One stage's table.
#[derive(Debug, Clone)]
pub struct Sheet {
    /// Name of the stage, and of the group in it.
    pub stage: String,
    /// The same in Chinese, where that is known.
    pub stage_zh: Option<String>,
    /// Rapid games among equals; they count in no cell.
    pub play_offs: Vec<PlayOff>,
    /// The stage of these, counted from 0.
    pub play_off_stage: Option<usize>,
    /// Whether entrants meet by twos, a board each.
    pub boards: bool,
    /// The stage (from 1) of an exhibition: a master against teams, in the order of boards, no places.
    pub exhibition: Option<u8>,
    /// One row for each entrant, best first.
    pub rows: Vec<Row>,
    /// Whether there is a grid: cells in `rows` have one for each row then, else none.
    pub grid: bool,
    /// What a cell is.
    pub cell: CellKind,
    /// The scale.
    pub points: Points,
}

/// A row.
#[derive(Debug, Clone)]
pub struct Row {
    /// Index of the entrant in the run.
    pub entrant: usize,
    /// Place, sums and what decided; `line.entrant` counts within the stage, not the run.
    pub line: Line,
    /// Its games against each row's entrant, in the order of rows.
    pub cells: Vec<Cell>,
}

/// What cells show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// One game.
    Single,
    /// The game as Red, then the game as Black.
    Both,
    /// Wins, draws and losses of many games.
    Sums,
}

/// A cell of the grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// The entrant itself.
    Own,
    /// Games one by one: first as Red, then as Black; `None` is a game not played yet.
    Games(Vec<Option<CellGame>>),
    /// Many games.
    Sum(Wdl),
}

/// A game in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellGame {
    /// Which game.
    pub id: GameId,
    /// The row's points in units: 2, 1 or 0.
    pub score: u32,
    /// Whether an engine fault decided it.
    pub fault: bool,
}

/// How equal points are separated: a match of two leaves them equal.
fn tie_break(run: &Run, entrants: usize) -> TieBreak {
    let settings = run.settings().filter(|_| entrants > 2);
    settings.map_or_else(TieBreak::none, Settings::tie_break)
}

impl Sheet {
    /// What stands before a row's entrant: its place; of an exhibition its board, nothing for the master.
    pub fn number(&self, row: &Row) -> String {
        match (self.exhibition, row.entrant) {
            (None, _) => row.line.rank.to_string(),
            (Some(_), MASTER) => String::new(),
            (Some(_), board) => board.to_string(),
        }
    }

    /// The heading over those numbers.
    pub const fn number_heading(&self, lang: Lang) -> &'static str {
        match self.exhibition {
            None => lang.pick("#", "名次"),
            Some(_) => lang.pick("Board", "台次"),
        }
    }

    /// Its title in a language.
    pub fn title(&self, lang: Lang) -> &str {
        self.stage_zh.as_deref().filter(|_| lang == Lang::Chinese).unwrap_or(&self.stage)
    }
}

/// The tables of all stages in which anything was played; the first stage always has one. A championship has
/// one for each group and one for the final.
pub fn sheets(run: &Run) -> Vec<Sheet> {
    let Some(settings) = run.settings() else { return Vec::new() };
    let mut sheets = Vec::new();
    for (stage, facts) in (1u8..).zip(&settings.stages) {
        if let Format::Championship(event, part) = facts.format.format() {
            if part == Part::Groups {
                sheets.extend(championship(run, &event, &facts.format));
            }
            continue;
        }
        let mut members = members(run, stage);
        let everybody = members.is_empty() && stage == 1 || settings.stages.len() == 1;
        if everybody || !members.is_empty() && has_byes(&facts.format) {
            members = (0..run.entrant_count()).collect();
        }
        if !members.is_empty() {
            sheets.push(sheet(run, stage, &facts.name, &facts.format, &members));
        }
    }
    sheets
}

/// The tables of a championship.
fn championship(run: &Run, event: &Championship, format: &FormatSettings) -> Vec<Sheet> {
    let results: Vec<GameResult> = run.results().collect();
    let draw = |table: GroupTable| {
        let place = |entrant: usize| table.members.iter().position(|member| *member == entrant);
        let local: Vec<GameResult> = table
            .results
            .iter()
            .filter_map(|game| Some(GameResult { red: place(game.red)?, black: place(game.black)?, ..*game }))
            .collect();
        let scoresheet = Scoresheet::new(table.members.len(), &local);
        let local_line = |line: &Line| Some(Line { entrant: place(line.entrant)?, ..*line });
        let standings = Standings { lines: table.standings.lines.iter().filter_map(local_line).collect() };
        let (title, title_zh) = titles(table.part, table.group);
        let played = match table.part {
            Part::Groups | Part::Qualifying => Part::Qualifying,
            Part::Final | Part::Places => Part::Places,
        };
        Sheet {
            stage_zh: Some(title_zh),
            play_offs: table.play_offs.clone(),
            play_off_stage: usize::from(event.stage(played)).checked_sub(1),
            ..drawn(run, title, format, &table.members, &scoresheet, &standings)
        }
    };
    event.tables(&run.known(&results)).into_iter().map(draw).collect()
}

/// Whether an entrant of a stage may be without a game in it.
const fn has_byes(format: &FormatSettings) -> bool {
    match format {
        FormatSettings::RoundRobin { .. }
        | FormatSettings::Gauntlet { .. }
        | FormatSettings::Pairs { .. }
        | FormatSettings::Boards { .. }
        | FormatSettings::Exhibition { .. }
        | FormatSettings::Championship { .. } => false,
        FormatSettings::Swiss { .. } | FormatSettings::Knockout { .. } => true,
    }
}

/// Entrants that have games in a stage, in the order of entry.
fn members(run: &Run, stage: u8) -> Vec<usize> {
    let ended = run.attempts().filter(|game| game.id.stage == stage).flat_map(|game| [game.red, game.black]);
    let begun = run.unfinished().filter(|game| game.began.game.stage == stage);
    let begun = begun.flat_map(|game| [&game.began.red, &game.began.black]);
    let mut plays = vec![false; run.entrant_count()];
    for index in ended.chain(begun.filter_map(|name| run.index_of(name))) {
        plays[index] = true;
    }
    (0..plays.len()).filter(|index| plays[*index]).collect()
}

fn sheet(run: &Run, stage: u8, name: &str, format: &FormatSettings, members: &[usize]) -> Sheet {
    let place = |entrant: usize| members.binary_search(&entrant).ok();
    let results: Vec<GameResult> = run
        .results()
        .filter(|game| game.id.stage == stage)
        .filter_map(|game| Some(GameResult { red: place(game.red)?, black: place(game.black)?, ..game }))
        .collect();
    let played = format.format();
    let (bonus, survived) = (played.bonus(members.len(), &results), played.survived(members.len(), &results));
    let scoresheet =
        Scoresheet { bonus: &bonus, survived: &survived, ..Scoresheet::new(members.len(), &results) };
    let boards = matches!(format, FormatSettings::Boards { .. });
    let exhibition = matches!(format, FormatSettings::Exhibition { .. }).then_some(stage);
    let unbroken = boards || exhibition.is_some();
    let how = if unbroken { TieBreak::none() } else { tie_break(run, members.len()) };
    let mut standings = scoresheet.standings(&how);
    if exhibition.is_some() {
        standings.lines.sort_by_key(|line| line.entrant);
    }
    let sheet = drawn(run, name.to_owned(), format, members, &scoresheet, &standings);
    Sheet { boards, exhibition, ..sheet }
}

/// A sheet of standings that are made already. Entrants of both count within `members`.
fn drawn(
    run: &Run,
    stage: String,
    format: &FormatSettings,
    members: &[usize],
    scoresheet: &Scoresheet<'_>,
    standings: &Standings,
) -> Sheet {
    let boards = matches!(format, FormatSettings::Boards { .. } | FormatSettings::Exhibition { .. });
    let grid = members.len() <= GRID_LIMIT && !boards;
    let cell = cell_kind(format);
    let mut cells = if grid { scoresheet.cross_table(standings).cells } else { Vec::new() };
    let rows = standings
        .lines
        .iter()
        .enumerate()
        .map(|(row, line)| {
            let marks = cells.get_mut(row).map(std::mem::take).unwrap_or_default();
            let cells = (0..)
                .zip(marks)
                .map(|(column, marks)| if column == row { Cell::Own } else { cell_of(run, cell, &marks) });
            Row { entrant: members[line.entrant], line: *line, cells: cells.collect() }
        })
        .collect();
    let points = run.settings().map_or(Points::default(), |settings| settings.points());
    Sheet {
        stage,
        stage_zh: None,
        play_offs: Vec::new(),
        play_off_stage: None,
        boards: false,
        exhibition: None,
        rows,
        grid,
        cell,
        points,
    }
}

const fn cell_kind(format: &FormatSettings) -> CellKind {
    let games = match format {
        FormatSettings::RoundRobin { cycles, .. } => *cycles,
        FormatSettings::Gauntlet { games, .. } => *games,
        FormatSettings::Pairs { pairs } => pairs.saturating_mul(2),
        FormatSettings::Exhibition { .. } => 1,
        FormatSettings::Swiss { games, .. } | FormatSettings::Boards { games } => *games as u32,
        FormatSettings::Championship { .. } => GAMES_OF_A_BOUT as u32,
        FormatSettings::Knockout { games, extra, .. } => *games as u32 + 2 * *extra as u32,
    };
    match games {
        0 | 1 => CellKind::Single,
        2..=MARKS_LIMIT => CellKind::Both,
        _ => CellKind::Sums,
    }
}

fn cell_of(run: &Run, kind: CellKind, marks: &[Mark]) -> Cell {
    let game = |mark: &Mark| {
        let fault = run.attempt(mark.game).is_some_and(|game| game.termination.fault().is_some());
        Some(CellGame { id: mark.game, score: mark.score, fault })
    };
    match kind {
        CellKind::Sums => {
            let mut sum = Wdl::default();
            for mark in marks {
                sum.add(mark.score);
            }
            Cell::Sum(sum)
        }
        CellKind::Single if marks.is_empty() => Cell::Games(vec![None]),
        CellKind::Single => Cell::Games(marks.iter().map(game).collect()),
        CellKind::Both => {
            let mut games = Vec::new();
            for as_red in [true, false] {
                let before = games.len();
                games.extend(marks.iter().filter(|mark| mark.as_red == as_red).map(game));
                if games.len() == before {
                    games.push(None);
                }
            }
            Cell::Games(games)
        }
    }
}

/// What gave an entrant its place, in words; empty for points alone.
pub fn decided(decided: Decided, points: Points, lang: Lang) -> String {
    let versus = |own, other, gap: &str| format!("{}{gap}{}", points.write(own), points.write(other));
    match (decided, lang) {
        (Decided::Points, _) => String::new(),
        (Decided::Survival, Lang::English) => "knockout".to_owned(),
        (Decided::Survival, Lang::Chinese) => "淘汰赛".to_owned(),
        (Decided::HeadToHead { own, other }, Lang::English) => format!("h2h {}", versus(own, other, "-")),
        (Decided::HeadToHead { own, other }, Lang::Chinese) => format!("相互 {}", versus(own, other, ":")),
        (Decided::MiniTable { own, among }, Lang::English) => {
            format!("{} among {among}", points.write(own))
        }
        (Decided::MiniTable { own, among }, Lang::Chinese) => {
            format!("{among} 者相互 {}", points.write(own))
        }
        (Decided::PlayOff { own, other }, Lang::English) => format!("play-off {}", versus(own, other, "-")),
        (Decided::PlayOff { own, other }, Lang::Chinese) => format!("加赛 {}", versus(own, other, ":")),
        (Decided::PlayOffTable { own, among }, Lang::English) => {
            format!("play-off {} among {among}", points.write(own))
        }
        (Decided::PlayOffTable { own, among }, Lang::Chinese) => {
            format!("{among} 者加赛 {}", points.write(own))
        }
        (Decided::WinsAsBlack(wins), Lang::English) => format!("{wins} won as Black"),
        (Decided::WinsAsBlack(wins), Lang::Chinese) => format!("后胜 {wins}"),
        (Decided::Wins(wins), Lang::English) => format!("{wins} won"),
        (Decided::Wins(wins), Lang::Chinese) => format!("胜局 {wins}"),
        (Decided::SonnebornBerger(sum), Lang::English) => {
            format!("SB {}", points.write_sonneborn_berger(sum))
        }
        (Decided::SonnebornBerger(sum), Lang::Chinese) => {
            format!("小分 {}", points.write_sonneborn_berger(sum))
        }
        (Decided::Withdrawn, Lang::English) => "withdrawn".to_owned(),
        (Decided::Withdrawn, Lang::Chinese) => "退赛".to_owned(),
        (Decided::Ruled, Lang::English) => "chief referee".to_owned(),
        (Decided::Ruled, Lang::Chinese) => "裁判长裁定".to_owned(),
        (Decided::Shared, Lang::English) => "shared".to_owned(),
        (Decided::Shared, Lang::Chinese) => "并列".to_owned(),
    }
}

/// Games that an engine fault decided, in schedule order: the footnotes of tables.
pub fn faults(run: &Run) -> impl Iterator<Item = GameSummary> {
    run.games().filter(|game| game.termination.fault().is_some())
}

/// A game's result as the row's mark of the scale: `2 1 0`, or `1 = 0` on the scale with halves.
pub const fn mark(score: u32, points: Points) -> &'static str {
    match (points, score) {
        (Points::TwoOneZero, 0) | (Points::OneHalfZero, 0) => "0",
        (Points::TwoOneZero, 1) => "1",
        (Points::TwoOneZero, _) => "2",
        (Points::OneHalfZero, 1) => "=",
        (Points::OneHalfZero, _) => "1",
    }
}

/// A match between the only two entrants of a run, from the first one's view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MatchScore {
    /// As Red.
    pub red: Wdl,
    /// As Black.
    pub black: Wdl,
    /// Finished pairs of games, from the first without a gap; none if games are not played in pairs.
    pub pairs: Option<Pentanomial>,
    /// Games that are not counted because a sequential test was decided by earlier ones.
    pub beside: u32,
}

impl MatchScore {
    /// The match, if the run has two entrants.
    pub fn of(run: &Run) -> Option<MatchScore> {
        if run.entrant_count() != 2 {
            return None;
        }
        let mut score = MatchScore::default();
        let stages = &run.settings()?.stages;
        if let [StageSettings { format: FormatSettings::Pairs { .. }, .. }] = stages.as_slice() {
            score.pairs = Some(match run.trial() {
                Some(trial) => trial.verdict().map_or_else(|| trial.counts(), |verdict| verdict.counts),
                None => contiguous_pairs(&run.results().collect::<Vec<_>>()),
            });
        }
        let last =
            run.trial().and_then(SprtTrial::verdict).map_or(u32::MAX, |verdict| verdict.counts.pairs());
        for game in run.results() {
            if game.id.round > last {
                score.beside += 1;
                continue;
            }
            let units = game.score_of(0)?;
            if game.red == 0 { score.red.add(units) } else { score.black.add(units) }
        }
        Some(score)
    }

    /// What strength is estimated from: pairs where there are any, else games.
    pub fn sample(self) -> Sample {
        match self.pairs {
            Some(pairs) if pairs.pairs() > 0 => pairs.into(),
            Some(_) | None => self.total().into(),
        }
    }

    /// All games.
    pub const fn total(self) -> Wdl {
        Wdl {
            wins: self.red.wins + self.black.wins,
            draws: self.red.draws + self.black.draws,
            losses: self.red.losses + self.black.losses,
        }
    }
}

/// The PGN token of a game, `*` without a result.
pub fn token(outcome: Option<Outcome>) -> &'static str {
    outcome.map_or("*", Outcome::token)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::plan::Points;
    use crate::record::fixture;

    #[test]
    fn what_decided_in_words() {
        let all = [
            Decided::Survival,
            Decided::Points,
            Decided::HeadToHead { own: 3, other: 1 },
            Decided::MiniTable { own: 5, among: 3 },
            Decided::PlayOff { own: 5, other: 3 },
            Decided::PlayOffTable { own: 4, among: 3 },
            Decided::WinsAsBlack(2),
            Decided::Wins(3),
            Decided::SonnebornBerger(41),
            Decided::Withdrawn,
            Decided::Ruled,
            Decided::Shared,
        ];
        let line = |one| {
            format!(
                "{} | {}\n",
                decided(one, Points::TwoOneZero, Lang::English),
                decided(one, Points::OneHalfZero, Lang::Chinese)
            )
        };
        let text: String = all.into_iter().map(line).collect();
        expect![[r#"
            knockout | 淘汰赛
             | 
            h2h 3-1 | 相互 1.5:0.5
            5 among 3 | 3 者相互 2.5
            play-off 5-3 | 加赛 2.5:1.5
            play-off 4 among 3 | 3 者加赛 2
            2 won as Black | 后胜 2
            3 won | 胜局 3
            SB 20.5 | 小分 10.25
            withdrawn | 退赛
            chief referee | 裁判长裁定
            shared | 并列
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn cells_and_points_agree() {
        let run = fixture::run(Points::TwoOneZero);
        for sheet in sheets(&run) {
            for row in &sheet.rows {
                let games = row.cells.iter().flat_map(|cell| match cell {
                    Cell::Own | Cell::Sum(_) => Vec::new(),
                    Cell::Games(games) => games.iter().flatten().copied().collect(),
                });
                assert_eq!(games.map(|game| game.score).sum::<u32>(), row.line.points);
            }
        }
    }

    #[test]
    fn a_stage_counts_only_its_own_entrants_and_games() {
        let mut head = fixture::head(Points::TwoOneZero);
        let mut second = head.settings.stages[0].clone();
        second.name = "Play-off".to_owned();
        head.settings.stages.push(second);
        let over = |id: &str, red, black, end| {
            let id = id.parse().unwrap();
            crate::record::What::GameOver(Box::new(fixture::game_over(id, red, black, end)))
        };
        let events = fixture::numbered([
            crate::record::What::RunBegan(Box::new(head)),
            over("1.1.1.1", "Wukong", "Tiger", "mated black"),
            over("1.1.2.1", "Lotus", "River9", "agreed"),
            over("2.1.1.1", "River9", "Tiger", "mated red"),
        ]);
        let mut run = Run::new();
        for event in &events {
            run.apply(event).unwrap();
        }
        let rows = |sheet: &Sheet| {
            let row = |row: &Row| format!("{} {} {}", row.line.rank, run.name(row.entrant), row.line.points);
            sheet.rows.iter().map(row).collect::<Vec<_>>()
        };
        let sheets = sheets(&run);
        assert_eq!(rows(&sheets[0]), ["1 Wukong 2", "2 Lotus 1", "2 River9 1", "4 Tiger 0"]);
        assert_eq!(rows(&sheets[1]), ["1 Tiger 2", "2 River9 0"]);
    }
}
