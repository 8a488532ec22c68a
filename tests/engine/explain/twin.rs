//! A slow program that checks what explanations claim with the rules of chess alone: boards of 64
//! letters, read square by square, lines played from their text, mates by trying every move.

use saavedra::analysis::Explanation;
use saavedra::analysis::motif::{Motif, MotifName};
use saavedra::chess::{Board, Color, Move, PieceKind, Square};

/// A board as the letters of its FEN, from a1 to h8; a dot is an empty square.
struct Letters([char; 64]);

impl Letters {
    fn new(board: &Board) -> Letters {
        let mut letters = ['.'; 64];
        let fen = board.to_fen();
        let ranks = fen.split(' ').next().unwrap_or_default().split('/');
        for (rank, row) in ranks.enumerate() {
            let mut file = 0;
            for letter in row.chars() {
                if let Some(gap) = letter.to_digit(10) {
                    file += gap as usize;
                } else {
                    letters[(7 - rank) * 8 + file] = letter;
                    file += 1;
                }
            }
        }
        Letters(letters)
    }

    fn at(&self, square: Square) -> char {
        self.0[square.index()]
    }

    fn is_of(&self, square: Square, side: Color) -> bool {
        let letter = self.at(square);
        letter.is_ascii_alphabetic() && letter.is_ascii_uppercase() == (side == Color::White)
    }

    fn without(&self, square: Square) -> Letters {
        let mut letters = self.0;
        letters[square.index()] = '.';
        Letters(letters)
    }

    fn king(&self, side: Color) -> Option<Square> {
        let letter = if side == Color::White { 'K' } else { 'k' };
        Square::ALL.into_iter().find(|square| self.at(*square) == letter)
    }

    /// Whether the piece on a square attacks another square.
    fn attacks(&self, from: Square, to: Square) -> bool {
        let place = |square: Square| ((square.index() % 8) as i32, (square.index() / 8) as i32);
        let ((file, rank), (to_file, to_rank)) = (place(from), place(to));
        let (files, ranks) = (to_file - file, to_rank - rank);
        let letter = self.at(from);
        let is_straight = files == 0 || ranks == 0;
        let is_diagonal = files.abs() == ranks.abs();
        let reaches = match letter.to_ascii_lowercase() {
            'p' => files.abs() == 1 && ranks == if letter == 'P' { 1 } else { -1 },
            'n' => return (files * ranks).abs() == 2,
            'k' => files.abs().max(ranks.abs()) == 1,
            'b' => is_diagonal,
            'r' => is_straight,
            'q' => is_straight || is_diagonal,
            _ => false,
        };
        let steps = files.abs().max(ranks.abs());
        let between = |step: i32| (rank + step * ranks.signum()) * 8 + file + step * files.signum();
        reaches && steps > 0 && (1..steps).all(|step| self.0[between(step) as usize] == '.')
    }

    /// The pieces of a side that attack a square.
    fn attackers(&self, side: Color, to: Square) -> Vec<Square> {
        let all = Square::ALL.into_iter();
        all.filter(|from| self.is_of(*from, side) && self.attacks(*from, to)).collect()
    }

    /// The material of White less the material of Black.
    fn material(&self) -> i32 {
        let values = self.0.iter().map(|letter| {
            let value = value(letter.to_ascii_lowercase());
            if letter.is_ascii_uppercase() { value } else { -value }
        });
        values.sum()
    }
}

fn value(letter: char) -> i32 {
    match letter {
        'p' => 100,
        'n' | 'b' => 300,
        'r' => 500,
        'q' => 900,
        _ => 0,
    }
}

/// The material of a side less the material of the other.
pub(super) fn material(board: &Board, side: Color) -> i32 {
    let of_white = Letters::new(board).material();
    if side == Color::White { of_white } else { -of_white }
}

/// The boards of a line, the first one included.
pub(super) fn boards(board: &Board, line: &[Move]) -> Vec<Board> {
    let mut boards = vec![*board];
    for m in line {
        boards.push(boards[boards.len() - 1].make(*m));
    }
    boards
}

/// Whether the side to move mates in this number of moves, whatever the other side plays: every
/// move is tried.
pub(crate) fn mates_in(board: &Board, moves: u32) -> bool {
    let is_mated = |board: &Board| board.in_check() && board.legal_moves().is_empty();
    moves > 0
        && board.children().any(|(_, after)| {
            let mut replies = after.children().peekable();
            is_mated(&after)
                || moves > 1
                    && replies.peek().is_some()
                    && replies.all(|(_, at)| mates_in(&at, moves - 1))
        })
}

/// Whether a mate holds, as far as every move can be tried in time.
pub(super) fn is_mate_in(board: &Board, moves: u32) -> bool {
    const TRIED: u32 = 2;
    moves > TRIED || mates_in(board, moves)
}

/// Whether a motif is on the boards of a line that wins something.
pub(super) fn is_seen(motif: &Motif, board: &Board, line: &[Move], mates: bool) -> bool {
    let boards = boards(board, line);
    let letters = boards.iter().map(Letters::new).collect();
    let sight = Sight { motif, line, boards, letters, mates };
    sight.of_attack().or_else(|| sight.of_defence()).or_else(|| sight.of_end()).unwrap_or(false)
}

/// A motif, and the line where it should be.
struct Sight<'a> {
    motif: &'a Motif,
    line: &'a [Move],
    boards: Vec<Board>,
    letters: Vec<Letters>,
    mates: bool,
}

impl Sight<'_> {
    fn square(&self, index: usize) -> Square {
        self.motif.squares[index]
    }

    fn after(&self) -> &Letters {
        &self.letters[self.motif.ply + 1]
    }

    fn is_theirs(&self, square: Square) -> bool {
        self.after().is_of(square, !self.motif.side)
    }

    /// Whether the line mates, or takes the piece that stands on a square after the move.
    fn is_lost(&self, square: Square) -> bool {
        let mut at = square;
        let is_taken = self.line[self.motif.ply + 1..].iter().any(|next| {
            let is_hit = next.to() == at && next.from() != at;
            at = if next.from() == at { next.destination() } else { at };
            is_hit
        });
        self.mates || is_taken
    }

    /// Whether the third piece of the motif stands behind the second one, seen by the first one.
    fn is_behind(&self) -> bool {
        let [by, front, rear] = [0, 1, 2].map(|index| self.square(index));
        self.after().attacks(by, front)
            && !self.after().attacks(by, rear)
            && self.after().without(front).attacks(by, rear)
            && self.is_theirs(front)
            && self.is_theirs(rear)
    }

    fn of_attack(&self) -> Option<bool> {
        let (us, ply) = (self.motif.side, self.motif.ply);
        let (m, after) = (self.line[ply], self.after());
        let king = after.king(!us)?;
        let checkers = after.attackers(us, king);
        let is_target = |target: Square| {
            let threatens_mate =
                || checkers.is_empty() && mates_in(&self.boards[ply + 1].make_null(), 1);
            self.is_theirs(target)
                && (after.attacks(self.square(0), target) || target == king && threatens_mate())
        };
        let attacks_first = || after.attacks(self.square(0), self.square(1));
        Some(match self.motif.name {
            MotifName::DoubleCheck => checkers.len() == 2,
            MotifName::DiscoveredCheck => checkers.iter().any(|from| *from != m.destination()),
            MotifName::DiscoveredAttack => {
                attacks_first()
                    && !self.letters[ply].attacks(self.square(0), self.square(1))
                    && self.square(0) != m.destination()
                    && self.is_lost(self.square(1))
            }
            MotifName::Fork => {
                let targets = &self.motif.squares[1..];
                self.square(0) == m.destination()
                    && targets.len() >= 2
                    && targets.iter().all(|target| is_target(*target))
                    && targets.iter().any(|target| self.is_lost(*target))
            }
            MotifName::Skewer => self.is_behind() && self.line[ply + 2].to() == self.square(2),
            MotifName::Pin => self.is_behind(),
            MotifName::TrappedPiece => {
                self.is_theirs(self.square(1)) && attacks_first() && self.is_lost(self.square(1))
            }
            _ => return None,
        })
    }

    fn of_defence(&self) -> Option<bool> {
        let (ply, them) = (self.motif.ply, !self.motif.side);
        let (m, before) = (self.line[ply], &self.letters[ply]);
        let comes_to = |square| self.line[ply + 1..].iter().any(|next| next.to() == square);
        let was_theirs = || before.is_of(self.square(1), them);
        Some(match self.motif.name {
            MotifName::RemovedDefender => {
                was_theirs()
                    && before.attacks(self.square(1), self.square(2))
                    && comes_to(self.square(2))
            }
            MotifName::OverloadedDefender | MotifName::Deflection => {
                let (reply, next) = (self.line[ply + 1], self.line[ply + 2]);
                reply.from() == self.square(1)
                    && self.after().attacks(self.square(1), self.square(2))
                    && !self.letters[ply + 2].attacks(reply.destination(), self.square(2))
                    && next.to() == self.square(2)
            }
            MotifName::InBetweenMove => {
                self.line[ply - 1].to() == self.square(1)
                    && m.to() != self.square(1)
                    && comes_to(self.square(1))
            }
            MotifName::HangingPiece => {
                was_theirs() && before.attackers(them, self.square(1)).is_empty()
            }
            _ => return None,
        })
    }

    fn of_end(&self) -> Option<bool> {
        let (ply, them) = (self.motif.ply, !self.motif.side);
        let (m, last) = (self.line[ply], &self.boards[self.line.len()]);
        let letters = &self.letters[self.line.len()];
        let king = letters.king(them)?;
        let home = if them == Color::White { 0 } else { 7 };
        let is_own = |square: &Square| letters.is_of(*square, them);
        let mut around = Square::ALL.into_iter().filter(|near| is_near(king, *near));
        Some(match self.motif.name {
            MotifName::Mate => self.mates,
            MotifName::SmotheredMate => last.is_checkmate() && around.all(|near| is_own(&near)),
            MotifName::BackRankMate => {
                last.is_checkmate() && around.all(|near| near.index() / 8 == home || is_own(&near))
            }
            MotifName::Zugzwang => {
                let after = &self.boards[ply + 1];
                !after.in_check() && !mates_in(&after.make_null(), 1)
            }
            MotifName::Promotion => m.is_promotion(),
            MotifName::Underpromotion => m.promotion().is_some_and(|kind| kind != PieceKind::Queen),
            MotifName::StalemateTrick => !last.has_legal_move() && !last.in_check(),
            MotifName::PerpetualCheck => {
                self.boards[ply + 1..].iter().step_by(2).all(Board::in_check)
            }
            _ => return None,
        })
    }
}

/// Whether two squares touch.
fn is_near(from: Square, to: Square) -> bool {
    let (from, to) = (from.index(), to.index());
    (from % 8).abs_diff(to % 8).max((from / 8).abs_diff(to / 8)) == 1
}

/// The value of "a rook and two pawns".
fn value_of_words(words: &str) -> i32 {
    const NUMBERS: [&str; 7] = ["two", "three", "four", "five", "six", "seven", "eight"];
    let (mut sum, mut count) = (0, 1);
    for word in words.split([' ', ',']).filter(|word| !word.is_empty()) {
        let number =
            NUMBERS.iter().position(|number| *number == word).map(|place| place as i32 + 2);
        let letter = match word.trim_end_matches('s') {
            "pawn" => 'p',
            "knight" => 'n',
            "bishop" => 'b',
            "rook" => 'r',
            "queen" => 'q',
            _ => ' ',
        };
        sum += count * value(letter);
        count = number.unwrap_or(1);
    }
    sum
}

/// What a clause such as "wins a rook for a knight" claims of the side that starts its line.
enum Clause {
    Material(i32),
    Mate(u32),
}

fn clause(words: &str) -> Option<Clause> {
    let (verb, rest) = words.split_once(' ')?;
    let difference = |text: &str| {
        let (first, second) = text.split_once(" for ").unwrap_or((text, ""));
        value_of_words(first) - value_of_words(second)
    };
    match verb {
        "wins" | "win" => Some(Clause::Material(difference(rest))),
        "loses" | "lose" => Some(Clause::Material(-difference(rest))),
        "gives" | "give" => Some(Clause::Material(-difference(rest.strip_prefix("up ")?))),
        "promotes" | "promote" => {
            let new = rest.strip_prefix("a pawn to ")?;
            Some(Clause::Material(value_of_words(new) - value_of_words("pawn")))
        }
        "mates" | "mate" => Some(Clause::Mate(rest.strip_prefix("in ")?.parse().ok()?)),
        _ => None,
    }
}

/// A sentence checked: whether it holds, or `None` if it claims neither material nor a mate.
pub(super) fn holds(sentence: &str, told: &Explanation) -> Option<bool> {
    let (head, line) = sentence.trim_end_matches('.').rsplit_once(": ")?;
    let words = head.rsplit("; ").next()?;
    let words = words.trim_start_matches("Then ");
    let after_asked = told.asked.as_ref().map(|asked| told.board.make(asked.m));
    let subject = told.asked.as_ref().map(|asked| asked.m).or(told.line.first().copied());
    let (root, start, words) = if let Some(words) = words.strip_prefix("It threatens to ") {
        let start = told.board.make(subject?).make_null();
        (start, start, words)
    } else if let Some((_, words)) = words.split_once(" threatens to ") {
        let start = told.board.make_null();
        (start, start, words)
    } else {
        let words = words.trim_start_matches("White ").trim_start_matches("Black ");
        let start = if sentence.starts_with("Then ") { after_asked? } else { told.board };
        (told.board, start, words)
    };
    let clause = clause(words)?;
    let side = start.turn();
    let (mut boards, mut moves) = (vec![start], Vec::new());
    for san in line.split(' ').filter(|word| !word.ends_with('.')) {
        let at = boards[boards.len() - 1];
        let Ok(m) = at.parse_san(san) else { return Some(false) };
        moves.push(m);
        boards.push(at.make(m));
    }
    Some(match clause {
        Clause::Mate(moves) => {
            let plies = 2 * moves as usize - 1;
            let is_shown = plies >= boards.len() || boards[plies].is_checkmate();
            is_shown && is_mate_in(&start, moves)
        }
        // The material stands on a board of the line after which no piece is taken back at once.
        Clause::Material(value) => boards.iter().enumerate().skip(1).any(|(ply, at)| {
            let gain = material(at, side) - material(&root, side);
            let is_retaken = moves.get(ply).is_some_and(|next| next.to() == moves[ply - 1].to());
            gain == value && !is_retaken
        }),
    })
}
