//! From a request's fields to a game, and from a game to what a client is told of its position.

use crate::ask::{Ask, Turn};
use crate::documents;
use crate::problem::Problem;
use saavedra::chess::{
    Bitboard, Board, Color, Game, IllegalReason, Move, PositionError, Setup, SetupError, Square,
};
use saavedra::formats::Document;
use serde::Serialize;

/// Longest game that is read, in plies: more than the longest possible.
pub const MAX_PLIES: usize = 12_000;

/// A game as it was asked about.
#[derive(Debug)]
pub struct Asked {
    /// The game; its last position is the one meant.
    pub game: Game,
    /// Whether castling is written king takes rook.
    pub chess960: bool,
    /// What had to be put right in its start, in words.
    pub repairs: Vec<String>,
}

impl Asked {
    /// The game of a request's fields.
    ///
    /// # Errors
    /// 400 if no position or more than one is given, 422 if it is refused.
    pub fn new(ask: &Ask) -> Result<Asked, Problem> {
        let form = Form::of(ask)?;
        if ask.turn.is_some() && !matches!(form, Form::Boards(_)) {
            return Err(Problem::syntax("turn", "goes with boards only"));
        }
        let mut asked = match form {
            Form::Fen(field, text) => {
                let mut asked = Asked::at_fen(field, text)?;
                asked.play(ask.moves.as_deref().unwrap_or_default())?;
                asked
            }
            Form::Pgn(text) => Asked::told(&documents::pgn(text)?),
            Form::Html(text) => Asked::told(&documents::html(text)?),
            Form::Text(text) => Asked::told(&documents::text(text)?),
            Form::Boards(boards) => Asked::after(game_of_boards(boards, ask.turn)?),
        };
        let start = asked.game.start_position().is_chess960();
        asked.chess960 |= ask.chess960.unwrap_or(false) || start;
        Ok(asked)
    }

    fn after(game: Game) -> Asked {
        Asked {
            game,
            chess960: false,
            repairs: Vec::new(),
        }
    }

    fn at_fen(field: &str, text: &str) -> Result<Asked, Problem> {
        if text.trim() == "startpos" {
            return Ok(Asked::after(Game::new(Board::startpos())));
        }
        let (board, repairs) = Board::from_fen_with_repairs(text).map_err(|error| match error {
            PositionError::Fen(error) => Problem::refused(field, error),
            PositionError::Setup(error) => impossible(field, &error),
        })?;
        let repairs = repairs.iter().map(ToString::to_string).collect();
        Ok(Asked {
            repairs,
            ..Asked::after(Game::new(board))
        })
    }

    fn told(document: &Document) -> Asked {
        Asked {
            game: document.tree.game(),
            chess960: document.chess960,
            repairs: document.repairs.iter().map(ToString::to_string).collect(),
        }
    }

    fn play(&mut self, moves: &[String]) -> Result<(), Problem> {
        if moves.len() > MAX_PLIES {
            return Err(Problem::refused("moves", format!("more than {MAX_PLIES}")));
        }
        for (index, text) in moves.iter().enumerate() {
            let m = self.read_move(&format!("moves[{index}]"), text)?;
            self.game.push(m);
        }
        Ok(())
    }

    /// Reads a move of the position, as UCI or standard algebraic notation.
    ///
    /// # Errors
    /// 422 with the reason.
    pub fn read_move(&self, field: &str, text: &str) -> Result<Move, Problem> {
        let board = self.game.board();
        let text = text.trim();
        let illegal = match board.parse_uci(text) {
            Ok(m) => return Ok(m),
            Err(illegal) => illegal,
        };
        if illegal.reason != IllegalReason::NotAMove {
            let fault = format!("illegal move {text}: {}", illegal.reason);
            return Err(Problem::refused(field, fault));
        }
        board
            .parse_san(text)
            .map_err(|error| Problem::refused(field, error))
    }

    /// The same game as it was after so many plies.
    pub fn until(&self, plies: usize) -> Asked {
        let mut game = Game::new(*self.game.start_position());
        for m in self.game.moves().iter().take(plies) {
            game.push(*m);
        }
        Asked {
            game,
            chess960: self.chess960,
            repairs: Vec::new(),
        }
    }

    /// The last move and the position it was made in.
    pub fn last_move(&self) -> Option<(&Board, Move)> {
        let [.., before, _] = self.game.boards() else {
            return None;
        };
        Some((before, *self.game.moves().last()?))
    }

    /// A move's UCI text in a position of this game.
    pub fn uci(&self, board: &Board, m: Move) -> String {
        board.uci(m, self.chess960)
    }

    /// A line of moves from the position: as UCI and as standard algebraic notation.
    pub fn line(&self, moves: &[Move]) -> (Vec<String>, Vec<String>) {
        let mut board = *self.game.board();
        let mut texts = (Vec::new(), Vec::new());
        for m in moves {
            let Ok(child) = board.try_make(*m) else { break };
            texts.0.push(self.uci(&board, *m));
            texts.1.push(board.san(*m));
            board = child;
        }
        texts
    }
}

/// In which form a request gives its position.
enum Form<'a> {
    Fen(&'static str, &'a str),
    Pgn(&'a str),
    Html(&'a str),
    Text(&'a str),
    Boards(&'a [Vec<Vec<i64>>]),
}

impl<'a> Form<'a> {
    fn of(ask: &'a Ask) -> Result<Form<'a>, Problem> {
        let moves = ask
            .moves
            .as_ref()
            .filter(|_| ask.fen.is_none() && ask.start.is_none());
        let forms = [
            ask.fen.as_deref().map(|text| Form::Fen("fen", text)),
            ask.start.as_deref().map(|text| Form::Fen("start", text)),
            moves.map(|_| Form::Fen("start", "startpos")),
            ask.pgn.as_deref().map(Form::Pgn),
            ask.html.as_deref().map(Form::Html),
            ask.text.as_deref().map(Form::Text),
            ask.boards.as_deref().map(Form::Boards),
        ];
        let mut given = forms.into_iter().flatten();
        match (given.next(), given.next()) {
            (Some(form), None) => Ok(form),
            (Some(_), Some(second)) => Err(Problem::syntax(
                second.field(),
                "only one position may be given",
            )),
            (None, _) => {
                let fault = "give a position: fen, start and moves, pgn, html or boards";
                Err(Problem::syntax("fen", fault))
            }
        }
    }

    fn field(&self) -> &'static str {
        match self {
            Form::Fen(field, _) => field,
            Form::Pgn(_) => "pgn",
            Form::Html(_) => "html",
            Form::Text(_) => "body",
            Form::Boards(_) => "boards",
        }
    }
}

fn impossible(field: &str, error: &SetupError) -> Problem {
    Problem::refused(field, error)
}

/// A game as a list of the articles' arrays: each follows from the one before by a legal move.
///
/// If it is not said who begins, White does, unless only a move of Black explains what follows.
fn game_of_boards(boards: &[Vec<Vec<i64>>], turn: Option<Turn>) -> Result<Game, Problem> {
    let [first, rest @ ..] = boards else {
        return Err(Problem::refused("boards", "the list is empty"));
    };
    if rest.len() > MAX_PLIES {
        return Err(Problem::refused(
            "boards",
            format!("more than {MAX_PLIES} moves"),
        ));
    }
    let setup = array(0, first)?;
    let white = || follow(&setup, Color::White, rest);
    let black = || follow(&setup, Color::Black, rest);
    let result = match turn {
        Some(Turn::White) => white(),
        Some(Turn::Black) => black(),
        // Of two failures the one that came further knows better what is wrong.
        None => white().or_else(|(at, problem)| {
            black().map_err(|other| if other.0 > at { other } else { (at, problem) })
        }),
    };
    result.map_err(|(_, problem)| problem)
}

/// Finds the moves between boards. The number in an error is how many boards were understood.
fn follow(setup: &Setup, turn: Color, rest: &[Vec<Vec<i64>>]) -> Result<Game, (usize, Problem)> {
    let mut setup = setup.clone();
    setup.set_turn(turn);
    let (board, _) = setup
        .to_board()
        .map_err(|error| (0, impossible("boards[0]", &error)))?;
    let mut game = Game::new(board);
    for (index, rows) in (1..).zip(rest) {
        let wanted = array(index, rows).map_err(|problem| (index, problem))?;
        let leads = |m: &&Move| {
            let child = game.board().make(**m);
            Square::ALL
                .into_iter()
                .all(|square| child.piece_at(square) == wanted.piece_at(square))
        };
        let moves = game.board().legal_moves();
        let Some(found) = moves.iter().find(leads).copied() else {
            let fault = "no legal move leads here from the board before";
            return Err((index, Problem::refused(format!("boards[{index}]"), fault)));
        };
        game.push(found);
    }
    Ok(game)
}

fn array(index: usize, rows: &[Vec<i64>]) -> Result<Setup, Problem> {
    let field = format!("boards[{index}]");
    let mut array = [[0i8; 8]; 8];
    if rows.len() != 8 {
        return Err(Problem::refused(
            field,
            format!("{} rows instead of 8", rows.len()),
        ));
    }
    for (row, (numbers, target)) in rows.iter().zip(&mut array).enumerate() {
        if numbers.len() != 8 {
            let fault = format!("{} numbers instead of 8", numbers.len());
            return Err(Problem::refused(format!("{field}[{row}]"), fault));
        }
        for (column, (number, target)) in numbers.iter().zip(target).enumerate() {
            *target = i8::try_from(*number)
                .ok()
                .filter(|n| (-6..=6).contains(n))
                .ok_or_else(|| {
                    let place = format!("{field}[{row}][{column}]");
                    Problem::refused(place, format!("{number} is not from -6 to 6"))
                })?;
        }
    }
    Setup::from_array(&array).map_err(|(square, number)| {
        Problem::refused(field, format!("{number} on {square} is no piece"))
    })
}

/// What a client is told of a position.
#[derive(Debug, Serialize)]
pub struct View {
    fen: String,
    /// The position the game began with.
    start: String,
    turn: &'static str,
    chess960: bool,
    status: &'static str,
    check: bool,
    checkers: Vec<String>,
    pinned: Vec<String>,
    legal: Vec<MoveView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    repairs: Vec<String>,
    /// The game's moves, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<Vec<Played>>,
    /// The move that led here, if one was made.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    made: Option<MoveView>,
}

/// A legal move.
#[derive(Debug, Serialize)]
pub struct MoveView {
    uci: String,
    san: String,
    from: String,
    /// Where the piece arrives; castling, the king.
    to: String,
    /// The rook's square, if this is castling.
    #[serde(skip_serializing_if = "Option::is_none")]
    rook: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    promotion: Option<char>,
}

/// A move that was made and the position after it.
#[derive(Debug, Serialize)]
struct Played {
    #[serde(flatten)]
    made: MoveView,
    fen: String,
}

fn names(squares: Bitboard) -> Vec<String> {
    squares
        .into_iter()
        .map(|square| square.to_string())
        .collect()
}

impl Asked {
    /// What a client is told of the position.
    pub fn view(&self, history: bool) -> View {
        let board = self.game.board();
        View {
            fen: board.to_fen(),
            start: self.game.start_position().to_fen(),
            turn: board.turn().name(),
            chess960: self.chess960,
            status: self.game.status().name(),
            check: board.in_check(),
            checkers: names(board.checkers()),
            pinned: names(board.pinned()),
            legal: board
                .legal_moves()
                .iter()
                .map(|m| self.move_view(board, *m))
                .collect(),
            repairs: self.repairs.clone(),
            history: history.then(|| self.history()),
            made: None,
        }
    }

    /// The same after its last move, which is told too.
    pub fn view_after_move(&self) -> View {
        let made = self.last_move().map(|(board, m)| self.move_view(board, m));
        View {
            made,
            ..self.view(false)
        }
    }

    fn history(&self) -> Vec<Played> {
        let moves = self.game.moves().iter().zip(self.game.boards().windows(2));
        let played = |(m, pair): (&Move, &[Board])| Played {
            made: self.move_view(&pair[0], *m),
            fen: pair[1].to_fen(),
        };
        moves.map(played).collect()
    }

    fn move_view(&self, board: &Board, m: Move) -> MoveView {
        let castled = if m.to().file() > m.from().file() {
            6
        } else {
            2
        };
        let to = if m.is_castling() {
            Square::at(castled, m.from().rank())
        } else {
            m.to()
        };
        MoveView {
            uci: self.uci(board, m),
            san: board.san(m),
            from: m.from().to_string(),
            to: to.to_string(),
            rook: m.is_castling().then(|| m.to().to_string()),
            promotion: m.promotion().map(|kind| kind.letter()),
        }
    }
}
