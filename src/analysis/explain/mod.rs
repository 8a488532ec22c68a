//! Explains a position and its moves: in a few sentences, each proved by a line or a search; as
//! motifs and material; and by the best line, the refutation of another move, the threat, and the
//! value of each piece.

mod choice;
mod deeds;
mod features;
mod reason;
mod statement;
mod wording;

pub use reason::Reason;

use super::material::Material;
use super::motif::{Motif, MotifName, fortress, lasting, motifs};
use super::{Analyser, AnalysisResult, AnalysisTask};
use crate::chess::{Board, Color, Game, GameStatus, KeyHistory, Move, PieceKind, Square};
use crate::eval::wdl::Wdl;
use crate::eval::{Evaluation, PieceValue, piece_values};
use crate::search::Tablebases;
use crate::search::score::{Score, Value};
use choice::Statements;
use features::{is_felt, is_telling};
use statement::{Line, Outcome};
use std::io;

/// Minimum gain of a threat that is reported, in centipawns of the evaluation.
const MIN_THREAT: Value = 90;

/// The default node limit of each search of an explanation.
pub const DEFAULT_EXPLANATION_NODES: u64 = 30_000;

/// The number of sentences of a text.
const MAX_SENTENCES: usize = 5;

/// A line with fewer plies is searched further, so that it shows what it leads to.
const MIN_PLIES: usize = 8;

/// What is to be explained.
#[derive(Clone, Debug)]
pub struct Question {
    /// The position.
    pub board: Board,
    /// The earlier positions that can be repeated.
    pub previous_keys: KeyHistory,
    /// Legal moves: one to explain, or two to compare. More are left out.
    pub moves: Vec<Move>,
}

impl Question {
    /// A question about a position and perhaps its moves, without earlier positions.
    pub fn new(board: Board, moves: impl IntoIterator<Item = Move>) -> Question {
        let moves = moves.into_iter().collect();
        Question { board, previous_keys: KeyHistory::default(), moves }
    }

    /// A question about the last position of a game and perhaps its moves.
    pub fn in_game(game: &Game, moves: impl IntoIterator<Item = Move>) -> Question {
        let previous_keys = game.previous_keys().reversible(game.board());
        Question { previous_keys, ..Question::new(*game.board(), moves) }
    }
}

/// An explained move.
#[derive(Clone, Debug)]
pub struct ExplainedMove {
    /// The move.
    pub m: Move,
    /// Its score from the view of the side that plays it.
    pub score: Score,
    /// Loss compared with the best move in normalised centipawns; `None` if one of the scores is a
    /// mate.
    pub loss_cp: Option<i32>,
    /// The best reply and its continuation; empty if the move ends the game.
    pub refutation: Vec<Move>,
    /// The effect of the reply.
    pub effect: String,
}

impl ExplainedMove {
    /// The move and its continuation.
    fn line(&self) -> Vec<Move> {
        std::iter::once(self.m).chain(self.refutation.iter().copied()).collect()
    }

    fn effect_of_reply(&self, board: &Board, evaluation: &Evaluation) -> String {
        let moves = &self.line();
        let line = Line { board, moves, score: self.score, evaluation };
        wording::effect(&Outcome::of_answer(line))
    }
}

/// What a side would do if it were to move.
#[derive(Clone, Debug)]
pub struct Threat {
    /// Its best line.
    pub line: Vec<Move>,
    /// The score of the line from its view.
    pub score: Score,
    /// The effect of the line.
    pub effect: String,
}

/// The explanation of a position.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The position.
    pub board: Board,
    /// The score from the side to move's view.
    pub score: Score,
    /// The win, draw and loss probabilities of the side to move.
    pub wdl: Wdl,
    /// The static evaluation from the side to move's view.
    pub static_eval: Score,
    /// Depth of the search.
    pub depth: u32,
    /// The best line; empty if the game is over.
    pub line: Vec<Move>,
    /// The effect of the best line.
    pub effect: String,
    /// The explanation of a given move.
    pub asked: Option<ExplainedMove>,
    /// The explanation of a second one, to be compared with the first.
    pub compared: Option<ExplainedMove>,
    /// What the other side would do after a null move, if it is a threat.
    pub threat: Option<Threat>,
    /// At most five sentences for people.
    pub text: Vec<String>,
    /// The motifs of the given move and its line, or of the best line. If the given move is bad,
    /// the motifs of the answer, whose plies count from the given move too.
    pub motifs: Vec<Motif>,
    /// What the same line changes in material for the side to move; `None` if it proves nothing.
    pub material: Option<Material>,
    /// What is lasting in the position.
    pub lasting: Vec<Motif>,
    /// All pieces, from a1 to h8.
    pub pieces: Vec<PieceValue>,
}

impl Explanation {
    /// The score from White's view.
    pub fn eval(&self) -> Score {
        self.score.white_view(self.board.turn())
    }

    /// The explained move: the given one, or the best one.
    fn subject(&self) -> Option<Move> {
        let asked = self.asked.as_ref().map(|asked| asked.m);
        asked.or_else(|| self.line.first().copied())
    }

    /// The lasting features of a side in words, without those that are plain to see and those that the
    /// values of the pieces contradict. Passed pawns of an endgame count whatever their values. What is
    /// called a passed pawn is not called isolated as well, nor is any passed pawn of an endgame.
    pub fn lasting_text(&self, side: Color) -> String {
        let is_endgame = self.board.pieces(PieceKind::Queen).is_empty();
        let is_told = |motif: &Motif| {
            let counts = is_endgame && motif.name == MotifName::PassedPawn;
            is_telling(&self.board, motif) && (counts || is_felt(&self.pieces, motif))
        };
        let is_passed = |square: &[Square]| {
            let passed = |motif: &&Motif| motif.name == MotifName::PassedPawn;
            let mut all = self.lasting.iter().filter(passed);
            all.any(|motif| motif.squares == square && (is_endgame || is_told(motif)))
        };
        let own = self.lasting.iter().filter(|motif| {
            let is_double = motif.name == MotifName::IsolatedPawn && is_passed(&motif.squares);
            motif.side == side && is_told(motif) && !is_double
        });
        let own: Vec<&Motif> = own.collect();
        let groups = own.chunk_by(|a, b| a.name == b.name).map(|group| {
            let squares = group.iter().filter_map(|motif| motif.squares.first().copied());
            wording::lasting(group[0].name, &squares.collect::<Vec<_>>())
        });
        groups.collect::<Vec<String>>().join(", ")
    }
}

/// What a search of an explanation is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TaskKind {
    /// The position.
    Position,
    /// The position after one of the given moves.
    Move(usize),
    /// The position after a null move.
    NullMove,
    /// The position after the explained move and a null move.
    NullMoveAfter,
    /// The end of a line that is too short: of the best one, or of one after a given move.
    EndOf(Option<usize>),
}

/// The results of searches.
type Results = Vec<AnalysisResult<TaskKind>>;

/// Searches positions one after another, beginning with an empty transposition table.
type Search<'a> = &'a mut dyn FnMut(Vec<AnalysisTask<TaskKind>>) -> io::Result<Results>;

/// Explains a position and its moves.
///
/// # Errors
/// A hash table or a thread cannot be created, or the analyser is stopped.
pub fn explain(question: &Question, analyser: &Analyser) -> io::Result<Explanation> {
    let tablebases = analyser.tablebases.as_ref();
    explain_by(question, &analyser.evaluation, tablebases, &mut |tasks| {
        let total = tasks.len() as u64;
        let mut results = Vec::new();
        analyser.analyse(&mut tasks.into_iter(), total, &mut |result, _| results.push(result))?;
        Ok(results)
    })
}

/// Explains a position and its moves with searches of the caller, by this evaluation.
///
/// # Errors
/// Those of the searches.
pub fn explain_with(
    question: &Question,
    evaluation: &Evaluation,
    search: Search<'_>,
) -> io::Result<Explanation> {
    explain_by(question, evaluation, None, search)
}

/// Explains a position and its moves with these searches, evaluation and tablebases.
fn explain_by(
    question: &Question,
    evaluation: &Evaluation,
    tablebases: Option<&Tablebases>,
    search: Search<'_>,
) -> io::Result<Explanation> {
    // Without files, as in WebAssembly, the compiler leaves out what probes them.
    let tablebases = tablebases.filter(|_| cfg!(not(target_family = "wasm")));
    let board = &question.board;
    let asked = &question.moves[..question.moves.len().min(2)];
    let task = |tag, board: Board, previous_keys| AnalysisTask { tag, board, previous_keys };
    let keys_after = |m: Move| {
        let mut keys = question.previous_keys.clone();
        keys.push(board);
        keys.reversible(&board.make(m))
    };
    let mut tasks = vec![task(TaskKind::Position, *board, question.previous_keys.clone())];
    for (index, m) in asked.iter().enumerate() {
        tasks.push(task(TaskKind::Move(index), board.make(*m), keys_after(*m)));
    }
    // A null move in check is illegal, so there is no threat to search for.
    if !board.in_check() && board.status() == GameStatus::Ongoing {
        tasks.push(task(TaskKind::NullMove, board.make_null(), KeyHistory::default()));
    }
    let results = search(tasks)?;
    let mut explanation = explain_position(board, find(&results, TaskKind::Position), evaluation);
    let mut explained = asked.iter().enumerate().filter_map(|(index, m)| {
        let result = find(&results, TaskKind::Move(index))?;
        Some(explain_move(board, *m, &explanation, result, evaluation))
    });
    let moves = [explained.next(), explained.next()];
    [explanation.asked, explanation.compared] = moves;
    let passed = find(&results, TaskKind::NullMove);
    explanation.threat = passed.and_then(|result| threat(&explanation, result, evaluation));
    let threatened = deepen(&mut explanation, evaluation, search)?;
    finish(&mut explanation, threatened, evaluation, tablebases);
    Ok(explanation)
}

fn find(results: &Results, tag: TaskKind) -> Option<&AnalysisResult<TaskKind>> {
    results.iter().find(|result| result.tag == tag)
}

/// The score of a position and its best line. A search goes on when a rule has ended the game as a
/// draw.
fn outcome<T>(result: &AnalysisResult<T>) -> (Score, Vec<Move>) {
    match (result.board.status(), result.lines.first()) {
        (GameStatus::Ongoing, Some(line)) => (result.score, line.pv.clone()),
        _ => (Score::of_game_over(&result.board), Vec::new()),
    }
}

fn explain_position(
    board: &Board,
    result: Option<&AnalysisResult<TaskKind>>,
    evaluation: &Evaluation,
) -> Explanation {
    let (score, moves) = result.map_or((Score::DRAW, vec![]), outcome);
    let line = Line { board, moves: &moves, score, evaluation };
    Explanation {
        board: *board,
        score,
        wdl: Wdl::of_position(board, score.value()),
        static_eval: evaluation.evaluate(board).into(),
        depth: result.filter(|_| !moves.is_empty()).map_or(0, AnalysisResult::depth),
        effect: wording::effect(&Outcome::new(line)),
        line: moves,
        asked: None,
        compared: None,
        threat: None,
        text: Vec::new(),
        motifs: Vec::new(),
        material: None,
        lasting: lasting(board),
        pieces: piece_values(board, evaluation),
    }
}

fn explain_move(
    board: &Board,
    m: Move,
    best: &Explanation,
    result: &AnalysisResult<TaskKind>,
    evaluation: &Evaluation,
) -> ExplainedMove {
    let is_best = best.line.first() == Some(&m);
    let (score_after, reply) = outcome(result);
    let score = if is_best { best.score } else { score_after.before_move() };
    let centipawns = best.score.centipawns().zip(score.centipawns());
    let refutation = if is_best && best.line.len() > 1 {
        best.line[1..].to_vec()
    } else {
        // A shallow best line ends with the move itself.
        reply
    };
    let mut explained = ExplainedMove {
        m,
        score,
        loss_cp: centipawns.map(|(best, asked)| (best - asked).max(0)),
        effect: String::new(),
        refutation,
    };
    explained.effect = explained.effect_of_reply(board, evaluation);
    explained
}

/// The best line after a null move, if it gains enough to be a threat.
fn threat(
    explanation: &Explanation,
    passed: &AnalysisResult<TaskKind>,
    evaluation: &Evaluation,
) -> Option<Threat> {
    let (passed_score, line) = outcome(passed);
    // The gain of the free move: the score after the null move less the score without it. A null
    // move gives up our own tactics; that loss is no threat. So if we have tactics, a threat must
    // win material.
    let (score, static_eval) = (explanation.score.value(), explanation.static_eval.value());
    let gain = passed_score.value() + score.min(static_eval);
    let has_tactics = score >= static_eval + MIN_THREAT;
    let (board, moves) = (&passed.board, &line);
    let outcome = Outcome::new(Line { board, moves, score: passed_score, evaluation });
    let mates = passed_score.mate().is_some_and(|moves| moves > 0);
    let is_threat = mates || gain >= MIN_THREAT && (!has_tactics || outcome.is_gain());
    let effect = wording::effect(&outcome);
    (is_threat && !line.is_empty()).then_some(Threat { line, score: passed_score, effect })
}

/// Searches what the explained move threatens, and continues lines that are too short. Returns the
/// line of the threat and its score, if there is a threat.
fn deepen(
    explanation: &mut Explanation,
    evaluation: &Evaluation,
    search: Search<'_>,
) -> io::Result<Option<(Score, Vec<Move>)>> {
    let board = explanation.board;
    let task = |tag, board| AnalysisTask { tag, board, previous_keys: KeyHistory::default() };
    let mut tasks = Vec::new();
    let mut continued = |tag, start: Board, line: &[Move], score: Score| {
        let end = line.iter().fold(start, |at, m| at.make(*m));
        let is_short = line.len() < MIN_PLIES && !line.is_empty() && score.mate().is_none();
        if is_short && end.status() == GameStatus::Ongoing {
            tasks.push(task(TaskKind::EndOf(tag), end));
        }
    };
    continued(None, board, &explanation.line, explanation.score);
    let explained = [&explanation.asked, &explanation.compared];
    for (index, asked) in explained.into_iter().flatten().enumerate() {
        continued(Some(index), board.make(asked.m), &asked.refutation, asked.score);
    }
    let child = explanation.subject().map(|m| board.make(m)).filter(|child| !child.in_check());
    if let Some(child) = child.filter(|child| child.status() == GameStatus::Ongoing) {
        tasks.push(task(TaskKind::NullMoveAfter, child.make_null()));
    }
    if tasks.is_empty() {
        return Ok(None);
    }
    let results = search(tasks)?;
    let rest =
        |tag| find(&results, TaskKind::EndOf(tag)).map_or_else(Vec::new, |end| outcome(end).1);
    explanation.line.extend(rest(None));
    let (moves, score) = (&explanation.line, explanation.score);
    let line = Line { board: &board, moves, score, evaluation };
    explanation.effect = wording::effect(&Outcome::new(line));
    for (index, asked) in
        [&mut explanation.asked, &mut explanation.compared].into_iter().flatten().enumerate()
    {
        asked.refutation.extend(rest(Some(index)));
        asked.effect = asked.effect_of_reply(&board, evaluation);
    }
    let passed = find(&results, TaskKind::NullMoveAfter);
    Ok(passed.map(outcome).filter(|(_, line)| !line.is_empty()))
}

/// Adds the text, the motifs and the material.
fn finish(
    explanation: &mut Explanation,
    threatened: Option<(Score, Vec<Move>)>,
    evaluation: &Evaluation,
    tablebases: Option<&Tablebases>,
) {
    let board = explanation.board;
    let (line, score) = match &explanation.asked {
        Some(asked) => (asked.line(), asked.score),
        None => (explanation.line.clone(), explanation.score),
    };
    explanation.material = Line { board: &board, moves: &line, score, evaluation }.material();
    explanation.motifs = motifs(&board, &line, score);
    if let Some(asked) = &explanation.asked
        && explanation.motifs.is_empty()
    {
        let of_answer = motifs(&board.make(asked.m), &asked.refutation, -asked.score);
        let later = of_answer.into_iter().map(|motif| Motif { ply: motif.ply + 1, ..motif });
        explanation.motifs = later.collect();
    }
    let after = explanation.subject().map(|m| board.make(m));
    if let Some((after, tablebases)) = after.zip(tablebases)
        && !explanation.motifs.iter().any(|motif| statement::saves_draw(motif.name))
    {
        explanation.motifs.extend(fortress(&after, tablebases));
    }
    let statements = Statements { explanation, threatened, evaluation };
    let mut text: Vec<String> = statements.all().iter().map(wording::sentence).collect();
    text.truncate(MAX_SENTENCES);
    explanation.text = text;
}
