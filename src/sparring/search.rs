//! The search: alpha-beta with iterative deepening, transposition table, quiescence, null move and
//! reductions. Never reads a clock and never waits: time and commands come in through [`Watch`].
//! Start at [`Engine::think`]; one position is searched in [`Search::node`].

use std::time::Duration;

use super::evaluation::worth;
use super::hash::{Bound, Entry, Table};
use super::levels::{Dice, Level};
use super::line::Line;
use super::ordering::{Ordering, Ranked, loses_exchange, pick};
use super::time::Budget;
use super::{MATE, MATE_RANGE, MAX_PLY, Settings};
use crate::xiangqi::Move;

/// No score is as great.
const INFINITE: i32 = 31_000;

/// Nodes between two looks at the watch: a quarter of a millisecond, about.
const NODES_PER_LOOK: u64 = 256;

/// Deepest iteration.
const MOST_DEPTH: u32 = 100;

/// A calm position this much above the bound, a depth, is not looked into.
const GOOD_ENOUGH: i32 = 90;

/// A quiet move cannot raise the score by more than this, a depth, and this once.
const QUIET_GAIN: (i32, i32) = (130, 50);

/// A capture cannot raise the score by more than the piece and this.
const CAPTURE_GAIN: i32 = 200;

/// What the world looks like at a moment of the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moment {
    /// Time since the search was asked for.
    pub elapsed: Duration,
    /// Time that counts against the budget; `None` while pondering.
    pub charged: Option<Duration>,
    /// The search shall end now.
    pub stop: bool,
}

/// The search's only window to the world.
pub trait Watch {
    /// Asked every few hundred nodes and after each depth.
    fn moment(&mut self) -> Moment;
    /// Told of each finished depth, and of one that was broken off with a new best move.
    fn finished(&mut self, progress: &Progress<'_>);
}

/// What a depth found: a finished one, or one that was broken off when it had found another move.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// The depth, from 1.
    pub depth: u32,
    /// Score for the side to move, in hundredths of a soldier, mates near [`MATE`].
    pub score: i32,
    /// Positions searched since the beginning.
    pub nodes: u64,
    /// Time since the beginning.
    pub elapsed: Duration,
    /// The best line, at least one move long.
    pub line: &'a [Move],
}

/// What limits a search. Without any limit it ends at [`Watch`]'s word only, or when the deepest
/// depth is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Deepest iteration.
    pub depth: Option<u32>,
    /// Most positions, exactly.
    pub nodes: Option<u64>,
    /// Time for the move.
    pub budget: Option<Budget>,
    /// Think on after a mate is found: the answer is not wanted before `stop`.
    pub endless: bool,
}

/// A search to be made.
#[derive(Debug, Clone)]
pub struct Job {
    /// The game so far.
    pub line: Line,
    /// If given, only these moves may be played.
    pub only: Option<Vec<Move>>,
    /// These moves may not be played.
    pub banned: Vec<Move>,
    /// Its limits.
    pub limits: Limits,
    /// The engine's settings.
    pub settings: Settings,
    /// A new game has begun since the last search: everything learnt is forgotten first.
    pub fresh: bool,
}

/// What a search came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// The move to play; `None` if no move may be played.
    pub best: Option<Move>,
    /// The answer expected.
    pub reply: Option<Move>,
    /// Score for the side to move.
    pub score: i32,
    /// Deepest finished iteration.
    pub depth: u32,
    /// Positions searched.
    pub nodes: u64,
}

/// What is kept from one search to the next.
#[derive(Debug)]
pub struct Engine {
    table: Table,
    ordering: Ordering,
    dice: Dice,
    settings: Settings,
}

impl Default for Engine {
    fn default() -> Engine {
        Engine::new(Settings::default())
    }
}

impl Engine {
    /// An engine that has learnt nothing. Takes little memory before its first search.
    pub fn new(settings: Settings) -> Engine {
        Engine {
            table: Table::new(settings.hash),
            ordering: Ordering::new(),
            dice: Dice::new(settings.seed),
            settings,
        }
    }

    /// Searches a position. With the same jobs in the same order, limited by depth or nodes, the
    /// outcomes are the same.
    pub fn think(&mut self, job: &Job, watch: &mut dyn Watch) -> Outcome {
        if job.fresh {
            *self = Engine::new(job.settings);
        }
        self.settle(job.settings);
        self.table.next_search();
        self.ordering.next_search();
        let level = Level::of(&job.settings);
        let roots = self.roots(job, level);
        let mut search = Search {
            table: &mut self.table,
            ordering: &mut self.ordering,
            watch,
            line: job.line.clone(),
            moves: Vec::with_capacity(1024),
            best_lines: vec![Vec::new(); MAX_PLY + 1],
            nodes: 0,
            most_nodes: job.limits.nodes.map_or(u64::MAX, |nodes| level.share_of(nodes)),
            budget: job.limits.budget.map(|budget| budget.percent(level.share)),
            stopped: false,
            iteration: 0,
        };
        let depth = job.limits.depth.unwrap_or(MOST_DEPTH).clamp(1, MOST_DEPTH.min(level.depth));
        search.deepen(roots, depth, job.limits.endless)
    }

    fn settle(&mut self, settings: Settings) {
        if settings.hash != self.settings.hash {
            self.table = Table::new(settings.hash);
        }
        if settings.seed != self.settings.seed {
            self.dice = Dice::new(settings.seed);
        }
        self.settings = settings;
    }

    /// The moves that may be played, likely ones first, each with its noise.
    fn roots(&mut self, job: &Job, level: Level) -> Vec<Root> {
        let remembered = self.table.probe(job.line.key(), 0).and_then(|entry| entry.mv);
        let mut moves = job.line.position().legal_moves();
        moves.retain(|mv| !job.banned.contains(mv));
        if let Some(only) = &job.only {
            moves.retain(|mv| only.contains(mv));
        }
        moves.sort_by_key(|mv| -self.ordering.rank(&job.line, *mv, remembered, 0));
        moves.iter().map(|mv| Root { mv: *mv, noise: self.dice.noise(level.noise), nodes: 0 }).collect()
    }
}

/// A move at the root.
#[derive(Debug, Clone, Copy)]
struct Root {
    mv: Move,
    /// Added to its score.
    noise: i32,
    /// Positions searched below it in the last iteration.
    nodes: u64,
}

struct Search<'a> {
    table: &'a mut Table,
    ordering: &'a mut Ordering,
    watch: &'a mut dyn Watch,
    line: Line,
    /// Moves of all positions on the line, one list upon the other.
    moves: Vec<Ranked>,
    best_lines: Vec<Vec<Move>>,
    nodes: u64,
    most_nodes: u64,
    budget: Option<Budget>,
    stopped: bool,
    iteration: i32,
}

impl Search<'_> {
    fn deepen(&mut self, mut roots: Vec<Root>, most_depth: u32, endless: bool) -> Outcome {
        let first = roots.first().map(|root| root.mv);
        let mut outcome = Outcome { best: first, reply: None, score: 0, depth: 0, nodes: 0 };
        if first.is_none() {
            outcome.score = -MATE;
            return outcome;
        }
        let mut told = None;
        for depth in 1..=most_depth {
            self.iteration = depth as i32;
            let score = self.root(&mut roots, depth as i32, &mut outcome);
            outcome.nodes = self.nodes;
            let moment = self.watch.moment();
            // A depth that was broken off may have found another move: its line is told too, so that whoever
            // listens knows what is played.
            let found = self.best_lines[0].first().copied().filter(|_| score > -INFINITE);
            if !self.stopped || found.is_some_and(|mv| told != Some(mv)) {
                self.watch.finished(&Progress {
                    depth,
                    score,
                    nodes: self.nodes,
                    elapsed: moment.elapsed,
                    line: &self.best_lines[0],
                });
                told = found;
            }
            if self.stopped {
                break;
            }
            outcome.depth = depth;
            // A forced mate is as short as can be once the depth exceeds it.
            let mate_proven = score.abs() > MATE_RANGE && MATE - score.abs() <= depth as i32;
            let only_move = roots.len() == 1 && self.budget.is_some();
            let enough =
                self.over_soft(moment) || mate_proven && !endless || only_move && moment.charged.is_some();
            if moment.stop || enough {
                break;
            }
            roots[1..].sort_by_key(|root| std::cmp::Reverse(root.nodes));
        }
        outcome
    }

    fn over_soft(&self, moment: Moment) -> bool {
        matches!((self.budget, moment.charged), (Some(budget), Some(charged)) if charged >= budget.soft)
    }

    /// One iteration; the best move comes first in `roots` and into `outcome`.
    fn root(&mut self, roots: &mut [Root], depth: i32, outcome: &mut Outcome) -> i32 {
        let mut best = -INFINITE;
        let mut shown = -INFINITE;
        for index in 0..roots.len() {
            let Root { mv, noise, .. } = roots[index];
            let before = self.nodes;
            let undo = self.line.make(mv);
            let extension = i32::from(self.line.in_check());
            let alpha = to_beat(best, noise);
            let mut score = INFINITE;
            if index > 0 {
                score = -self.node(depth - 1 + extension, 1, -alpha - 1, -alpha, true);
            }
            if score > alpha && !self.stopped {
                score = -self.node(depth - 1 + extension, 1, -INFINITE, -alpha, true);
            }
            self.line.unmake(undo);
            roots[index].nodes = self.nodes - before;
            if self.stopped {
                break;
            }
            // Of a move that does not beat the others the score is a bound only, and may look like a mate.
            if score > alpha {
                (best, shown) = (with_noise(score, noise), score);
                self.prolong(mv, 0);
                roots[..=index].rotate_right(1);
                outcome.best = Some(mv);
                outcome.reply = self.best_lines[0].get(1).copied();
                outcome.score = score;
            }
        }
        shown
    }

    /// Counts a node; true if the search is over.
    fn over(&mut self) -> bool {
        if self.stopped || self.nodes >= self.most_nodes {
            self.stopped = true;
            return true;
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(NODES_PER_LOOK) {
            let moment = self.watch.moment();
            let late = matches!((self.budget, moment.charged), (Some(budget), Some(charged)) if charged >= budget.hard);
            self.stopped = moment.stop || late;
        }
        self.stopped
    }

    /// The score of the present position, `depth` plies deep.
    fn node(&mut self, depth: i32, ply: usize, mut alpha: i32, mut beta: i32, may_pass: bool) -> i32 {
        self.best_lines[ply].clear();
        if let Some(score) = self.line.settled(ply) {
            return score;
        }
        if depth <= 0 || ply >= MAX_PLY {
            return self.quiesce(ply, alpha, beta);
        }
        if self.over() {
            return 0;
        }
        // No line is better than the mate already found nearer to the root.
        alpha = alpha.max(ply as i32 - MATE);
        beta = beta.min(MATE - ply as i32 - 1);
        if alpha >= beta {
            return alpha;
        }
        let wide = beta - alpha > 1;
        let known = self.table.probe(self.line.key(), ply);
        if let Some(entry) = known
            && !wide
            && entry.depth >= depth
            && entry.settles(alpha, beta)
        {
            return entry.score;
        }
        let standing = self.line.score();
        if !wide
            && !self.line.in_check()
            && let Some(score) = self.prune(depth, ply, beta, standing, may_pass)
        {
            return score;
        }
        let remembered = known.and_then(|entry| entry.mv);
        // Without a remembered move the order is poor: find one with less work first.
        let depth = if remembered.is_none() && depth >= 4 { depth - 1 } else { depth };
        let bottom = self.moves.len();
        let moves = &mut self.moves;
        self.line.position().each_legal(|mv| moves.push(Ranked { mv, rank: 0 }));
        if self.moves.len() == bottom {
            return ply as i32 - MATE;
        }
        for ranked in &mut self.moves[bottom..] {
            ranked.rank = self.ordering.rank(&self.line, ranked.mv, remembered, ply);
        }
        let score = self.try_moves(bottom, Window { depth, ply, alpha, beta, wide, standing });
        self.moves.truncate(bottom);
        score
    }

    /// Positions so good that the opponent will not allow them.
    fn prune(&mut self, depth: i32, ply: usize, beta: i32, standing: i32, may_pass: bool) -> Option<i32> {
        if beta.abs() > MATE_RANGE || standing < beta {
            return None;
        }
        if depth <= 4 && standing - GOOD_ENOUGH * depth >= beta {
            return Some(standing);
        }
        if !may_pass || depth < 2 || !self.line.has_officers() {
            return None;
        }
        let before = self.line.pass();
        let reduced = depth - 3 - depth / 5;
        let score = -self.node(reduced, ply + 1, -beta, 1 - beta, false);
        self.line.take_back_pass(before);
        (score >= beta && !self.stopped).then_some(if score > MATE_RANGE { beta } else { score })
    }

    /// Searches the moves listed from `bottom` on.
    fn try_moves(&mut self, bottom: usize, window: Window) -> i32 {
        let Window { depth, ply, beta, .. } = window;
        let in_check = self.line.in_check();
        let mut alpha = window.alpha;
        let mut best = (-INFINITE, None);
        for index in 0..self.moves.len() - bottom {
            let mv = pick(&mut self.moves[bottom..], index).mv;
            let quiet = self.line.pieces(mv).1.is_none();
            let history = self.ordering.history(&self.line, mv);
            let undo = self.line.make(mv);
            let checks = self.line.in_check();
            let calm = quiet && !checks && !in_check && index > 0;
            if calm && best.0 > -MATE_RANGE && window.hopeless(index, alpha) {
                self.line.unmake(undo);
                continue;
            }
            let extend = checks && ply < 2 * self.iteration as usize;
            let full = depth - 1 + i32::from(extend);
            let reduction = if calm { window.reduction(index, history) } else { 0 };
            let score = self.child(full, reduction, Window { alpha, ..window }, index == 0);
            self.line.unmake(undo);
            if self.stopped {
                return 0;
            }
            if score > best.0 {
                best = (score, Some(mv));
            }
            if score > alpha {
                alpha = score;
                self.prolong(mv, ply);
            }
            if alpha >= beta {
                if quiet {
                    let tried = &self.moves[bottom..bottom + index];
                    self.ordering.cut_off(&self.line, mv, tried, depth, ply);
                }
                break;
            }
        }
        self.remember(best, alpha, window);
        best.0
    }

    /// The score of the move just made: first move in full, others by asking whether they are better.
    fn child(&mut self, full: i32, reduction: i32, window: Window, first: bool) -> i32 {
        let Window { ply, alpha, beta, wide, .. } = window;
        if first {
            return -self.node(full, ply + 1, -beta, -alpha, true);
        }
        let mut score = -self.node(full - reduction, ply + 1, -alpha - 1, -alpha, true);
        if score > alpha && reduction > 0 {
            score = -self.node(full, ply + 1, -alpha - 1, -alpha, true);
        }
        if score > alpha && wide && score < beta {
            score = -self.node(full, ply + 1, -beta, -alpha, true);
        }
        score
    }

    fn remember(&mut self, (score, mv): (i32, Option<Move>), alpha: i32, window: Window) {
        let bound = if score >= window.beta {
            Bound::AtLeast
        } else if alpha > window.alpha {
            Bound::Exact
        } else {
            Bound::AtMost
        };
        let mv = mv.filter(|_| bound != Bound::AtMost);
        self.table.store(self.line.key(), window.ply, Entry { mv, score, depth: window.depth, bound });
    }

    /// The best line from `ply` on begins with `mv` and goes on with the next ply's.
    fn prolong(&mut self, mv: Move, ply: usize) {
        let (upper, lower) = self.best_lines.split_at_mut(ply + 1);
        upper[ply].clear();
        upper[ply].push(mv);
        if let Some(rest) = lower.first() {
            upper[ply].extend_from_slice(rest);
        }
    }

    /// Captures only, until the position is quiet; every move of a side in check.
    fn quiesce(&mut self, ply: usize, mut alpha: i32, beta: i32) -> i32 {
        self.best_lines[ply].clear();
        if self.over() {
            return 0;
        }
        let standing = self.line.score();
        if ply >= MAX_PLY {
            return standing;
        }
        let in_check = self.line.in_check();
        let mut best = if in_check { ply as i32 - MATE } else { standing };
        if best >= beta {
            return best;
        }
        alpha = alpha.max(best);
        let bottom = self.moves.len();
        let moves = &mut self.moves;
        let push = |mv| moves.push(Ranked { mv, rank: 0 });
        if in_check {
            self.line.position().each_legal(push);
        } else {
            self.line.position().each_capture(push);
        }
        for ranked in &mut self.moves[bottom..] {
            ranked.rank = self.ordering.rank(&self.line, ranked.mv, None, ply);
        }
        for index in 0..self.moves.len() - bottom {
            let mv = pick(&mut self.moves[bottom..], index).mv;
            if !in_check && self.pointless(mv, standing, alpha) {
                continue;
            }
            let undo = self.line.make(mv);
            let score = -self.quiesce(ply + 1, -beta, -alpha);
            self.line.unmake(undo);
            if self.stopped {
                break;
            }
            best = best.max(score);
            if score > alpha {
                alpha = score;
                self.prolong(mv, ply);
            }
            if alpha >= beta {
                break;
            }
        }
        self.moves.truncate(bottom);
        best
    }

    /// A capture that cannot help: too small, or it loses more than it takes.
    fn pointless(&self, mv: Move, standing: i32, alpha: i32) -> bool {
        let (Some(piece), Some(captured)) = self.line.pieces(mv) else { return false };
        standing + worth(captured.kind()) + CAPTURE_GAIN < alpha
            || loses_exchange(&self.line, mv, piece, captured)
    }
}

/// A root move's score as moves are compared by it. Mates are never blurred.
fn with_noise(score: i32, noise: i32) -> i32 {
    if score.abs() > MATE_RANGE { score } else { score + noise }
}

/// What the score of a root move with this noise must exceed, so that with its noise it exceeds `best`,
/// the best so far with its own. A bound on a mate's scale must not be shifted: behind the shortest mate
/// every move would seem to be one.
fn to_beat(best: i32, noise: i32) -> i32 {
    if best.abs() > MATE_RANGE { best } else { (best - noise).clamp(-MATE_RANGE, MATE_RANGE) }
}

/// What is asked of a position.
#[derive(Debug, Clone, Copy)]
struct Window {
    depth: i32,
    ply: usize,
    alpha: i32,
    beta: i32,
    /// An exact score is wanted, not only on which side of the bound it lies.
    wide: bool,
    /// The score without searching.
    standing: i32,
}

impl Window {
    /// Whether a calm move, tried this late, is not worth a look.
    fn hopeless(&self, index: usize, alpha: i32) -> bool {
        if self.wide || self.depth > 3 {
            return false;
        }
        let depth = self.depth as usize;
        index > 6 + 5 * depth * depth || self.standing + QUIET_GAIN.0 * self.depth + QUIET_GAIN.1 < alpha
    }

    /// By how much less deeply a calm move, tried this late, is looked at first.
    fn reduction(&self, index: usize, history: i32) -> i32 {
        if self.depth < 3 || index < 3 {
            return 0;
        }
        let late = (self.depth * (index.min(40) as i32).ilog2() as i32) / 12;
        let reduction = 1 + late - i32::from(self.wide) - history / 6000;
        reduction.clamp(0, self.depth - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::{Position, SquareStyle};

    /// Time stands still and nobody says anything.
    struct Silence;

    impl Watch for Silence {
        fn moment(&mut self) -> Moment {
            Moment::default()
        }

        fn finished(&mut self, progress: &Progress<'_>) {
            assert!(!progress.line.is_empty());
        }
    }

    fn mv(text: &str) -> Move {
        SquareStyle::Zero.read(text.as_bytes()).unwrap()
    }

    fn job(fen: &str, limits: Limits) -> Job {
        let line = Line::new(Position::from_fen(fen).unwrap());
        Job { line, only: None, banned: Vec::new(), limits, settings: Settings::default(), fresh: true }
    }

    fn depth(depth: u32) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// The side to move mates (or is mated, if negative) in that many plies.
    fn check_mate(fen: &str, to_depth: u32, plies: i32) {
        let outcome = Engine::default().think(&job(fen, depth(to_depth)), &mut Silence);
        assert_eq!(outcome.score, plies.signum() * (MATE - plies.abs()), "{fen}: {outcome:?}");
    }

    #[test]
    fn short_mates_are_found_at_small_depth() {
        check_mate("3k5/9/9/9/9/9/9/9/R8/1R2K4 w", 1, 1);
        check_mate("4k4/9/9/9/9/9/9/9/R8/1R3K3 w", 3, 3);
        check_mate("4k4/R8/9/9/9/9/9/9/9/1R3K3 b", 2, -2);
        // Only a quiet move wins: it leaves the general, not in check, without a move.
        check_mate("3k5/9/R8/9/9/9/9/9/3P5/4K4 w", 2, 1);
        // Two cannons on the general's file.
        check_mate("3aka3/9/9/9/4C4/9/9/1C7/9/3K5 w", 1, 1);
    }

    #[test]
    fn a_general_that_cannot_move_has_lost() {
        let lost = Engine::default().think(&job("3k5/R8/9/9/9/9/9/9/9/4K4 b", depth(3)), &mut Silence);
        assert_eq!((lost.best, lost.score), (None, -MATE));
    }

    /// Remembers the first move of the last line, and how many lines there were.
    struct Listener(Option<Move>, u32);

    impl Watch for Listener {
        fn moment(&mut self) -> Moment {
            Moment::default()
        }

        fn finished(&mut self, progress: &Progress<'_>) {
            *self = Listener(progress.line.first().copied(), self.1 + 1);
        }
    }

    /// Wherever a search is broken off, the last line that was told begins with the move that is played.
    #[test]
    fn the_last_line_is_that_of_the_move() {
        let mut broken_off = 0;
        for fen in [crate::xiangqi::START_FEN, "2bakab2/9/2n1c4/p3p3p/6r2/2P6/P3P3P/1C2B1N2/4A4/2BAK3R w"] {
            for (limit, level) in (100..9000).step_by(89).zip((1..=10).cycle()) {
                let settings = Settings { level, ..Settings::default() };
                let job = Job { settings, ..job(fen, nodes(limit)) };
                let mut listener = Listener(None, 0);
                let outcome = Engine::default().think(&job, &mut listener);
                // So early that no move was looked at, any is played.
                assert!(listener.0 == outcome.best || listener.1 == 0, "{fen} {limit} {level}: {outcome:?}");
                broken_off += u32::from(listener.1 > outcome.depth);
            }
        }
        assert!(broken_off > 5, "{broken_off}");
    }

    #[test]
    fn nodes_are_counted_exactly() {
        for limit in [1, 2, 10, 255, 256, 257, 3000] {
            let job = job(crate::xiangqi::START_FEN, nodes(limit));
            let outcome = Engine::default().think(&job, &mut Silence);
            assert_eq!(outcome.nodes, limit);
            assert!(job.line.position().is_legal(outcome.best.unwrap()));
        }
    }

    /// Moves and scores of a game the engine plays against itself.
    fn game(engine: &mut Engine, seed: u64, plies: usize) -> Vec<(Move, i32)> {
        let mut job = job(crate::xiangqi::START_FEN, nodes(300));
        job.settings = Settings { noise: 40, seed, ..Settings::default() };
        let mut played = Vec::new();
        for _ in 0..plies {
            let outcome = engine.think(&job, &mut Silence);
            let Some(best) = outcome.best else { break };
            assert!(job.line.position().is_legal(best));
            played.push((best, outcome.score));
            job.line.make(best);
            job.fresh = false;
        }
        played
    }

    #[test]
    fn same_nodes_and_seed_same_game() {
        let mut engine = Engine::default();
        let first = game(&mut engine, 7, 60);
        assert_eq!(first, game(&mut engine, 7, 60), "a new game forgets the one before");
        assert_eq!(first, game(&mut Engine::default(), 7, 60));
        assert_ne!(first, game(&mut engine, 8, 60));
    }

    #[test]
    fn would_rather_lose_a_chariot_than_check_for_ever() {
        let mut job = job("4k4/9/9/9/9/9/9/9/4A4/R3K4 w", depth(3));
        for text in ["a0a9", "e9e8", "a9a8", "e8e9"] {
            job.line.make(mv(text));
        }
        job.only = Some(vec![mv("a8a9"), mv("a8e8")]);
        assert_eq!(Engine::default().think(&job, &mut Silence).best, Some(mv("a8e8")));
        job.banned = vec![mv("a8e8")];
        let outcome = Engine::default().think(&job, &mut Silence);
        assert_eq!((outcome.best, outcome.score), (Some(mv("a8a9")), 1 - super::super::PERPETUAL));
    }

    #[test]
    fn weaker_levels_use_less() {
        let mut job = job(crate::xiangqi::START_FEN, nodes(4000));
        let mut used = Vec::new();
        for level in 1..=10 {
            job.settings.level = level;
            used.push(Engine::default().think(&job, &mut Silence).nodes);
        }
        assert!(used.is_sorted(), "{used:?}");
        assert_eq!(used.last(), Some(&4000));
    }

    /// A minute passes with every look.
    struct Hurry(u64);

    impl Watch for Hurry {
        fn moment(&mut self) -> Moment {
            self.0 += 60;
            let elapsed = Duration::from_secs(self.0);
            Moment { elapsed, charged: Some(elapsed), stop: false }
        }

        fn finished(&mut self, _: &Progress<'_>) {}
    }

    #[test]
    fn the_budget_ends_the_search_at_the_first_look() {
        let second = Duration::from_secs(1);
        let budget = Some(Budget { soft: second, hard: second });
        let job = job(crate::xiangqi::START_FEN, Limits { budget, ..Limits::default() });
        let outcome = Engine::default().think(&job, &mut Hurry(0));
        assert!(outcome.nodes <= NODES_PER_LOOK && outcome.best.is_some(), "{outcome:?}");
    }

    /// Follows every line that announces a mate to its end.
    struct Mates {
        line: Line,
        seen: usize,
    }

    impl Watch for Mates {
        fn moment(&mut self) -> Moment {
            Moment::default()
        }

        fn finished(&mut self, progress: &Progress<'_>) {
            if progress.score.abs() <= MATE_RANGE {
                return;
            }
            self.seen += 1;
            let mut line = self.line.clone();
            for mv in progress.line {
                assert!(line.position().is_legal(*mv), "{mv} of {progress:?} in {}", line.position().fen());
                line.make(*mv);
            }
            let plies = progress.line.len() as i32;
            let winner = if plies % 2 == 1 { 1 } else { -1 };
            let from = self.line.position().fen();
            assert_eq!(progress.score, winner * (MATE - plies), "{progress:?} in {from}");
            assert!(!line.position().has_legal_move(), "no mate: {progress:?} in {from}");
        }
    }

    #[test]
    fn every_mate_that_is_announced_is_one_however_blurred_the_scores() {
        let mut seen = 0;
        for (index, fen) in [
            "4k4/9/9/9/9/9/9/9/R8/1R3K3 w",
            "3aka3/9/9/9/4C4/9/9/1C7/9/3K5 w",
            "r4a1n1/5kC2/1n1ab4/6c1p/p3C1P2/4N1B1P/P1P1P4/R8/9/1N1AKABc1 w - - 19 20",
            "4kab2/4a4/4b3c/9/9/p4c3/2r6/9/2N1K4/9 b",
            "2bak4/4a4/4b4/9/2n6/9/4P4/3R5/4A1r2/2BAK4 w",
            crate::xiangqi::START_FEN,
        ]
        .into_iter()
        .enumerate()
        {
            for (noise, level) in [(0, 10), (40, 10), (1000, 10), (0, 5), (0, 7)] {
                let mut engine = Engine::default();
                let mut job = job(fen, nodes(0));
                job.settings = Settings { noise, level, seed: index as u64, ..Settings::default() };
                for ply in 0..60 {
                    // Searches end anywhere, in the middle of a depth too.
                    job.limits.nodes = Some(100 + ply * 311 % 700);
                    let mut mates = Mates { line: job.line.clone(), seen: 0 };
                    let Some(best) = engine.think(&job, &mut mates).best else { break };
                    seen += mates.seen;
                    job.line.make(best);
                    job.fresh = false;
                }
            }
        }
        assert!(seen > 40, "{seen} mates are few");
    }

    #[test]
    fn noise_hides_no_mate() {
        for seed in 0..20 {
            let mut job = job("4k4/9/9/9/9/9/9/9/R8/1R3K3 w", depth(3));
            job.settings = Settings { noise: Settings::MOST_NOISE, seed, ..Settings::default() };
            assert_eq!(Engine::default().think(&job, &mut Silence).score, MATE - 3, "seed {seed}");
        }
    }
}
