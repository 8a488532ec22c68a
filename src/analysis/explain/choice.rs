//! Chooses what to say of a position and its moves.

use super::super::material::{Material, PAWN_VALUE};
use super::super::motif::{MotifName, motifs};
use super::super::{Judgement, Scale, line_text};
use super::deeds::deeds;
use super::statement::{Course, Deed, Line, Rating, Statement, seen_motif};
use super::{ExplainedMove, Explanation};
use crate::chess::{Board, GameStatus, Move};
use crate::eval::Evaluation;
use crate::search::score::Score;

/// Moves that lose at most this much are as good as the best one, in normalised centipawns.
const EQUAL_CP: i32 = 20;

/// Chooses what to say.
pub(super) struct Statements<'a> {
    pub(super) explanation: &'a Explanation,
    /// The best line after the explained move and a null move, and its score.
    pub(super) threatened: Option<(Score, Vec<Move>)>,
    pub(super) evaluation: &'a Evaluation,
}

impl Statements<'_> {
    pub(super) fn all(&self) -> Vec<Statement> {
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
        let mut deeds = deeds(self.line(line, score));
        if matches!(rating, Rating::Bad(..)) {
            deeds.retain(|deed| !matches!(deed, Deed::Castles | Deed::ActivatesKing));
        }
        // Without deeds and rating there is nothing to say.
        let is_empty = deeds.is_empty() && rating == Rating::Unrated;
        (!is_empty).then_some(Statement::Move { text, deeds, rating })
    }

    /// A line from the position that gains something or saves a draw, and its motif.
    fn gain(&self, line: &[Move], score: Score) -> Vec<Statement> {
        let course = Course::new(self.line(line, score));
        if !course.outcome.is_gain() || line.is_empty() {
            let saves = self.motif(self.board(), line, score).filter(Statement::tells_draw);
            let proof = saves.is_some().then_some(Statement::MainLine(course));
            return saves.into_iter().chain(proof).collect();
        }
        // A mate on the board is told with the move.
        let course = (line.len() > 1).then_some(Statement::GoesOn(course));
        course.into_iter().chain(self.motif(self.board(), line, score)).collect()
    }

    fn motif(&self, board: &Board, line: &[Move], score: Score) -> Option<Statement> {
        seen_motif(board, line, &motifs(board, line, score)).map(Statement::Motif)
    }

    /// The fortress after the explained move.
    fn fortress(&self) -> Option<Statement> {
        let mut motifs = self.explanation.motifs.iter();
        let holder = motifs.find(|motif| motif.name == MotifName::Fortress)?.side;
        let after = self.board().make(self.explanation.subject()?);
        Some(Statement::Fortress(holder, Material::ahead(&after, !holder)))
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
            all.extend(motif.filter(|motif| is_gain || motif.tells_draw()));
        }
        all.extend(self.fortress());
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
            all.extend(self.threatens(&all));
        }
        let tells_mate = !gain.is_empty() && asked.score.mate().is_some();
        all.extend(gain);
        all.extend(self.main_line(&all, &line, asked.score));
        if !asked.refutation.is_empty() && !tells_mate {
            all.push(Statement::Standing(self.white(asked.score)));
        }
        all.extend(self.fortress());
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
            all.extend(self.threatens(&all));
        }
        all.extend(gain);
        all.extend(self.main_line(&all, line, *score));
        all.extend(self.fortress());
        // What the other side would do does not matter where a mate is forced.
        if let Some(threat) = threat.as_ref().filter(|_| score.mate().is_none()) {
            let (board, evaluation) = (&board.make_null(), self.evaluation);
            let line = Line { board, moves: &threat.line, score: threat.score, evaluation };
            let course = Course::new(line);
            all.extend(course.outcome.is_gain().then_some(Statement::Threat(course)));
        }
        all
    }

    /// What the explained move threatens, if that is mate or material that it brings into reach: not
    /// if the moved piece is taken, the blow was there before, or has been told as an attack.
    fn threatens(&self, said: &[Statement]) -> Option<Statement> {
        let (score, line) = self.threatened.as_ref()?;
        let played = match &self.explanation.asked {
            Some(asked) => asked.line(),
            None => self.explanation.line.clone(),
        };
        let (board, first, blow) = (self.board(), *played.first()?, *line.first()?);
        let passed = board.make(first).make_null();
        let moves =
            Line { board: &passed, moves: line, score: *score, evaluation: self.evaluation };
        let course = Course::new(moves);
        let is_taken = played.get(1).is_some_and(|reply| reply.to() == first.destination());
        let was_there = board.in_check() || board.is_legal(blow) && board.see_ge(blow, PAWN_VALUE);
        let is_old = was_there && blow.from() != first.destination();
        let is_told = said.iter().any(|statement| statement.tells_attack_on(blow.to()));
        let is_new = !is_taken && (score.mate().is_some() || !is_old && !is_told);
        (is_new && course.outcome.is_gain()).then_some(Statement::Threatens(course))
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
            let answer = answer.map(|course| Statement::AnswerTo(self.text(explained.m), course));
            all.extend(gain.chain(answer).next());
        }
        all
    }
}
