//! Reviews of games: a judgement of each move.

use super::{AnalysisResult, AnalysisTask, Eval, accuracy};
use crate::chess::{Board, Color, Move};
use crate::eval::wdl::{Wdl, expected_points};
use crate::formats::{NodeId, Ply, Tree};
use crate::search::score::{Score, is_decisive, score_from_tt};

/// Minimum loss of expected points of each kind of bad move.
const INACCURACY: f64 = 0.06;
const MISTAKE: f64 = 0.12;
const BLUNDER: f64 = 0.22;

/// Maximum number of key moments of a game.
const MAX_KEY_MOMENTS: usize = 6;

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
    /// The judgement of a move by its loss of expected points, 0 to 1.
    pub fn new(loss: f64, is_best: bool) -> Judgement {
        match loss {
            _ if is_best => Judgement::Best,
            loss if loss >= BLUNDER => Judgement::Blunder,
            loss if loss >= MISTAKE => Judgement::Mistake,
            loss if loss >= INACCURACY => Judgement::Inaccuracy,
            _ => Judgement::Good,
        }
    }

    /// The numeric annotation glyph.
    pub const fn nag(self) -> Option<u8> {
        match self {
            Judgement::Best | Judgement::Good => None,
            Judgement::Inaccuracy => Some(6),
            Judgement::Mistake => Some(2),
            Judgement::Blunder => Some(4),
        }
    }

    /// The symbol after a move.
    pub const fn symbol(self) -> &'static str {
        match self {
            Judgement::Best | Judgement::Good => "",
            Judgement::Inaccuracy => "?!",
            Judgement::Mistake => "?",
            Judgement::Blunder => "??",
        }
    }

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Judgement::Best => "best",
            Judgement::Good => "good",
            Judgement::Inaccuracy => "inaccuracy",
            Judgement::Mistake => "mistake",
            Judgement::Blunder => "blunder",
        }
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
            pv: best.map_or_else(Vec::new, |line| line.moves.clone()),
            depth: result.depth(),
            nodes: result.nodes,
        }
    }

    /// The score from White's view.
    pub fn eval(&self) -> Eval {
        Eval::new(self.score, self.board.turn())
    }

    /// The win, draw and loss probabilities from White's view.
    pub fn wdl(&self) -> Wdl {
        let wdl = Wdl::from_score(self.score);
        match self.board.turn() {
            Color::White => wdl,
            Color::Black => wdl.flipped(),
        }
    }

    /// Takes over a proven result from the position after the played move: a forced win, or a forced
    /// loss after the best move.
    fn back_up(&mut self, played: Move, after: &ReviewedPosition) {
        let proven = score_from_tt(-after.score, 1);
        let is_best = self.pv.first() == Some(&played);
        if is_decisive(proven) && (proven > self.score || is_best) {
            self.score = proven;
            self.pv = std::iter::once(played)
                .chain(after.pv.iter().copied())
                .collect();
        }
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
}

impl JudgedMove {
    fn new(
        node: NodeId,
        played: Option<Move>,
        before: &ReviewedPosition,
        after: &ReviewedPosition,
    ) -> JudgedMove {
        let forced = before.board.legal_moves().len() == 1;
        let is_best = forced || played.is_none() || played == before.pv.first().copied();
        let loss = match is_best {
            true => 0.0,
            false => (expected_points(before.score) - expected_points(-after.score)).max(0.0),
        };
        JudgedMove {
            node,
            played,
            mover: before.board.turn(),
            loss,
            judgement: Judgement::new(loss, is_best),
        }
    }
}

/// The summary of one side's moves.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct SideSummary {
    /// The number of moves.
    pub moves: usize,
    /// Mean accuracy of the moves, 0 to 100; 100 without moves.
    pub accuracy: f64,
    /// The number of inaccuracies.
    pub inaccuracies: usize,
    /// The number of mistakes.
    pub mistakes: usize,
    /// The number of blunders.
    pub blunders: usize,
}

impl SideSummary {
    fn new(moves: &[JudgedMove], color: Color) -> SideSummary {
        let own = || moves.iter().filter(move |m| m.mover == color);
        let count = |judgement| own().filter(|m| m.judgement == judgement).count();
        let moves = own().count();
        let sum: f64 = own().map(|m| accuracy(m.loss)).sum();
        SideSummary {
            moves,
            accuracy: if moves == 0 {
                100.0
            } else {
                sum / moves as f64
            },
            inaccuracies: count(Judgement::Inaccuracy),
            mistakes: count(Judgement::Mistake),
            blunders: count(Judgement::Blunder),
        }
    }
}

/// The review of a game.
#[derive(Clone, Debug)]
pub struct Review {
    /// All positions in order: one more than moves.
    pub positions: Vec<ReviewedPosition>,
    /// The moves of the main line.
    pub moves: Vec<JudgedMove>,
    /// The summaries of White and Black.
    pub sides: [SideSummary; 2],
    /// The moves with the largest losses, in game order, as indices of `moves`.
    pub key_moments: Vec<usize>,
}

/// The positions of the main line as analysis tasks, the last position first: the transposition
/// table of later positions improves the search of earlier ones. The tag is the ply.
pub fn game_positions(tree: &Tree) -> Vec<AnalysisTask<usize>> {
    let mut board = *tree.start();
    let mut keys = Vec::new();
    let mut tasks = vec![AnalysisTask {
        tag: 0,
        board,
        previous_keys: Vec::new(),
    }];
    for step in tree.mainline() {
        keys.push(board.key());
        board = step.make(&board);
        // Positions before the last irreversible move cannot be repeated, and after a hundred
        // reversible plies the game is drawn.
        let reach = keys.len().min(board.halfmove_clock().min(100).into());
        tasks.push(AnalysisTask {
            tag: tasks.len(),
            board,
            previous_keys: keys[keys.len() - reach..].to_vec(),
        });
    }
    tasks.reverse();
    tasks
}

/// Builds a review from the last position of a game to the first.
#[derive(Clone, Debug)]
pub struct ReviewBuilder {
    /// Nodes and moves of the main line.
    main_line: Vec<(NodeId, Ply)>,
    /// The positions added so far, last position first.
    positions: Vec<ReviewedPosition>,
    /// The moves between them, last move first.
    moves: Vec<JudgedMove>,
}

impl ReviewBuilder {
    /// A builder for the main line of a game.
    pub fn new(tree: &Tree) -> ReviewBuilder {
        ReviewBuilder {
            main_line: tree.mainline_nodes().zip(tree.mainline()).collect(),
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
            judged = Some(JudgedMove::new(node, played, &position, after));
        }
        let has_move = judged.is_some();
        self.moves.extend(judged);
        self.positions.push(position);
        let index = self.positions.len() - 1;
        (
            &self.positions[index],
            self.moves.last().filter(|_| has_move),
        )
    }

    /// The review of the positions added so far.
    pub fn finish(self) -> Review {
        let (mut positions, mut moves) = (self.positions, self.moves);
        positions.reverse();
        moves.reverse();
        Review {
            sides: Color::ALL.map(|color| SideSummary::new(&moves, color)),
            key_moments: key_moments(&moves),
            positions,
            moves,
        }
    }
}

/// Reviews a game. `results` has one analysis per position, in game order.
pub fn review<T>(tree: &Tree, results: &[AnalysisResult<T>]) -> Review {
    let mut builder = ReviewBuilder::new(tree);
    for result in results.iter().rev() {
        builder.add(ReviewedPosition::new(result));
    }
    builder.finish()
}

fn key_moments(moves: &[JudgedMove]) -> Vec<usize> {
    let mut worst: Vec<usize> = (0..moves.len())
        .filter(|i| moves[*i].judgement >= Judgement::Mistake)
        .collect();
    worst.sort_by(|a, b| moves[*b].loss.total_cmp(&moves[*a].loss));
    worst.truncate(MAX_KEY_MOMENTS);
    worst.sort_unstable();
    worst
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judgements_and_accuracies_follow_the_loss() {
        let judgements = [0.0, 0.06, 0.12, 0.5].map(|loss| Judgement::new(loss, false));
        let expected = [
            Judgement::Good,
            Judgement::Inaccuracy,
            Judgement::Mistake,
            Judgement::Blunder,
        ];
        assert_eq!(judgements, expected);
        assert_eq!(Judgement::new(0.12, true), Judgement::Best);
        assert_eq!(accuracy(0.0), 100.0);
        assert_eq!(accuracy(-0.1), 100.0);
        assert!(accuracy(0.1) > accuracy(0.2));
    }

    #[test]
    fn tasks_have_the_keys_of_repeatable_positions() {
        let mut tree = Tree::new(Board::startpos());
        let (mut board, mut at) = (Board::startpos(), NodeId::ROOT);
        let knight_moves = ["g1f3", "g8f6", "f3g1", "f6g8"];
        for m in knight_moves.iter().cycle().take(150).chain(&["e2e4"]) {
            let m = board.parse_uci(m).expect("a legal move");
            at = tree.add(at, Ply::Move(m));
            board = board.make(m);
        }
        let tasks = game_positions(&tree);
        let key_count = |ply: usize| tasks[151 - ply].previous_keys.len();
        assert_eq!([0, 4, 100, 150, 151].map(key_count), [0, 4, 100, 100, 0]);
        let fourth = &tasks[151 - 4];
        assert_eq!(fourth.tag, 4);
        assert_eq!(fourth.previous_keys[0], Board::startpos().key());
        assert_eq!(fourth.previous_keys[0], fourth.board.key());
    }
}
