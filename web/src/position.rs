//! Sets up the game of a request.

use crate::documents;
use crate::problem::{Code, Problem};
use crate::request::{RequestFields, Turn};
use saavedra::chess::{ArrayError, Board, Color, Game, Move, PositionError, Setup, Square};
use saavedra_api::RequestedGame;

/// Maximum length of a game in plies; no game that ends by the fifty-move rule is longer.
pub const MAX_PLIES: usize = 12_000;

/// Sets up the game of a request.
///
/// # Errors
/// 400 if the request has no position or several, 422 if the position or a move is invalid.
pub fn requested_game(fields: &RequestFields) -> Result<RequestedGame, Problem> {
    let source = PositionSource::new(fields)?;
    if fields.turn.is_some() && !matches!(source, PositionSource::Boards(_)) {
        return Err(Problem::bad_request(Code::InvalidField, "turn", "requires boards"));
    }
    let field = source.field();
    let mut requested = match source {
        PositionSource::Fen(field, text) => {
            let mut requested = RequestedGame::from_fen(text).map_err(|error| match error {
                PositionError::Fen(error) => {
                    Problem::unprocessable(Code::InvalidPosition, field, error)
                }
                PositionError::Setup(error) => {
                    Problem::unprocessable(Code::InvalidPosition, field, error)
                }
            })?;
            make_moves(&mut requested, fields.moves.as_deref().unwrap_or_default())?;
            requested
        }
        PositionSource::Pgn(text) => RequestedGame::from(&documents::pgn(text)?),
        PositionSource::Html(text) => RequestedGame::from(&documents::html(text)?),
        PositionSource::Text(text) => RequestedGame::from(&documents::text(text)?),
        PositionSource::Boards(boards) => game_from_boards(boards, fields.turn)?.into(),
    };
    check_length(field, requested.game.moves().len())?;
    requested.chess960 |= fields.chess960.unwrap_or(false);
    Ok(requested)
}

fn make_moves(requested: &mut RequestedGame, moves: &[String]) -> Result<(), Problem> {
    check_length("moves", moves.len())?;
    for (index, text) in moves.iter().enumerate() {
        let m = parse_move(requested.game.board(), &format!("moves[{index}]"), text)?;
        requested.game.push(m);
    }
    Ok(())
}

/// Parses a legal move in UCI or standard algebraic notation.
///
/// # Errors
/// 422 with the reason.
pub fn parse_move(board: &Board, field: &str, text: &str) -> Result<Move, Problem> {
    board
        .parse_move(text)
        .map_err(|error| Problem::unprocessable(Code::IllegalMove, field, error.without_position()))
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
        let moves =
            fields.moves.as_ref().filter(|_| fields.fen.is_none() && fields.start.is_none());
        let sources = [
            fields.fen.as_deref().map(|text| PositionSource::Fen("fen", text)),
            fields.start.as_deref().map(|text| PositionSource::Fen("start", text)),
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
                Code::InvalidField,
                second.field(),
                "a request has only one position",
            )),
            (None, _) => {
                let error = "a position is required: fen, start and moves, pgn, html or boards";
                Err(Problem::bad_request(Code::MissingField, "fen", error))
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

/// Refuses a game of more than [`MAX_PLIES`]: lists of moves and boards before they are made, a
/// game from text once it is read.
fn check_length(field: &str, plies: usize) -> Result<(), Problem> {
    if plies > MAX_PLIES {
        let error = format!("more than {MAX_PLIES} plies");
        return Err(Problem::unprocessable(Code::GameLength, field, error));
    }
    Ok(())
}

/// A game from a list of board arrays, each one legal move after the one before.
///
/// Without `turn` White moves first, unless only a black move leads to the second board.
fn game_from_boards(boards: &[Vec<Vec<i64>>], turn: Option<Turn>) -> Result<Game, Problem> {
    let [first, rest @ ..] = boards else {
        return Err(Problem::unprocessable(Code::InvalidPosition, "boards", "the list is empty"));
    };
    check_length("boards", rest.len())?;
    let setup = parse_board(0, first)?;
    let white = || find_moves(&setup, Color::White, rest);
    let black = || find_moves(&setup, Color::Black, rest);
    let result = match turn {
        Some(Turn::White) => white(),
        Some(Turn::Black) => black(),
        // If both fail, the error on the later board is reported.
        None => white().or_else(|(index, problem)| {
            black().map_err(|other| if other.0 > index { other } else { (index, problem) })
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
        .map_err(|error| (0, Problem::unprocessable(Code::InvalidPosition, "boards[0]", error)))?;
    let mut game = Game::new(board);
    for (index, rows) in (1..).zip(rest) {
        let target = parse_board(index, rows).map_err(|problem| (index, problem))?;
        let leads_to_target = |m: &&Move| {
            let child = game.board().make(**m);
            Square::ALL.into_iter().all(|square| child.piece_at(square) == target.piece_at(square))
        };
        let moves = game.board().legal_moves();
        let Some(found) = moves.iter().find(leads_to_target).copied() else {
            let field = format!("boards[{index}]");
            let error = "no legal move leads here from the board before";
            return Err((index, Problem::unprocessable(Code::InvalidPosition, field, error)));
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
            Code::InvalidPosition,
            field,
            format!("{} rows instead of 8", rows.len()),
        ));
    }
    for (row, (numbers, target)) in rows.iter().zip(&mut array).enumerate() {
        if numbers.len() != 8 {
            let error = format!("{} numbers instead of 8", numbers.len());
            return Err(Problem::unprocessable(
                Code::InvalidPosition,
                format!("{field}[{row}]"),
                error,
            ));
        }
        for (column, (number, target)) in numbers.iter().zip(target).enumerate() {
            *target =
                i8::try_from(*number).ok().filter(|n| (-6..=6).contains(n)).ok_or_else(|| {
                    let field = format!("{field}[{row}][{column}]");
                    Problem::unprocessable(
                        Code::InvalidPosition,
                        field,
                        format!("{number} is not from -6 to 6"),
                    )
                })?;
        }
    }
    Setup::from_array(&array).map_err(|ArrayError { square, number }| {
        Problem::unprocessable(
            Code::InvalidPosition,
            field,
            format!("{number} on {square} is not a piece"),
        )
    })
}
