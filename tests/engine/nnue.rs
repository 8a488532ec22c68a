//! Incremental evaluation against the reference: along random walks like a search's, with
//! every kernel of the machine.

use std::sync::Arc;

use crate::random_network::{extreme, ordinary};
use saavedra::chess::{Board, Color, Move, MoveKind, PieceKind, Random};
use saavedra::nnue::evaluator::Evaluator;
use saavedra::nnue::network::Network;
use saavedra::nnue::self_check::reference_evaluation;
use saavedra::nnue::simd::{Kernel, KernelError};

/// Steps of a walk in the default tests, and in the ignored ones.
const SHORT: u64 = 20_000;
const LONG: u64 = 1_000_000;
/// The maximum ply of a walk. It exceeds the evaluators' maximum, so that deeper plies are tested.
const MAX_PLY: usize = 60;
const EVALUATOR_PLIES: usize = 50;

/// How often a walk had the moves that are difficult for incremental evaluation.
#[derive(Debug, Default)]
struct MoveCounts {
    castlings: u64,
    en_passants: u64,
    promotions: u64,
    null_moves: u64,
    king_crossings: u64,
    unmakes: u64,
}

impl MoveCounts {
    fn add(&mut self, parent: &Board, m: Move) {
        let child = parent.make(m);
        self.castlings += u64::from(m.is_castling());
        self.en_passants += u64::from(m.is_en_passant());
        self.promotions += u64::from(m.is_promotion());
        let half = |board: &Board| board.king(parent.turn()).file().index() / 4;
        self.king_crossings += u64::from(half(parent) != half(&child));
    }

    fn assert_all_kinds(&self) {
        let MoveCounts { castlings, en_passants, promotions, null_moves, king_crossings, unmakes } =
            *self;
        let all = [castlings, en_passants, promotions, null_moves, king_crossings, unmakes];
        assert!(all.into_iter().all(|count| count >= 10), "{self:?}");
    }
}

/// The start position, or a random one of Chess960.
fn start(random: &mut Random, chess960: bool) -> Board {
    if !chess960 {
        return Board::startpos();
    }
    loop {
        let mut rank = *b"rnbqkbnr";
        for i in (1..8).rev() {
            rank.swap(i, random.below(i + 1));
        }
        let files = |piece| (0..8).filter(move |&file| rank[file] == piece);
        let king = files(b'k').sum::<usize>();
        let bishops = files(b'b').sum::<usize>();
        let rooks: Vec<usize> = files(b'r').collect();
        if bishops % 2 == 1 && rooks[0] < king && king < rooks[1] {
            let black = String::from_utf8_lossy(&rank).into_owned();
            let rights: String = rooks.iter().map(|&file| (b'a' + file as u8) as char).collect();
            let fen = format!(
                "{black}/pppppppp/8/8/8/8/PPPPPPPP/{} w {}{rights} - 0 1",
                black.to_uppercase(),
                rights.to_uppercase()
            );
            return Board::from_fen(&fen).expect("a Chess960 position");
        }
    }
}

/// A random legal move, with a preference for rare kinds.
fn pick(random: &mut Random, board: &Board) -> Option<Move> {
    let moves = board.legal_moves();
    let is_rare = |m: &Move| m.is_castling() || m.is_en_passant() || m.is_promotion();
    let is_double_push = |m: &Move| m.kind() == MoveKind::DoublePush;
    let rare: Vec<Move> = moves.iter().copied().filter(is_rare).collect();
    let double_pushes: Vec<Move> = moves.iter().copied().filter(is_double_push).collect();
    for preferred in [rare, double_pushes] {
        if !preferred.is_empty() && random.below(4) == 0 {
            return Some(preferred[random.below(preferred.len())]);
        }
    }
    (!moves.is_empty()).then(|| moves[random.below(moves.len())])
}

/// Walks over a tree of positions as a search does, with moves, null moves and unmakes, and calls
/// `visit` with most positions and their ply.
fn walk(seed: u64, chess960: bool, steps: u64, mut visit: impl FnMut(usize, &Board)) -> MoveCounts {
    let mut random = Random::new(seed);
    let mut counts = MoveCounts::default();
    let mut path = vec![start(&mut random, chess960)];
    for _ in 0..steps {
        let board = path[path.len() - 1];
        let next = pick(&mut random, &board);
        match (random.below(100), next) {
            (0..3, _) if !board.in_check() => {
                counts.null_moves += 1;
                path.push(board.make_null());
            }
            (3..80, Some(m)) => {
                counts.add(&board, m);
                path.push(board.make(m));
            }
            _ if path.len() > 1 => {
                counts.unmakes += 1;
                path.truncate(path.len() - 1 - random.below(path.len().min(4)).min(path.len() - 2));
            }
            _ => {}
        }
        if path.len() > MAX_PLY || board.status() != saavedra::chess::GameStatus::Ongoing {
            // The search of the next move, sometimes of the next game.
            let root = match random.below(3) {
                0 => start(&mut random, chess960),
                _ => path[path.len() / 2],
            };
            path = vec![root];
        }
        if random.below(4) != 0 {
            visit(path.len() - 1, &path[path.len() - 1]);
        }
    }
    counts
}

fn evaluators(network: &Arc<Network>) -> Vec<Evaluator> {
    let evaluator = |kernel| Evaluator::new(Arc::clone(network), kernel, EVALUATOR_PLIES);
    Kernel::available().into_iter().map(evaluator).collect()
}

/// Compares incremental, refreshed and reference evaluation with all kernels along a walk.
fn compare_along_a_walk(network: &Arc<Network>, seed: u64, chess960: bool, steps: u64) {
    let parameters = network.parameters();
    let mut incremental = evaluators(network);
    let mut values = std::collections::HashSet::new();
    let mut random = Random::new(seed + 1);
    let counts = walk(seed, chess960, steps, |ply, board| {
        // As in a search: some positions are updated too, some are only updated.
        let (is_updated, is_evaluated) = (random.below(3) == 0, random.below(4) != 0);
        if is_updated || !is_evaluated {
            for evaluator in &mut incremental {
                evaluator.update(ply, board);
            }
        }
        if !is_evaluated {
            return;
        }
        let expected = reference_evaluation(&parameters, board);
        values.insert(expected);
        for evaluator in &mut incremental {
            let name = evaluator.kernel().name();
            let found = evaluator.evaluate(ply, board);
            assert_eq!(found, expected, "{name}, incremental, ply {ply}: {board:?}");
        }
        let mut fresh = Evaluator::new(Arc::clone(network), Kernel::detect(), 0);
        assert_eq!(fresh.evaluate(0, board), expected, "refreshed: {board:?}");
    });
    counts.assert_all_kinds();
    assert!(values.len() > 20, "evaluations vary");
}

#[test]
fn incremental_equals_refresh_equals_reference() {
    compare_along_a_walk(&ordinary(1), 2, false, SHORT);
    compare_along_a_walk(&ordinary(3), 4, true, SHORT);
}

#[test]
#[ignore = "long: 1,000,000 steps each of standard chess and Chess960"]
fn incremental_equals_refresh_equals_reference_for_a_million_moves() {
    compare_along_a_walk(&ordinary(5), 6, false, LONG);
    compare_along_a_walk(&ordinary(7), 8, true, LONG);
}

#[test]
fn maximum_weights_do_not_overflow() {
    compare_along_a_walk(&extreme(9), 10, false, SHORT);
    compare_along_a_walk(&extreme(11), 12, true, SHORT);
}

#[test]
fn the_ply_affects_only_the_speed() {
    let network = ordinary(13);
    let parameters = network.parameters();
    let mut evaluators = evaluators(&network);
    let mut random = Random::new(14);
    walk(15, true, SHORT / 4, |_, board| {
        let ply = random.below(EVALUATOR_PLIES + 10);
        let expected = reference_evaluation(&parameters, board);
        for evaluator in &mut evaluators {
            assert_eq!(evaluator.evaluate(ply, board), expected, "ply {ply}: {board:?}");
        }
    });
}

/// The board with the files mirrored; there must be no castling rights.
fn mirrored(board: &Board) -> Board {
    let fen = board.to_fen();
    let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    let reverse = |rank: &str| rank.chars().rev().collect::<String>();
    fields[0] = fields[0].split('/').map(reverse).collect::<Vec<_>>().join("/");
    if let Some(square) = board.en_passant() {
        fields[3] = square.flip_file().to_string();
    }
    Board::from_fen(&fields.join(" ")).expect("as legal as the original")
}

#[test]
fn evaluation_is_invariant_under_colour_flip_and_mirroring() {
    let mut evaluator = Evaluator::new(ordinary(16), Kernel::detect(), MAX_PLY);
    let mut compared = 0;
    walk(17, true, SHORT / 4, |ply, board| {
        let value = evaluator.evaluate(ply, board);
        assert_eq!(evaluator.evaluate(ply, &board.flipped()), value, "{board:?}");
        if board.castling_rights().is_empty() {
            compared += 1;
            assert_eq!(evaluator.evaluate(ply, &mirrored(board)), value, "{board:?}");
        }
    });
    assert!(compared > 100);
}

#[test]
fn evaluation_depends_on_the_side_to_move() {
    let mut evaluator = Evaluator::new(ordinary(18), Kernel::detect(), 1);
    let board = Board::startpos().try_make_uci("e2e4").expect("legal");
    let value = evaluator.evaluate(0, &board);
    assert_ne!(evaluator.evaluate(1, &board.make_null()), value);
}

#[test]
fn kernels_are_found_by_name() {
    let available = Kernel::available();
    assert_eq!(available[0].name(), "scalar");
    assert!(available.contains(&Kernel::detect()));
    for kernel in &available {
        assert!(Kernel::NAMES.contains(&kernel.name()));
        assert_eq!(Kernel::from_name(kernel.name()), Ok(*kernel));
    }
    for name in Kernel::NAMES {
        if !available.iter().any(|kernel| kernel.name() == name) {
            assert_eq!(Kernel::from_name(name), Err(KernelError::Unavailable(name)));
        }
    }
    for name in ["", "AVX2", "sse", "avx2 "] {
        let error = Kernel::from_name(name).expect_err("no such kernel");
        assert_eq!(error, KernelError::Unknown(name.to_owned()));
        assert!(error.to_string().contains("scalar"));
    }
}

#[test]
fn self_check_passes() {
    for network in [ordinary(19), extreme(20)] {
        for kernel in Kernel::available() {
            assert_eq!(kernel.self_check(&network), Ok(()));
        }
    }
}

#[test]
fn walks_reach_chess960_castling() {
    let mut chess960_positions = 0;
    walk(21, true, SHORT / 4, |_, board| {
        chess960_positions += u64::from(board.is_chess960());
        assert_eq!(board.side(Color::White).pieces(PieceKind::King).count(), 1);
    });
    assert!(chess960_positions > 100);
}
