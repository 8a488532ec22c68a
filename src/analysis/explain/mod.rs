//! Explains a position and its moves: in a few sentences, each proved by a line or a search; as
//! motifs and material; and by the best line, the refutation of another move, the threat, and the
//! value of each piece.

mod reason;
mod statement;
mod wording;

pub use reason::Reason;

use super::material::Material;
use super::motif::{Motif, MotifName, lasting, motifs};
use super::{Analyser, AnalysisResult, AnalysisTask, Judgement, Scale, line_text};
use crate::chess::{Board, Color, Game, GameStatus, KeyHistory, Move, PieceKind, Square};
use crate::eval::wdl::Wdl;
use crate::eval::{Evaluation, PieceValue, piece_values};
use crate::search::score::{Score, Value};
use statement::{Course, Line, Outcome, Rating, Statement, deeds, is_felt, is_telling, seen_motif};
use std::io;

/// Minimum gain of a threat that is reported, in centipawns of the evaluation.
const MIN_THREAT: Value = 90;

/// The default node limit of each search of an explanation.
pub const DEFAULT_EXPLANATION_NODES: u64 = 30_000;

/// The number of sentences of a text.
const MAX_SENTENCES: usize = 5;

/// A line with fewer plies is searched further, so that it shows what it leads to.
const MIN_PLIES: usize = 8;

/// Moves that lose at most this much are as good as the best one, in normalised centipawns.
const EQUAL_CP: i32 = 20;

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

    /// The lasting features of a side in words, without those that are plain to see and those that the
    /// values of the pieces contradict. In an endgame
    /// a passed pawn is not called isolated as well.
    pub fn lasting_text(&self, side: Color) -> String {
        let is_endgame = self.board.pieces(PieceKind::Queen).is_empty();
        let is_passed = |square: &[Square]| {
            let mut all = self.lasting.iter();
            all.any(|motif| motif.name == MotifName::PassedPawn && motif.squares == square)
        };
        let own = self.lasting.iter().filter(|motif| {
            let is_double = motif.name == MotifName::IsolatedPawn && is_passed(&motif.squares);
            motif.side == side
                && is_telling(&self.board, motif)
                && is_felt(&self.pieces, motif)
                && !(is_endgame && is_double)
        });
        let words: Vec<String> =
            own.map(|motif| wording::lasting(motif.name, &motif.squares)).collect();
        words.join(", ")
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
    explain_with(question, &analyser.evaluation, &mut |tasks| {
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
    finish(&mut explanation, threatened, evaluation);
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
    let subject = explanation.asked.as_ref().map(|asked| asked.m);
    let subject = subject.or_else(|| explanation.line.first().copied());
    let child = subject.map(|m| board.make(m)).filter(|child| !child.in_check());
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
    let statements = Statements { explanation, threatened, evaluation };
    let mut text: Vec<String> = statements.all().iter().map(wording::sentence).collect();
    text.truncate(MAX_SENTENCES);
    explanation.text = text;
}

/// Chooses what to say.
struct Statements<'a> {
    explanation: &'a Explanation,
    /// The best line after the explained move and a null move, and its score.
    threatened: Option<(Score, Vec<Move>)>,
    evaluation: &'a Evaluation,
}

impl Statements<'_> {
    fn all(&self) -> Vec<Statement> {
        let Explanation { board, asked, compared, .. } = self.explanation;
        let status = board.status();
        match (asked, compared) {
            _ if status != GameStatus::Ongoing => vec![Statement::Over(status.text())],
            (Some(first), Some(second)) => self.compare(first, second),
            (Some(asked), None) => match self.rating(asked) {
                rating @ Rating::Bad(..) => self.refute(asked, rating),
                rating => self.praise(asked, rating),
            },
            (None, _) => self.propose(),
        }
    }

    fn board(&self) -> &Board {
        &self.explanation.board
    }

    /// A move of the position with its number.
    fn text(&self, m: Move) -> String {
        line_text(self.board(), &[m])
    }

    /// A line from the position.
    fn line<'a>(&'a self, moves: &'a [Move], score: Score) -> Line<'a> {
        Line { board: self.board(), moves, score, evaluation: self.evaluation }
    }

    fn white(&self, score: Score) -> Score {
        score.white_view(self.board().turn())
    }

    fn rating(&self, asked: &ExplainedMove) -> Rating {
        let best = self.explanation.line.first().copied();
        let (before, after) = (self.white(self.explanation.score), self.white(asked.score));
        match best.filter(|best| *best != asked.m) {
            _ if self.board().legal_moves().len() == 1 => Rating::Only,
            None => Rating::Best,
            Some(best) => match Scale::default().judge(before, after, self.board().turn()) {
                Judgement::Best | Judgement::Good => Rating::Good(self.text(best)),
                judgement => Rating::Bad(judgement, before, after),
            },
        }
    }

    fn moved(&self, line: &[Move], score: Score, rating: Rating) -> Option<Statement> {
        let text = self.text(*line.first()?);
        let deeds = deeds(self.line(line, score));
        // Without deeds and rating there is nothing to say.
        let is_empty = deeds.is_empty() && rating == Rating::Unrated;
        (!is_empty).then_some(Statement::Move { text, deeds, rating })
    }

    /// A line from the position that gains something, and its motif.
    fn gain(&self, line: &[Move], score: Score) -> Vec<Statement> {
        let course = Course::new(self.line(line, score));
        if !course.outcome.is_gain() || line.is_empty() {
            return Vec::new();
        }
        // A mate on the board is told with the move.
        let course = (line.len() > 1).then_some(Statement::GoesOn(course));
        course.into_iter().chain(self.motif(self.board(), line, score)).collect()
    }

    fn motif(&self, board: &Board, line: &[Move], score: Score) -> Option<Statement> {
        seen_motif(board, line, &motifs(board, line, score)).map(Statement::Motif)
    }

    /// The line of a move, if nothing else has been said about it.
    fn main_line(&self, said: &[Statement], line: &[Move], score: Score) -> Option<Statement> {
        let is_bare = said.iter().all(|statement| match statement {
            Statement::Move { deeds, rating, .. } => deeds.is_empty() && *rating != Rating::Only,
            Statement::Standing(_) => true,
            _ => false,
        });
        let is_told = !is_bare || line.len() < 2 || score.mate().is_some();
        (!is_told).then(|| Statement::MainLine(Course::new(self.line(line, score))))
    }

    /// What the other side answers to a move.
    fn answer(&self, asked: &ExplainedMove) -> Option<Course> {
        let line = asked.line();
        (line.len() > 1).then(|| Course::of_answer(self.line(&line, asked.score)))
    }

    /// A bad move: its answer, and the better move.
    fn refute(&self, asked: &ExplainedMove, rating: Rating) -> Vec<Statement> {
        let child = self.board().make(asked.m);
        let mut all: Vec<Statement> =
            self.moved(&asked.line(), asked.score, rating).into_iter().collect();
        if let Some(course) = self.answer(asked) {
            let is_gain = course.outcome.is_gain();
            all.push(Statement::Answer(course));
            let motif = self.motif(&child, &asked.refutation, -asked.score);
            all.extend(motif.filter(|_| is_gain));
        }
        let Explanation { line, score, .. } = self.explanation;
        if let Some(best) = line.first() {
            let course = Course::new(self.line(line, *score));
            let deeds = deeds(self.line(line, *score));
            all.push(Statement::Better { text: self.text(*best), deeds, course });
            all.extend(self.motif(self.board(), line, *score));
        }
        all
    }

    /// A good move: what it wins or threatens.
    fn praise(&self, asked: &ExplainedMove, rating: Rating) -> Vec<Statement> {
        let line = asked.line();
        let mut all: Vec<Statement> = self.moved(&line, asked.score, rating).into_iter().collect();
        let gain = self.gain(&line, asked.score);
        if gain.is_empty() {
            all.extend(self.threatens());
        }
        let tells_mate = !gain.is_empty() && asked.score.mate().is_some();
        all.extend(gain);
        all.extend(self.main_line(&all, &line, asked.score));
        if !asked.refutation.is_empty() && !tells_mate {
            all.push(Statement::Standing(self.white(asked.score)));
        }
        all
    }

    /// The best move of a position, and the threat of the other side.
    fn propose(&self) -> Vec<Statement> {
        let Explanation { board, line, score, threat, .. } = self.explanation;
        let gain = self.gain(line, *score);
        // A mate in more than one move is told with its line.
        let tells_mate = score.mate().is_some() && !gain.is_empty() && line.len() > 1;
        let standing = Statement::Standing(self.white(*score));
        let mut all: Vec<Statement> = (!tells_mate).then_some(standing).into_iter().collect();
        let rating = if board.legal_moves().len() == 1 { Rating::Only } else { Rating::Proposed };
        all.extend(self.moved(line, *score, rating));
        if gain.is_empty() {
            all.extend(self.threatens());
        }
        all.extend(gain);
        all.extend(self.main_line(&all, line, *score));
        if let Some(threat) = threat {
            let (board, evaluation) = (&board.make_null(), self.evaluation);
            let line = Line { board, moves: &threat.line, score: threat.score, evaluation };
            all.push(Statement::Threat(Course::new(line)));
        }
        all
    }

    /// What the explained move threatens, if that is mate or material.
    fn threatens(&self) -> Option<Statement> {
        let (score, line) = self.threatened.as_ref()?;
        let first = match &self.explanation.asked {
            Some(asked) => asked.m,
            None => *self.explanation.line.first()?,
        };
        let passed = self.board().make(first).make_null();
        let (board, evaluation) = (&passed, self.evaluation);
        let course = Course::new(Line { board, moves: line, score: *score, evaluation });
        course.outcome.is_gain().then_some(Statement::Threatens(course))
    }

    /// Two moves, the better one first.
    fn compare(&self, first: &ExplainedMove, second: &ExplainedMove) -> Vec<Statement> {
        let (better, worse) =
            if first.score >= second.score { (first, second) } else { (second, first) };
        let centipawns = better.score.centipawns().zip(worse.score.centipawns());
        let mut all = vec![Statement::Compared {
            moves: [self.text(better.m), self.text(worse.m)],
            scores: [self.white(better.score), self.white(worse.score)],
            is_equal: better.score == worse.score
                || centipawns.is_some_and(|(better, worse)| better - worse <= EQUAL_CP),
        }];
        for explained in [better, worse] {
            let line = explained.line();
            all.extend(self.moved(&line, explained.score, Rating::Unrated));
            let gain = self.gain(&line, explained.score).into_iter();
            let answer = self.answer(explained).filter(|course| course.outcome.is_gain());
            all.extend(gain.chain(answer.map(Statement::Answer)).next());
        }
        all
    }
}
