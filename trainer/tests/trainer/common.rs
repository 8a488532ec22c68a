//! Random games with material scores, as records, and a temporary folder.

use saavedra::chess::{Board, Color, GameResult, PieceKind, Random};
use saavedra::data::{FileHeader, GameRecord, GameWriter, NO_SCORE, PlyRecord, Termination};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder that is removed when dropped.
pub(crate) struct TempFolder(pub(crate) PathBuf);

impl TempFolder {
    pub(crate) fn new(name: &str) -> TempFolder {
        let path = std::env::temp_dir().join(format!("trainer-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        TempFolder(path)
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// White's material minus Black's, in centipawns.
pub(crate) fn material(board: &Board) -> i16 {
    let count = |color| {
        let values = PieceKind::ALL.into_iter().zip([100, 300, 300, 500, 900, 0]);
        values
            .map(|(kind, value)| value * board.side(color).pieces(kind).count() as i16)
            .sum::<i16>()
    };
    count(Color::White) - count(Color::Black)
}

/// A game of random moves from the start position. Its result follows from the final material.
pub(crate) fn random_game(seed: u64, length: usize) -> GameRecord {
    let mut random = Random::for_game(1, seed);
    let mut board = Board::startpos();
    let mut plies = Vec::new();
    while plies.len() < length {
        let moves = board.legal_moves();
        if moves.is_empty() {
            break;
        }
        let played = moves[random.below(moves.len())];
        let score = if plies.len() < 8 { NO_SCORE } else { material(&board) };
        plies.push(PlyRecord { move_bits: played.bits(), score });
        board = board.make(played);
    }
    let result = match material(&board) {
        ..-100 => GameResult::BlackWins,
        -100..=100 => GameResult::Draw,
        _ => GameResult::WhiteWins,
    };
    let opening_plies = 8.min(plies.len() as u16);
    let termination = Termination::MaximumPlies;
    GameRecord { start: None, result, termination, opening_plies, plies, pvs: Vec::new() }
}

/// Writes a game file.
pub(crate) fn write(path: &Path, games: impl IntoIterator<Item = GameRecord>) {
    let header = FileHeader { engine: "test".into(), nodes: 1, generation: 0, seed: 0 };
    let mut writer = GameWriter::create(path, &header).expect("created");
    for game in games {
        writer.write(&game).expect("written");
    }
}
