//! Sets up the game of a request, and describes a position as JSON.

use crate::documents;
use crate::problem::Problem;
use crate::request::{RequestFields, Turn};
use saavedra::chess::{
    ArrayError, Bitboard, Board, Color, Game, IllegalReason, Move, PositionError, Setup,
    SetupError, Square,
};
use saavedra::formats::Document;
use serde::Serialize;

/// Maximum length of a game in plies; no legal game is longer.
pub const MAX_PLIES: usize = 12_000;

/// The game of a request.
#[derive(Debug)]
pub struct RequestedGame {
    /// The game; its last position is the requested one.
    pub game: Game,
    /// Whether castling moves are written as king takes rook.
    pub chess960: bool,
    /// Messages about repairs of the start position.
    pub repairs: Vec<String>,
}

impl RequestedGame {
    /// Sets up the game of a request.
    ///
    /// # Errors
    /// 400 if the request has no position or several, 422 if the position or a move is invalid.
    pub fn new(fields: &RequestFields) -> Result<RequestedGame, Problem> {
        let source = PositionSource::new(fields)?;
        if fields.turn.is_some() && !matches!(source, PositionSource::Boards(_)) {
            return Err(Problem::bad_request("turn", "requires boards"));
        }
        let field = source.field();
        let mut requested = match source {
            PositionSource::Fen(field, text) => {
                let mut requested = RequestedGame::from_fen(field, text)?;
                requested.make_moves(fields.moves.as_deref().unwrap_or_default())?;
                requested
            }
            PositionSource::Pgn(text) => RequestedGame::from_document(&documents::pgn(text)?),
            PositionSource::Html(text) => RequestedGame::from_document(&documents::html(text)?),
            PositionSource::Text(text) => RequestedGame::from_document(&documents::text(text)?),
            PositionSource::Boards(boards) => {
                RequestedGame::from_game(game_from_boards(boards, fields.turn)?)
            }
        };
        check_length(field, requested.game.moves().len())?;
        let start = requested.game.start_position().is_chess960();
        requested.chess960 |= fields.chess960.unwrap_or(false) || start;
        Ok(requested)
    }

    fn from_game(game: Game) -> RequestedGame {
        RequestedGame {
            game,
            chess960: false,
            repairs: Vec::new(),
        }
    }

    fn from_fen(field: &str, text: &str) -> Result<RequestedGame, Problem> {
        if text.trim() == "startpos" {
            return Ok(RequestedGame::from_game(Game::new(Board::startpos())));
        }
        let (board, repairs) = Board::from_fen_with_repairs(text).map_err(|error| match error {
            PositionError::Fen(error) => Problem::unprocessable(field, error),
            PositionError::Setup(error) => invalid_setup(field, &error),
        })?;
        let repairs = repairs.iter().map(ToString::to_string).collect();
        Ok(RequestedGame {
            repairs,
            ..RequestedGame::from_game(Game::new(board))
        })
    }

    fn from_document(document: &Document) -> RequestedGame {
        RequestedGame {
            game: document.tree.game(),
            chess960: document.chess960,
            repairs: document.repairs.iter().map(ToString::to_string).collect(),
        }
    }

    fn make_moves(&mut self, moves: &[String]) -> Result<(), Problem> {
        check_length("moves", moves.len())?;
        for (index, text) in moves.iter().enumerate() {
            let m = self.parse_move(&format!("moves[{index}]"), text)?;
            self.game.push(m);
        }
        Ok(())
    }

    /// Parses a move of the current position in UCI or standard algebraic notation.
    ///
    /// # Errors
    /// 422 with the reason.
    pub fn parse_move(&self, field: &str, text: &str) -> Result<Move, Problem> {
        let board = self.game.board();
        let text = text.trim();
        let illegal = match board.parse_uci(text) {
            Ok(m) => return Ok(m),
            Err(illegal) => illegal,
        };
        if illegal.reason != IllegalReason::NotAMove {
            let error = format!("illegal move {text}: {}", illegal.reason);
            return Err(Problem::unprocessable(field, error));
        }
        board
            .parse_san(text)
            .map_err(|error| Problem::unprocessable(field, error))
    }

    /// The last move and the position before it.
    fn last_move(&self) -> Option<(&Board, Move)> {
        let [.., before, _] = self.game.boards() else {
            return None;
        };
        Some((before, *self.game.moves().last()?))
    }

    /// A move as UCI text.
    pub fn uci(&self, board: &Board, m: Move) -> String {
        board.uci(m, self.chess960)
    }

    /// A PV from the current position as UCI and as standard algebraic notation.
    pub fn pv_text(&self, moves: &[Move]) -> (Vec<String>, Vec<String>) {
        let mut board = *self.game.board();
        let (mut uci, mut san) = (Vec::new(), Vec::new());
        for m in moves {
            let Ok(child) = board.try_make(*m) else { break };
            uci.push(self.uci(&board, *m));
            san.push(board.san(*m));
            board = child;
        }
        (uci, san)
    }
}

/// The field of a request that holds the position.
enum PositionSource<'a> {
    Fen(&'static str, &'a str),
    Pgn(&'a str),
    Html(&'a str),
    Text(&'a str),
    Boards(&'a [Vec<Vec<i64>>]),
}

impl<'a> PositionSource<'a> {
    fn new(fields: &'a RequestFields) -> Result<PositionSource<'a>, Problem> {
        let moves = fields
            .moves
            .as_ref()
            .filter(|_| fields.fen.is_none() && fields.start.is_none());
        let sources = [
            fields
                .fen
                .as_deref()
                .map(|text| PositionSource::Fen("fen", text)),
            fields
                .start
                .as_deref()
                .map(|text| PositionSource::Fen("start", text)),
            moves.map(|_| PositionSource::Fen("start", "startpos")),
            fields.pgn.as_deref().map(PositionSource::Pgn),
            fields.html.as_deref().map(PositionSource::Html),
            fields.text.as_deref().map(PositionSource::Text),
            fields.boards.as_deref().map(PositionSource::Boards),
        ];
        let mut present = sources.into_iter().flatten();
        match (present.next(), present.next()) {
            (Some(source), None) => Ok(source),
            (Some(_), Some(second)) => Err(Problem::bad_request(
                second.field(),
                "a request has only one position",
            )),
            (None, _) => {
                let error = "a position is required: fen, start and moves, pgn, html or boards";
                Err(Problem::bad_request("fen", error))
            }
        }
    }

    fn field(&self) -> &'static str {
        match self {
            PositionSource::Fen(field, _) => field,
            PositionSource::Pgn(_) => "pgn",
            PositionSource::Html(_) => "html",
            PositionSource::Text(_) => "body",
            PositionSource::Boards(_) => "boards",
        }
    }
}

/// Refuses a game of more than [`MAX_PLIES`]: lists of moves and boards before they are made, a game
/// from text once it is read.
fn check_length(field: &str, plies: usize) -> Result<(), Problem> {
    if plies > MAX_PLIES {
        let error = format!("more than {MAX_PLIES} moves");
        return Err(Problem::unprocessable(field, error));
    }
    Ok(())
}

fn invalid_setup(field: &str, error: &SetupError) -> Problem {
    Problem::unprocessable(field, error)
}

/// A game from a list of board arrays, each one legal move after the one before.
///
/// Without `turn` White moves first, unless only a black move leads to the second board.
fn game_from_boards(boards: &[Vec<Vec<i64>>], turn: Option<Turn>) -> Result<Game, Problem> {
    let [first, rest @ ..] = boards else {
        return Err(Problem::unprocessable("boards", "the list is empty"));
    };
    check_length("boards", rest.len())?;
    let setup = parse_board(0, first)?;
    let white = || find_moves(&setup, Color::White, rest);
    let black = || find_moves(&setup, Color::Black, rest);
    let result = match turn {
        Some(Turn::White) => white(),
        Some(Turn::Black) => black(),
        // Of two errors the later one is reported.
        None => white().or_else(|(index, problem)| {
            black().map_err(|other| {
                if other.0 > index {
                    other
                } else {
                    (index, problem)
                }
            })
        }),
    };
    result.map_err(|(_, problem)| problem)
}

/// Finds the moves between boards. An error has the index of the offending board.
fn find_moves(
    setup: &Setup,
    turn: Color,
    rest: &[Vec<Vec<i64>>],
) -> Result<Game, (usize, Problem)> {
    let mut setup = setup.clone();
    setup.set_turn(turn);
    let (board, _) = setup
        .to_board()
        .map_err(|error| (0, invalid_setup("boards[0]", &error)))?;
    let mut game = Game::new(board);
    for (index, rows) in (1..).zip(rest) {
        let target = parse_board(index, rows).map_err(|problem| (index, problem))?;
        let leads_to_target = |m: &&Move| {
            let child = game.board().make(**m);
            Square::ALL
                .into_iter()
                .all(|square| child.piece_at(square) == target.piece_at(square))
        };
        let moves = game.board().legal_moves();
        let Some(found) = moves.iter().find(leads_to_target).copied() else {
            let field = format!("boards[{index}]");
            let error = "no legal move leads here from the board before";
            return Err((index, Problem::unprocessable(field, error)));
        };
        game.push(found);
    }
    Ok(game)
}

fn parse_board(index: usize, rows: &[Vec<i64>]) -> Result<Setup, Problem> {
    let field = format!("boards[{index}]");
    let mut array = [[0i8; 8]; 8];
    if rows.len() != 8 {
        return Err(Problem::unprocessable(
            field,
            format!("{} rows instead of 8", rows.len()),
        ));
    }
    for (row, (numbers, target)) in rows.iter().zip(&mut array).enumerate() {
        if numbers.len() != 8 {
            let error = format!("{} numbers instead of 8", numbers.len());
            return Err(Problem::unprocessable(format!("{field}[{row}]"), error));
        }
        for (column, (number, target)) in numbers.iter().zip(target).enumerate() {
            *target = i8::try_from(*number)
                .ok()
                .filter(|n| (-6..=6).contains(n))
                .ok_or_else(|| {
                    let field = format!("{field}[{row}][{column}]");
                    Problem::unprocessable(field, format!("{number} is not from -6 to 6"))
                })?;
        }
    }
    Setup::from_array(&array).map_err(|ArrayError { square, number }| {
        Problem::unprocessable(field, format!("{number} on {square} is not a piece"))
    })
}

/// A position with its legal moves and its state.
#[derive(Debug, Serialize)]
pub struct PositionResponse {
    fen: String,
    /// The start position of the game.
    start: String,
    turn: &'static str,
    chess960: bool,
    status: &'static str,
    check: bool,
    checkers: Vec<String>,
    pinned: Vec<String>,
    legal: Vec<MoveResponse>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    repairs: Vec<String>,
    /// The moves of the game, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<Vec<HistoryEntry>>,
    /// The move just made (`/make`).
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    last_move: Option<MoveResponse>,
}

/// A legal move.
#[derive(Debug, Serialize)]
pub struct MoveResponse {
    uci: String,
    san: String,
    from: String,
    /// The target square; for castling, that of the king.
    to: String,
    /// The rook's square, for castling only.
    #[serde(skip_serializing_if = "Option::is_none")]
    rook: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    promotion: Option<char>,
}

/// A move of the game and the position after it.
#[derive(Debug, Serialize)]
struct HistoryEntry {
    #[serde(flatten)]
    played: MoveResponse,
    fen: String,
}

fn square_names(squares: Bitboard) -> Vec<String> {
    squares
        .into_iter()
        .map(|square| square.to_string())
        .collect()
}

impl RequestedGame {
    /// Describes the current position.
    pub fn describe(&self, with_history: bool) -> PositionResponse {
        let board = self.game.board();
        PositionResponse {
            fen: board.to_fen(),
            start: self.game.start_position().to_fen(),
            turn: board.turn().name(),
            chess960: self.chess960,
            status: self.game.status().name(),
            check: board.in_check(),
            checkers: square_names(board.checkers()),
            pinned: square_names(board.pinned()),
            legal: board
                .legal_moves()
                .iter()
                .map(|m| self.describe_move(board, *m))
                .collect(),
            repairs: self.repairs.clone(),
            history: with_history.then(|| self.history()),
            last_move: None,
        }
    }

    /// Describes the current position and the move that led to it.
    pub fn describe_with_last_move(&self) -> PositionResponse {
        let last_move = self
            .last_move()
            .map(|(board, m)| self.describe_move(board, m));
        PositionResponse {
            last_move,
            ..self.describe(false)
        }
    }

    fn history(&self) -> Vec<HistoryEntry> {
        let moves = self.game.moves().iter().zip(self.game.boards().windows(2));
        let entry = |(m, pair): (&Move, &[Board])| HistoryEntry {
            played: self.describe_move(&pair[0], *m),
            fen: pair[1].to_fen(),
        };
        moves.map(entry).collect()
    }

    fn describe_move(&self, board: &Board, m: Move) -> MoveResponse {
        MoveResponse {
            uci: self.uci(board, m),
            san: board.san(m),
            from: m.from().to_string(),
            to: m.destination().to_string(),
            rook: m.is_castling().then(|| m.to().to_string()),
            promotion: m.promotion().map(|kind| kind.letter()),
        }
    }
}
