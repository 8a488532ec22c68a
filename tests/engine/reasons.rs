//! The reason of a bad move: what the answer wins or the mover has missed, and nothing that is lost
//! or won in either case.

use crate::support::board;
use saavedra::analysis::motif::MotifName;
use saavedra::analysis::{Reason, ReviewBuilder, ReviewedPosition, Scale};
use saavedra::chess::{Board, Game, Move};
use saavedra::eval::Evaluation;
use saavedra::formats::Tree;
use saavedra::search::score::{Score, mate_in};

fn moves(board: &Board, text: &str) -> Vec<Move> {
    let mut game = Game::new(*board);
    for word in text.split_whitespace() {
        game.push(game.board().parse_move(word).expect("a legal move"));
    }
    game.moves().to_vec()
}

fn reviewed(board: Board, score: Score, line: &str) -> ReviewedPosition {
    ReviewedPosition { board, score, pv: moves(&board, line), depth: 10, nodes: 1 }
}

/// The reason of a move, from the best line of the position and the answer, each with its score from
/// the view of the side to move.
fn reason(fen: &str, best: (&str, Score), played: &str, answer: (&str, Score)) -> Option<Reason> {
    let start = board(fen);
    let mut game = Game::new(start);
    game.push(start.parse_move(played).expect("a legal move"));
    let tree = Tree::from_game(&game);
    let mut builder = ReviewBuilder::new(&tree, Scale::default(), Evaluation::embedded());
    builder.add(reviewed(*game.board(), answer.1, answer.0));
    builder.add(reviewed(start, best.1, best.0));
    builder.finish().moves.remove(0).reason
}

#[test]
fn reasons_name_what_is_won_and_how() {
    let cp = Score::from_centipawns;
    let mate = |value: i32| Score::from(value);
    let rows = [
        (
            "4k3/5ppp/8/8/1n6/8/1B3PPP/R3K3 w Q - 0 1",
            ("e1d2 f7f6", cp(300)),
            "b2d4",
            ("b4c2 e1d2 c2a1 d4a1", cp(350)),
            Some((
                "Black wins a rook for a knight by a fork",
                "1... Nc2+ 2. Kd2 Nxa1 3. Bxa1",
                Some(MotifName::Fork),
            )),
        ),
        (
            "4k3/8/8/8/1n6/P7/8/R3K3 w - - 0 1",
            ("a3b4", cp(900)),
            "e1f2",
            ("b4d3 f2e3 d3c5 a1c1", cp(-300)),
            Some(("White could win a knight", "", Some(MotifName::HangingPiece))),
        ),
        (
            "6k1/5ppp/8/8/8/8/r4PPP/3R2K1 w - - 0 1",
            ("d1d8", mate(mate_in(1))),
            "h2h3",
            ("g7g6", cp(0)),
            Some(("White could mate in 1 on the back rank", "", Some(MotifName::BackRankMate))),
        ),
        (
            "6k1/5ppp/8/8/8/r7/5PPP/2R3K1 w - - 0 1",
            ("g1f1", cp(0)),
            "c1c5",
            ("a3a1 c5c1 a1c1", mate(mate_in(2))),
            Some((
                "Black mates in 2 on the back rank",
                "1... Ra1+ 2. Rc1 Rxc1#",
                Some(MotifName::BackRankMate),
            )),
        ),
        // Lost in either case.
        (
            "6k1/5ppp/8/8/8/r7/5PPP/6K1 w - - 0 1",
            ("g2g3 a3a1 g1g2", cp(-600)),
            "h2h3",
            ("a3a1 g1h2", cp(900)),
            None,
        ),
    ];
    for (fen, best, played, answer, expected) in rows {
        let found = reason(fen, best, played, answer);
        let found = found.as_ref().map(|reason| (&*reason.words, &*reason.line, reason.motif));
        assert_eq!(found, expected, "{fen} {played}");
    }
}
