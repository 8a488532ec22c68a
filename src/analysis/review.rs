//! Games judged move by move.

use super::{Answer, Eval, Question, accuracy};
use crate::chess::{Board, Color, Move};
use crate::eval::wdl::{Wdl, expected_points};
use crate::formats::{NodeId, Step, Tree};
use crate::search::score::{Score, is_decisive, score_from_tt};

/// What is lost of the expected result by a move that is at least so bad.
const INACCURACY: f64 = 0.06;
const MISTAKE: f64 = 0.12;
const BLUNDER: f64 = 0.22;

/// At most so many moves of a game are its key moments.
const KEY_MOMENTS: usize = 6;

/// How good a move was.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Judgement {
    /// The engine's own choice, or the only move.
    Best,
    /// As good as makes no difference.
    Good,
    /// `?!`
    Inaccuracy,
    /// `?`
    Mistake,
    /// `??`
    Blunder,
}

impl Judgement {
    /// Of a move that lost so much of the expected result, from 0 to 1.
    pub fn of(lost: f64, is_best: bool) -> Judgement {
        match lost {
            _ if is_best => Judgement::Best,
            lost if lost >= BLUNDER => Judgement::Blunder,
            lost if lost >= MISTAKE => Judgement::Mistake,
            lost if lost >= INACCURACY => Judgement::Inaccuracy,
            _ => Judgement::Good,
        }
    }

    /// The numeric annotation glyph, if it has one.
    pub const fn nag(self) -> Option<u8> {
        match self {
            Judgement::Best | Judgement::Good => None,
            Judgement::Inaccuracy => Some(6),
            Judgement::Mistake => Some(2),
            Judgement::Blunder => Some(4),
        }
    }

    /// The sign after a move.
    pub const fn sign(self) -> &'static str {
        match self {
            Judgement::Best | Judgement::Good => "",
            Judgement::Inaccuracy => "?!",
            Judgement::Mistake => "?",
            Judgement::Blunder => "??",
        }
    }

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Judgement::Best => "best",
            Judgement::Good => "good",
            Judgement::Inaccuracy => "inaccuracy",
            Judgement::Mistake => "mistake",
            Judgement::Blunder => "blunder",
        }
    }
}

/// A position of a game and what was found in it.
#[derive(Clone, Debug)]
pub struct Standing {
    /// The position.
    pub board: Board,
    /// From the side to move's view.
    pub score: Score,
    /// The best line; empty if the game is over.
    pub line: Vec<Move>,
    /// How deep it was searched.
    pub depth: u32,
    /// Boards made in the search.
    pub nodes: u64,
}

impl Standing {
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
}

/// A move of a game.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Its place in the tree.
    pub node: NodeId,
    /// The move; none if the side passed.
    pub played: Option<Move>,
    /// Who moved.
    pub mover: Color,
    /// How much of the expected result it lost, from 0 to 1.
    pub lost: f64,
    /// How good it was.
    pub judgement: Judgement,
}

/// One side's play.
#[derive(Clone, Copy, Default, Debug)]
pub struct Side {
    /// From 0 to 100; 100 without moves.
    pub accuracy: f64,
    /// How many of its moves were inaccuracies, mistakes and blunders.
    pub faults: [usize; 3],
}

/// A game as it was judged.
#[derive(Clone, Debug)]
pub struct Review {
    /// All positions, the start first: one more than moves.
    pub standings: Vec<Standing>,
    /// All moves of the main line.
    pub moves: Vec<Judged>,
    /// The sides' play, White's first.
    pub sides: [Side; 2],
    /// The moves that changed most, in their order: indices of `moves`.
    pub key_moments: Vec<usize>,
}

/// The positions of a game's main line as questions, the last first: what a search has learnt of a
/// position helps it with the one before. The tags count from the start.
pub fn positions(tree: &Tree) -> Vec<Question<usize>> {
    let mut board = *tree.start();
    let mut keys = Vec::new();
    let mut questions = vec![Question {
        tag: 0,
        board,
        history: Vec::new(),
    }];
    for step in tree.main_steps() {
        keys.push(board.key());
        board = step.make(&board);
        // Nothing before the last capture or pawn move can come back, and after fifty moves without
        // one all is drawn.
        let reach = keys.len().min(board.halfmove_clock().min(100).into());
        questions.push(Question {
            tag: questions.len(),
            board,
            history: keys[keys.len() - reach..].to_vec(),
        });
    }
    questions.reverse();
    questions
}

/// Judges a game by what was found in its positions: one answer for each, the start first.
pub fn review<T>(tree: &Tree, answers: &[Answer<T>]) -> Review {
    let standings: Vec<Standing> = answers
        .iter()
        .map(|answer| Standing {
            board: answer.board,
            score: answer.score,
            line: answer
                .lines
                .first()
                .map_or(vec![], |line| line.moves.clone()),
            depth: answer.depth(),
            nodes: answer.nodes,
        })
        .collect();
    let mut standings = standings;
    back_up(tree, &mut standings);
    let moves: Vec<Judged> = tree
        .main_line()
        .zip(standings.windows(2))
        .map(|(node, pair)| judged(tree, node, &pair[0], &pair[1]))
        .collect();
    let sides = Color::ALL.map(|color| side(&moves, color));
    let key_moments = key_moments(&moves);
    Review {
        standings,
        moves,
        sides,
        key_moments,
    }
}

/// Lets positions know what the moves after them have proved: a forced win found by the move that was
/// made, or a forced loss after the move that was thought best.
fn back_up(tree: &Tree, standings: &mut [Standing]) {
    let steps: Vec<Step> = tree.main_steps().collect();
    for (ply, step) in steps.into_iter().enumerate().rev() {
        let Step::Move(played) = step else { continue };
        let [before, after, ..] = &mut standings[ply..] else {
            continue;
        };
        let proved = score_from_tt(-after.score, 1);
        let is_best = before.line.first() == Some(&played);
        if is_decisive(proved) && (proved > before.score || is_best) {
            before.score = proved;
            before.line = std::iter::once(played)
                .chain(after.line.iter().copied())
                .collect();
        }
    }
}

fn judged(tree: &Tree, node: NodeId, before: &Standing, after: &Standing) -> Judged {
    let played = match tree.node(node).step() {
        Some(Step::Move(m)) => Some(m),
        _ => None,
    };
    let forced = before.board.legal_moves().len() == 1;
    let is_best = forced || played.is_none() || played == before.line.first().copied();
    let lost = match is_best {
        true => 0.0,
        false => (expected_points(before.score) - expected_points(-after.score)).max(0.0),
    };
    Judged {
        node,
        played,
        mover: before.board.turn(),
        lost,
        judgement: Judgement::of(lost, is_best),
    }
}

fn side(moves: &[Judged], color: Color) -> Side {
    let own = || moves.iter().filter(move |m| m.mover == color);
    let count = |judgement| own().filter(|m| m.judgement == judgement).count();
    let faults = [
        count(Judgement::Inaccuracy),
        count(Judgement::Mistake),
        count(Judgement::Blunder),
    ];
    let sum: f64 = own().map(|m| accuracy(m.lost)).sum();
    let accuracy = match own().count() {
        0 => 100.0,
        n => sum / n as f64,
    };
    Side { accuracy, faults }
}

fn key_moments(moves: &[Judged]) -> Vec<usize> {
    let mut worst: Vec<usize> = (0..moves.len())
        .filter(|i| moves[*i].judgement >= Judgement::Mistake)
        .collect();
    worst.sort_by(|a, b| moves[*b].lost.total_cmp(&moves[*a].lost));
    worst.truncate(KEY_MOMENTS);
    worst.sort_unstable();
    worst
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_a_move_gives_away_the_worse_its_word_and_number() {
        let words = [0.0, 0.06, 0.12, 0.5].map(|loss| Judgement::of(loss, false));
        let expected = [
            Judgement::Good,
            Judgement::Inaccuracy,
            Judgement::Mistake,
            Judgement::Blunder,
        ];
        assert_eq!(words, expected);
        assert_eq!(Judgement::of(0.12, true), Judgement::Best);
        assert_eq!(accuracy(0.0), 100.0);
        assert_eq!(accuracy(-0.1), 100.0);
        assert!(accuracy(0.1) > accuracy(0.2));
    }

    #[test]
    fn positions_know_as_much_of_the_past_as_can_come_back() {
        let mut tree = Tree::new(Board::startpos());
        let (mut board, mut at) = (Board::startpos(), NodeId::ROOT);
        let there_and_back = ["g1f3", "g8f6", "f3g1", "f6g8"];
        for m in there_and_back.iter().cycle().take(150).chain(&["e2e4"]) {
            let m = board.parse_uci(m).expect("a legal move");
            at = tree.add(at, Step::Move(m));
            board = board.make(m);
        }
        let questions = positions(&tree);
        let known = |ply: usize| questions[151 - ply].history.len();
        assert_eq!([0, 4, 100, 150, 151].map(known), [0, 4, 100, 100, 0]);
        let fourth = &questions[151 - 4];
        assert_eq!(fourth.tag, 4);
        assert_eq!(fourth.history[0], Board::startpos().key());
        assert_eq!(fourth.history[0], fourth.board.key());
    }
}
