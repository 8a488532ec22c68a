//! Exercises from games: positions in which one move alone is good.
//!
//! A position of a game is an exercise if a move before it was a mistake, or the move that was played
//! in it is one, and if a search with two lines proves that the best move keeps what all others give
//! up. The solution goes on as long as each move of the solver is the only good one.

use super::motif::{MotifName, motifs};
use super::{game_positions, phase};
use crate::chess::{Board, Color, KeyHistory, Move};
use crate::engine::Searcher;
use crate::eval::Evaluation;
use crate::eval::wdl::expected_points;
use crate::formats::{Document, Ply};
use crate::mutex::lock;
use crate::search::score::Score;
use crate::search::{Info, Limits, PvLine, Reporter, SearchRequest, StopFlag};
use std::sync::{Arc, Mutex};

/// The default node limit of a proof.
pub const DEFAULT_PROOF_NODES: u64 = 120_000;
/// Hash size of the searcher of a [`PuzzleFinder`] in megabytes. Another one finds other exercises.
pub const PUZZLE_HASH: usize = 16;

/// The nodes of the first search of each position, as a share of a proof.
const FIRST_SHARE: u64 = 30;
/// The expected points that a mistake loses at least.
const MISTAKE: f64 = 0.2;
/// The expected points that the second-best move loses at least.
const MIN_GAP: f64 = 0.4;
/// A win: the best move expects at least this, the second-best no more than the other.
const MIN_WIN: f64 = 0.9;
const MAX_NO_WIN: f64 = 0.5;
/// A defence: the best move expects at least this, the second-best no more than the other.
const MIN_DRAW: f64 = 0.47;
const MAX_LOSS: f64 = 0.06;
/// The maximum number of the solver's moves, unless the solution mates.
const MAX_MOVES: usize = 4;
/// The first plies of a game from the start position are opening theory.
const MIN_PLY: usize = 8;

/// Who solves the exercises of a game.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    /// The side; both if `None`.
    pub side: Option<Color>,
    /// A part of the name of the player, in any case; all players if `None`.
    pub player: Option<String>,
}

impl Solver {
    /// Whether this side of a game solves.
    pub fn is(&self, game: &Document, side: Color) -> bool {
        let tag = game.tag(if side == Color::White { "White" } else { "Black" });
        let has_name = |name: &String| {
            tag.is_some_and(|tag| tag.to_lowercase().contains(&name.to_lowercase()))
        };
        self.side.is_none_or(|solver| solver == side) && self.player.as_ref().is_none_or(has_name)
    }
}

/// An exercise.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Puzzle {
    /// The position; the solver is to move.
    pub board: Board,
    /// The position before it and the move that led to it, if the game has them.
    pub before: Option<(Board, Move)>,
    /// The ply of the game at which the position stands, from 0.
    pub ply: usize,
    /// The moves of the solver and the best replies; the solver has the first and the last one.
    pub solution: Vec<Move>,
    /// The score from the solver's view.
    pub score: Score,
    /// What the solution shows, as tokens: `mate-in-2`, motifs, `defence`, the phase.
    pub themes: Vec<String>,
    /// An Elo-like number: from the nodes that a search needs to find the first move, the length of
    /// the solution, and the share of wrong moves that look better.
    pub difficulty: u32,
    /// The nodes after which a search found the first move.
    pub nodes: u64,
}

impl Puzzle {
    /// The identifier of the exercise, from its position.
    pub fn id(&self) -> String {
        format!("{:016x}", self.board.key())
    }

    /// The solution in UCI notation.
    pub fn uci(&self, chess960: bool) -> Vec<String> {
        let mut board = self.board;
        let text = |m: &Move| {
            let text = board.uci(*m, chess960);
            board = board.make(*m);
            text
        };
        self.solution.iter().map(text).collect()
    }
}

/// Finds exercises in games. A game's exercises depend on the game and the nodes alone.
pub struct PuzzleFinder {
    searcher: Searcher,
    evaluation: Evaluation,
    nodes: u64,
    stop: StopFlag,
    poll: Poll,
}

/// What a search calls from time to time.
type Poll = Arc<Mutex<dyn FnMut() + Send>>;

impl PuzzleFinder {
    /// Proofs take at most this number of nodes for each move of a solution.
    pub fn new(searcher: Searcher, evaluation: Evaluation, nodes: u64) -> PuzzleFinder {
        let poll = Arc::new(Mutex::new(|| {}));
        PuzzleFinder { searcher, evaluation, nodes, stop: StopFlag::default(), poll }
    }

    /// The same, stopped by this flag.
    pub fn stopped_by(self, stop: StopFlag) -> PuzzleFinder {
        PuzzleFinder { stop, ..self }
    }

    /// The same; `poll` is called about every millisecond of a search. A program without threads reads
    /// its input there.
    pub fn polling(self, poll: impl FnMut() + Send + 'static) -> PuzzleFinder {
        PuzzleFinder { poll: Arc::new(Mutex::new(poll)), ..self }
    }

    /// The exercises of a game for this solver, in game order. After a stop, some are missing.
    pub fn puzzles(&mut self, game: &Document, solver: &Solver) -> Vec<Puzzle> {
        let tree = &game.tree;
        self.searcher.clear();
        let positions = game_positions(tree);
        let limits = Limits::nodes((self.nodes / FIRST_SHARE).max(1));
        // Last position first, as for a review.
        let mut scores: Vec<f64> = Vec::with_capacity(positions.len());
        for task in &positions {
            let score = match self.search(&task.board, &task.previous_keys, limits.clone(), 1).0 {
                lines if lines.is_empty() => Score::of_game_over(&task.board),
                lines => lines[0].score,
            };
            scores.push(expected_points(score.value()));
        }
        let (positions, scores): (Vec<_>, Vec<_>) =
            (positions.into_iter().rev().collect(), scores.into_iter().rev().collect());
        let phases = phase::phases(positions.iter().map(|task| &task.board));
        let played: Vec<Ply> = tree.mainline().collect();
        let mut found = Vec::new();
        let first = if *tree.start() == Board::startpos() { MIN_PLY } else { 0 };
        for (ply, task) in positions.iter().enumerate().skip(first) {
            let was_given = ply > 0 && scores[ply] + scores[ply - 1] > 1.0 + MISTAKE;
            let was_missed =
                scores.get(ply + 1).is_some_and(|next| scores[ply] + next > 1.0 + MISTAKE);
            if !(was_given || was_missed) || !solver.is(game, task.board.turn()) {
                continue;
            }
            let before = ply.checked_sub(1).and_then(|before| match played[before] {
                Ply::Move(m) => Some((positions[before].board, m)),
                Ply::Null => None,
            });
            if let Some(mut puzzle) = self.prove(&task.board, before) {
                puzzle.ply = ply;
                puzzle.themes.push(phases[ply].name().to_owned());
                found.push(puzzle);
            }
        }
        found
    }

    /// The exercise of a position, if one move alone is good.
    /// It stands alone: earlier positions of the game cannot be repeated.
    fn prove(&mut self, board: &Board, before: Option<(Board, Move)>) -> Option<Puzzle> {
        let mut keys = KeyHistory::default();
        let (first, nodes) = self.only_move(board, &keys, true)?;
        let mut solution = vec![first.pv[0]];
        // A recapture needs no thought.
        if before.is_some_and(|(before, m)| is_recapture(&before, m, first.pv[0])) {
            return None;
        }
        let (mut line, mut position) = (first.clone(), *board);
        while let Some(reply) = line.pv.get(1).copied() {
            keys.push(&position);
            position = position.make(line.pv[0]);
            keys.push(&position);
            position = position.make(reply);
            if solution.len() >= 2 * MAX_MOVES - 1 && first.score.mate().is_none() {
                break;
            }
            let Some((next, _)) = self.only_move(&position, &keys, false) else { break };
            solution.extend([reply, next.pv[0]]);
            line = next;
        }
        let end = solution.iter().fold(*board, |board, m| board.make(*m));
        // A mate is shown to its end.
        if first.score.mate().is_some() != end.is_checkmate() {
            return None;
        }
        Some(Puzzle {
            board: *board,
            before,
            ply: 0,
            themes: themes(board, &first, &solution),
            difficulty: self.difficulty(board, &solution, nodes),
            score: first.score,
            solution,
            nodes,
        })
    }

    /// The best line and the nodes after which it was found, if the second-best move gives up what
    /// the best one keeps. After the first move a reply may be forced, and mate in one be one of
    /// several.
    fn only_move(
        &mut self,
        board: &Board,
        keys: &KeyHistory,
        is_first: bool,
    ) -> Option<(PvLine, u64)> {
        let limits = Limits::nodes(self.nodes);
        let (lines, nodes) = self.search(board, keys, limits, 2);
        let points = |line: &PvLine| expected_points(line.score.value());
        match &lines[..] {
            // The search proves nothing.
            _ if self.stop.is_set() => None,
            [best, ..] if !is_first && best.score.mate() == Some(1) => Some((best.clone(), nodes)),
            [best] if !is_first => Some((best.clone(), nodes)),
            [best, second] => {
                let (best_points, second_points) = (points(best), points(second));
                let wins = best_points >= MIN_WIN && second_points <= MAX_NO_WIN;
                let saves = best_points >= MIN_DRAW && second_points <= MAX_LOSS;
                let is_only = (wins || saves) && best_points - second_points >= MIN_GAP;
                is_only.then(|| (best.clone(), nodes))
            }
            _ => None,
        }
    }

    /// The lines of a search, and the nodes after which its best move was found.
    fn search(
        &mut self,
        board: &Board,
        keys: &KeyHistory,
        limits: Limits,
        multipv: usize,
    ) -> (Vec<PvLine>, u64) {
        let request = SearchRequest {
            previous_keys: keys.clone(),
            multipv,
            stop: self.stop.clone(),
            ..SearchRequest::new(*board, limits)
        };
        let found = Arc::new(Mutex::new((None, 0)));
        let reporter = FirstFound { found: Arc::clone(&found), poll: Arc::clone(&self.poll) };
        let lines = self.searcher.search_with(&request, Box::new(reporter));
        let nodes = lock(&found).1;
        (lines.lines, nodes)
    }

    fn difficulty(&self, board: &Board, solution: &[Move], nodes: u64) -> u32 {
        let value = |m: Move| -self.evaluation.evaluate(&board.make(m));
        let right = value(solution[0]);
        let moves = board.legal_moves();
        let tempting = moves.iter().filter(|m| value(**m) > right).count();
        let share = tempting as f64 / moves.len() as f64;
        let effort = (1.0 + nodes as f64 / 100.0).log2();
        let length = (solution.len() / 2) as f64;
        (500.0 + 130.0 * effort + 120.0 * length + 500.0 * share).min(3000.0) as u32
    }
}

/// Whether a move takes back on the square of the capture before it.
fn is_recapture(before: &Board, captured: Move, m: Move) -> bool {
    let is_capture = before.them().piece_at(captured.to()).is_some();
    is_capture && captured.to() == m.to()
}

/// The themes of a solution without the phase.
fn themes(board: &Board, first: &PvLine, solution: &[Move]) -> Vec<String> {
    let mut themes = Vec::new();
    if let Some(moves) = first.score.mate() {
        themes.push(format!("mate-in-{moves}"));
    }
    if expected_points(first.score.value()) < MIN_WIN {
        themes.push("defence".to_owned());
    }
    // The search's line shows what the solution leads to.
    let line = if first.pv.starts_with(solution) { &first.pv } else { solution };
    let motifs = motifs(board, line, first.score).into_iter();
    let motifs = motifs.filter(|motif| motif.side == board.turn() && motif.ply < solution.len());
    let motifs = motifs.filter(|motif| motif.name != MotifName::Mate);
    themes.extend(motifs.map(|motif| motif.name.token().to_owned()));
    themes
}

/// Notes the best move of each iteration, and the nodes after which it was first the best.
struct FirstFound {
    found: Arc<Mutex<(Option<Move>, u64)>>,
    poll: Poll,
}

impl Reporter for FirstFound {
    fn info(&mut self, info: &Info) {
        let best = info.lines.first().and_then(|line| line.pv.first().copied());
        let mut found = lock(&self.found);
        if found.0 != best {
            *found = (best, info.progress.nodes);
        }
    }

    fn poll(&mut self) {
        (lock(&self.poll))();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::pgn::Reader;

    fn puzzles(pgn: &str) -> Vec<Puzzle> {
        let evaluation = Evaluation::embedded();
        let searcher = Searcher::new(4, &evaluation).expect("memory");
        let mut finder = PuzzleFinder::new(searcher, evaluation, 20_000);
        let game = Reader::new(pgn.as_bytes()).next().expect("a game").expect("legal");
        finder.puzzles(&game, &Solver::default())
    }

    #[test]
    fn a_missed_mate_is_an_exercise() {
        let fen = "[FEN \"6k1/q4ppp/8/8/8/8/5PPP/R5K1 b - - 0 1\"]\n\n";
        let found = puzzles(&format!("{fen}1... Qa8 2. h3 *"));
        let mate = found.iter().find(|puzzle| puzzle.ply == 1).expect("the mate");
        assert_eq!(mate.board.san(mate.solution[0]), "Rxa8#");
        assert_eq!(mate.themes[..2], ["mate-in-1", "back-rank-mate"]);
        assert_eq!(mate.before.map(|(board, m)| board.san(m)).as_deref(), Some("Qa8"));
    }

    #[test]
    fn a_quiet_game_has_no_exercise() {
        assert_eq!(puzzles("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 *"), []);
    }
}
