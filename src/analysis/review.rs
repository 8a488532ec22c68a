//! Reviews of games: a judgement of each move.

use super::Reason;
use super::accuracy::{WeightedAccuracy, accuracy, game_accuracy, weights};
use super::phase::{Phase, phases};
use super::{AnalysisResult, AnalysisTask, Scale};
use crate::chess::{Board, Color, GameStatus, KeyHistory, Move};
use crate::eval::Evaluation;
use crate::eval::wdl::Wdl;
use crate::formats::{NodeId, Ply, Tree};
use crate::search::score::{MAX_PLY, Score};

/// Maximum number of key moments of a game.
const MAX_KEY_MOMENTS: usize = 6;

/// Maximum length of a PV that was taken over from the positions after it, unless the score is
/// decisive: a forced win keeps its whole line, up to [`MAX_PLY`]. In a game of best moves alone
/// the lines would otherwise have the length of the rest of the game.
const MAX_BACKED_UP_PV: usize = 64;

/// The judgement of a move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Judgement {
    /// The engine's best move, or the only legal move.
    Best,
    /// A move that loses almost nothing.
    Good,
    /// `?!`
    Inaccuracy,
    /// `?`
    Mistake,
    /// `??`
    Blunder,
}

impl Judgement {
    /// The numeric annotation glyph, the symbol after a move, and the name.
    const fn signs(self) -> (Option<u8>, &'static str, &'static str) {
        match self {
            Judgement::Best => (None, "", "best"),
            Judgement::Good => (None, "", "good"),
            Judgement::Inaccuracy => (Some(6), "?!", "inaccuracy"),
            Judgement::Mistake => (Some(2), "?", "mistake"),
            Judgement::Blunder => (Some(4), "??", "blunder"),
        }
    }

    /// The numeric annotation glyph.
    pub const fn nag(self) -> Option<u8> {
        self.signs().0
    }

    /// The symbol after a move.
    pub const fn symbol(self) -> &'static str {
        self.signs().1
    }

    /// The name.
    pub const fn name(self) -> &'static str {
        self.signs().2
    }
}

/// A position of a game and its analysis.
#[derive(Clone, Debug)]
pub struct ReviewedPosition {
    /// The position.
    pub board: Board,
    /// From the side to move's view.
    pub score: Score,
    /// The principal variation; empty if the game is over.
    pub pv: Vec<Move>,
    /// Depth of the search in plies.
    pub depth: u32,
    /// Nodes of the search.
    pub nodes: u64,
}

impl ReviewedPosition {
    /// The position with the best line of its analysis.
    pub fn new<T>(result: &AnalysisResult<T>) -> ReviewedPosition {
        let best = result.lines.first();
        ReviewedPosition {
            board: result.board,
            score: result.score,
            pv: best.map_or_else(Vec::new, |line| line.pv.clone()),
            depth: result.depth(),
            nodes: result.nodes,
        }
    }

    /// The score from White's view.
    pub fn eval(&self) -> Score {
        self.score.white_view(self.board.turn())
    }

    /// The win, draw and loss probabilities from White's view.
    pub fn wdl(&self) -> Wdl {
        if self.pv.is_empty() && self.score == Score::DRAW {
            // A rule has ended the game, perhaps one that the position alone does not show.
            return Wdl::DRAW;
        }
        Wdl::of_position(&self.board, self.score.value()).white_view(self.board.turn())
    }

    /// Takes over the score of the position after the played move if that was the best one, or if
    /// it proves more: a forced win. So the best move loses nothing, and the judgement of every
    /// move follows from the two evaluations around it.
    fn back_up(&mut self, played: Move, after: &ReviewedPosition) {
        let score = after.score.before_move();
        let is_best = self.pv.first() == Some(&played);
        if is_best || (score.is_decisive() && score > self.score) {
            self.score = score;
            let max_length = if score.is_decisive() { MAX_PLY } else { MAX_BACKED_UP_PV };
            self.pv =
                std::iter::once(played).chain(after.pv.iter().copied()).take(max_length).collect();
        }
    }

    /// Replaces the search of the last position of a drawn game. It starts from the position, so it
    /// goes on as if the rule that ended the game did not exist.
    fn set_drawn(&mut self) {
        self.score = Score::DRAW;
        self.pv = Vec::new();
        self.depth = 0;
    }

    /// The winning chances of a side, from -1 to 1.
    pub fn chances(&self, scale: Scale, side: Color) -> f64 {
        scale.chances(self.eval(), side)
    }
}

/// A judged move of a game.
#[derive(Clone, Debug)]
pub struct JudgedMove {
    /// Its node in the tree.
    pub node: NodeId,
    /// The move; `None` for a null move.
    pub played: Option<Move>,
    /// The side that moved.
    pub mover: Color,
    /// The loss of expected points, 0 to 1.
    pub loss: f64,
    /// The judgement.
    pub judgement: Judgement,
    /// Why it is bad, if the lines prove it.
    pub reason: Option<Reason>,
}

impl JudgedMove {
    fn new(
        node: NodeId,
        played: Option<Move>,
        before: &ReviewedPosition,
        after: &ReviewedPosition,
        (scale, evaluation): (Scale, &Evaluation),
    ) -> JudgedMove {
        let mover = before.board.turn();
        // A null move is an annotation, not a move of the game.
        let is_best = played.is_none() || played == before.pv.first().copied();
        let (loss, judgement) = if is_best {
            (0.0, Judgement::Best)
        } else {
            (
                (before.chances(scale, mover) - after.chances(scale, mover)).max(0.0) / 2.0,
                scale.judge(before.eval(), after.eval(), mover),
            )
        };
        let bad = played.filter(|_| judgement >= Judgement::Inaccuracy);
        let reason = bad.and_then(|m| Reason::new(before, m, after, evaluation));
        JudgedMove { node, played, mover, loss, judgement, reason }
    }
}

/// The errors of a side.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct SideSummary {
    /// The number of moves.
    pub moves: usize,
    /// The accuracy, 0 to 100; `None` without moves. That of a game follows the formula of lichess,
    /// the accuracy of a phase is the mean over its moves.
    pub accuracy: Option<f64>,
    /// The number of inaccuracies.
    pub inaccuracies: usize,
    /// The number of mistakes.
    pub mistakes: usize,
    /// The number of blunders.
    pub blunders: usize,
}

impl SideSummary {
    /// Accuracy and errors in words.
    pub fn text(&self) -> String {
        let SideSummary { inaccuracies, mistakes, blunders, .. } = self;
        let accuracy = self.accuracy_text();
        format!(
            "accuracy {accuracy}, inaccuracies {inaccuracies}, mistakes {mistakes}, blunders {blunders}"
        )
    }

    /// The accuracy in percent, a dash without moves.
    pub fn accuracy_text(&self) -> String {
        match self.accuracy {
            None => "–".to_owned(),
            Some(accuracy) => format!("{accuracy:.0} %"),
        }
    }

    fn new<'a>(
        moves: impl Iterator<Item = &'a JudgedMove> + Clone,
        accuracy: Option<f64>,
    ) -> SideSummary {
        let count = |judgement| moves.clone().filter(|m| m.judgement == judgement).count();
        SideSummary {
            moves: moves.clone().count(),
            accuracy,
            inaccuracies: count(Judgement::Inaccuracy),
            mistakes: count(Judgement::Mistake),
            blunders: count(Judgement::Blunder),
        }
    }

    /// The summary of a game.
    fn of_game(
        positions: &[ReviewedPosition],
        moves: &[JudgedMove],
        scale: Scale,
        color: Color,
    ) -> SideSummary {
        let percent = |p: &ReviewedPosition| 50.0 + 50.0 * p.chances(scale, Color::White);
        let chances: Vec<f64> = positions.iter().map(percent).collect();
        let weighted: Vec<WeightedAccuracy> = moves
            .iter()
            .zip(weights(&chances))
            .filter(|(m, _)| m.mover == color)
            .map(|(m, weight)| WeightedAccuracy { accuracy: accuracy(m.loss), weight })
            .collect();
        let own = moves.iter().filter(|m| m.mover == color);
        SideSummary::new(own, game_accuracy(&weighted))
    }

    /// The summary of the moves of a phase.
    fn of_phase(phases: &[Phase], moves: &[JudgedMove], phase: Phase, color: Color) -> SideSummary {
        let all = moves.iter().zip(phases);
        let own = all.filter(|(m, its)| m.mover == color && **its == phase);
        let own = own.map(|(m, _)| m);
        let count = own.clone().count();
        let sum: f64 = own.clone().map(|m| accuracy(m.loss)).sum();
        let mean = (count > 0).then(|| sum / count as f64);
        SideSummary::new(own, mean)
    }
}

/// The review of a game.
#[derive(Clone, Debug)]
pub struct Review {
    /// The scale of the judgements.
    pub scale: Scale,
    /// All positions in order: one more than moves.
    pub positions: Vec<ReviewedPosition>,
    /// The moves of the main line.
    pub moves: Vec<JudgedMove>,
    /// The summaries of White and Black.
    pub sides: [SideSummary; 2],
    /// The summaries of White and Black by phase, in the order of [`Phase::ALL`].
    pub phases: [[SideSummary; 2]; 3],
    /// The moves with the largest losses, in game order, as indices of `moves`.
    pub key_moments: Vec<usize>,
}

/// The positions of the main line as analysis tasks, the last position first: the transposition
/// table of later positions improves the search of earlier ones. The tag is the ply.
pub fn game_positions(tree: &Tree) -> Vec<AnalysisTask<usize>> {
    let mut board = *tree.start();
    let mut keys = KeyHistory::default();
    let mut tasks = vec![AnalysisTask { tag: 0, board, previous_keys: KeyHistory::default() }];
    for step in tree.mainline() {
        keys.push(&board);
        board = step.make(&board);
        tasks.push(AnalysisTask {
            tag: tasks.len(),
            board,
            previous_keys: keys.reversible(&board),
        });
    }
    tasks.reverse();
    tasks
}

/// Builds a review from the last position of a game to the first.
#[derive(Clone, Debug)]
pub struct ReviewBuilder {
    scale: Scale,
    evaluation: Evaluation,
    /// Nodes and moves of the main line.
    main_line: Vec<(NodeId, Ply)>,
    /// Whether a rule has ended the game as a draw.
    is_drawn: bool,
    /// The positions added so far, last position first.
    positions: Vec<ReviewedPosition>,
    /// The moves between them, last move first.
    moves: Vec<JudgedMove>,
}

impl ReviewBuilder {
    /// A builder for the main line of a game, with the evaluation of its searches.
    pub fn new(tree: &Tree, scale: Scale, evaluation: Evaluation) -> ReviewBuilder {
        let status = tree.game().status();
        ReviewBuilder {
            scale,
            evaluation,
            main_line: tree.mainline_nodes().zip(tree.mainline()).collect(),
            is_drawn: !matches!(status, GameStatus::Ongoing | GameStatus::Checkmate),
            positions: Vec::new(),
            moves: Vec::new(),
        }
    }

    /// Adds the position before those added so far. Returns it with its final score and PV, and the
    /// move played in it, unless it is the last position.
    ///
    /// # Panics
    /// If the first position was added before.
    pub fn add(
        &mut self,
        mut position: ReviewedPosition,
    ) -> (&ReviewedPosition, Option<&JudgedMove>) {
        let mut judged = None;
        if let Some(after) = self.positions.last() {
            let (node, step) = self.main_line[self.main_line.len() - self.positions.len()];
            let played = match step {
                Ply::Move(m) => Some(m),
                Ply::Null => None,
            };
            if let Some(m) = played {
                position.back_up(m, after);
            }
            judged = Some(JudgedMove::new(
                node,
                played,
                &position,
                after,
                (self.scale, &self.evaluation),
            ));
        } else if self.is_drawn {
            position.set_drawn();
        }
        let has_move = judged.is_some();
        self.moves.extend(judged);
        self.positions.push(position);
        let index = self.positions.len() - 1;
        (&self.positions[index], self.moves.last().filter(|_| has_move))
    }

    /// The review of the positions added so far.
    pub fn finish(self) -> Review {
        let (scale, mut positions, mut moves) = (self.scale, self.positions, self.moves);
        positions.reverse();
        moves.reverse();
        let phase_of = phases(positions.iter().map(|position| &position.board));
        let side = |color| SideSummary::of_game(&positions, &moves, scale, color);
        let side_in = |phase, color| SideSummary::of_phase(&phase_of, &moves, phase, color);
        Review {
            scale,
            sides: Color::ALL.map(side),
            phases: Phase::ALL.map(|phase| Color::ALL.map(|color| side_in(phase, color))),
            key_moments: key_moments(&moves),
            positions,
            moves,
        }
    }
}

/// Reviews a game. `results` has one analysis per position, in game order, by this evaluation.
pub fn review<T>(
    tree: &Tree,
    results: &[AnalysisResult<T>],
    scale: Scale,
    evaluation: &Evaluation,
) -> Review {
    let mut builder = ReviewBuilder::new(tree, scale, evaluation.clone());
    for result in results.iter().rev() {
        builder.add(ReviewedPosition::new(result));
    }
    builder.finish()
}

fn key_moments(moves: &[JudgedMove]) -> Vec<usize> {
    let mut worst: Vec<usize> =
        (0..moves.len()).filter(|i| moves[*i].judgement >= Judgement::Mistake).collect();
    worst.sort_by(|a, b| moves[*b].loss.total_cmp(&moves[*a].loss));
    worst.truncate(MAX_KEY_MOMENTS);
    worst.sort_unstable();
    worst
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNIGHT_MOVES: [&str; 4] = ["g1f3", "g8f6", "f3g1", "f6g8"];

    /// The tree of a game, and its positions with the moves played in them.
    fn game<'a>(moves: impl Iterator<Item = &'a &'a str>) -> (Tree, Vec<(Board, Move)>) {
        let mut tree = Tree::new(Board::startpos());
        let (mut board, mut at) = (Board::startpos(), NodeId::ROOT);
        let mut played = Vec::new();
        for m in moves {
            let m = board.parse_uci(m).expect("a legal move");
            at = tree.add(at, Ply::Move(m));
            played.push((board, m));
            board = board.make(m);
        }
        (tree, played)
    }

    #[test]
    fn lines_of_a_game_of_best_moves_are_limited() {
        let (tree, played) = game(KNIGHT_MOVES.iter().cycle().take(200));
        let position = |board: Board, pv: Vec<Move>| ReviewedPosition {
            board,
            score: Score::from(30),
            pv,
            depth: 1,
            nodes: 1,
        };
        let mut builder = ReviewBuilder::new(&tree, Scale::default(), Evaluation::Material);
        builder.add(position(Board::startpos(), Vec::new()));
        for (board, m) in played.into_iter().rev() {
            let (reviewed, _) = builder.add(position(board, vec![m]));
            assert!(reviewed.pv.len() <= MAX_BACKED_UP_PV);
            assert_eq!(reviewed.pv.first(), Some(&m));
        }
        let longest = builder.finish();
        let longest = longest.positions.iter().map(|position| position.pv.len());
        assert_eq!(longest.max(), Some(MAX_BACKED_UP_PV));
    }

    #[test]
    fn tasks_have_the_keys_of_repeatable_positions() {
        let (tree, _) = game(KNIGHT_MOVES.iter().cycle().take(150).chain(&["e2e4"]));
        let tasks = game_positions(&tree);
        let key_count = |ply: usize| tasks[151 - ply].previous_keys.len();
        assert_eq!([0, 4, 100, 150, 151].map(key_count), [0, 4, 100, 100, 0]);
        let fourth = &tasks[151 - 4];
        assert_eq!(fourth.tag, 4);
        assert_eq!(fourth.previous_keys.count(&Board::startpos()), 0);
        assert_eq!(fourth.previous_keys.count(&fourth.board), 1);
    }
}
