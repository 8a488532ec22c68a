//! Many positions looked at on many cores.

use crate::chess::{Board, Move};
use crate::engine::{Engine, Event, Searcher, spawn_search_thread};
use crate::eval::Evaluation;
use crate::search::score::{DRAW, Score, mate_distance, mated_in};
use crate::search::{Bound, Info, Job, Limits, Reporter};
use std::cmp::Reverse;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

/// The shortest time a position gets when time is shared out.
const SHORTEST: Duration = Duration::from_millis(5);

/// How much is spent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Budget {
    /// So long on every position.
    Time(Duration),
    /// So many nodes on every position.
    Nodes(u64),
    /// To this depth on every position.
    Depth(u32),
    /// So long on all positions, of which there are so many.
    Total(Duration, u64),
}

/// A position to look at.
#[derive(Clone, Debug)]
pub struct Question<T> {
    /// What the answer is told apart by.
    pub tag: T,
    /// The position.
    pub board: Board,
    /// The keys of the positions before it that may come back, the earliest first.
    pub history: Vec<u64>,
}

/// One of the best lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// From the side to move's view.
    pub score: Score,
    /// How deep it was searched.
    pub depth: u32,
    /// Its moves; at least one.
    pub moves: Vec<Move>,
}

/// What was found in a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer<T> {
    /// The question's.
    pub tag: T,
    /// The position.
    pub board: Board,
    /// From the side to move's view.
    pub score: Score,
    /// The best lines, the best first; none if the game is over here.
    pub lines: Vec<Line>,
    /// Boards made.
    pub nodes: u64,
    /// How long it took.
    pub time: Duration,
    /// Each best move on the way, with the time from when on it was the best, and its score.
    pub course: Vec<(Duration, Move, Score)>,
}

impl<T> Answer<T> {
    /// The best move, if there is one.
    pub fn best(&self) -> Option<Move> {
        self.lines.first().map(|line| line.moves[0])
    }

    /// How deep the best line was searched.
    pub fn depth(&self) -> u32 {
        self.lines.first().map_or(0, |line| line.depth)
    }
}

/// How far the work has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Positions answered.
    pub done: u64,
    /// How long the rest will take if it goes on like this.
    pub left: Duration,
}

/// Looks at positions on several threads, each by a search of its own: that uses many cores better
/// than many threads on one position after another.
#[derive(Clone, Debug)]
pub struct Analyst {
    /// How many threads.
    pub threads: usize,
    /// Megabytes of hash table for each.
    pub hash: usize,
    /// How many of the best lines are wanted.
    pub multipv: usize,
    /// How much is spent.
    pub budget: Budget,
    /// What to evaluate with.
    pub evaluation: Evaluation,
}

impl Analyst {
    /// Answers all questions, not always in their order. `total` is how many there are: for the
    /// estimate of the time left, and for no more threads than that.
    ///
    /// With one thread and a budget of nodes or depth the answers are always the same.
    ///
    /// # Errors
    /// There is no memory for the tables or no thread to be had.
    pub fn answer<T: Send>(
        &self,
        questions: &mut dyn Iterator<Item = Question<T>>,
        total: u64,
        answered: &mut dyn FnMut(Answer<T>, Progress),
    ) -> std::io::Result<()> {
        let most = usize::try_from(total).unwrap_or(usize::MAX).max(1);
        let threads = self.threads.clamp(1, most);
        let shares = Shares::new(self.budget, threads);
        let (to_workers, questions_in) = mpsc::channel::<Question<T>>();
        let (answers_out, answers) = mpsc::channel();
        let questions_in = Mutex::new(questions_in);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let searcher =
                    Searcher::new(self.hash, &self.evaluation).map_err(std::io::Error::other)?;
                let (questions, answers) = (&questions_in, answers_out.clone());
                let (shares, multipv) = (&shares, self.multipv);
                spawn_search_thread(scope, "analyst", move || {
                    let mut worker = Worker { searcher, multipv };
                    loop {
                        let next = questions
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .recv();
                        let Ok(question) = next else { return };
                        let answer = worker.answer(question, shares.next());
                        if answers.send(answer).is_err() {
                            return;
                        }
                    }
                })
                .map_err(std::io::Error::other)?;
            }
            drop(answers_out);
            let (mut waiting, mut done) = (0, 0);
            loop {
                // Enough for nobody to wait, and no more, so that inputs of any length can be read.
                while waiting < 2 * threads {
                    let Some(question) = questions.next() else {
                        break;
                    };
                    if to_workers.send(question).is_err() {
                        break;
                    }
                    waiting += 1;
                }
                if waiting == 0 {
                    break;
                }
                let Ok(answer) = answers.recv() else { break };
                waiting -= 1;
                done += 1;
                answered(answer, shares.progress(done, total));
            }
            drop(to_workers);
            Ok(())
        })
    }
}

impl Analyst {
    /// Answers a single question with all threads on one search.
    ///
    /// # Errors
    /// There is no memory for the table or no thread to be had.
    pub fn answer_one<T>(&self, question: Question<T>) -> std::io::Result<Answer<T>> {
        let begun = Instant::now();
        let (hash, evaluation) = (self.hash * self.threads, self.evaluation.clone());
        let mut engine = Engine::with_evaluation(self.threads, hash, evaluation)
            .map_err(std::io::Error::other)?;
        engine
            .set_option("MultiPV", &self.multipv.to_string())
            .map_err(std::io::Error::other)?;
        let limits = Shares::new(self.budget, 1).next();
        let search = engine.start_job(Job {
            previous_keys: question.history,
            ..Job::new(question.board, limits)
        });
        let mut seen = Seen::default();
        let mut outcome = None;
        for event in search.events() {
            match event {
                Event::Info(info) => seen.info(&info),
                Event::Finished(ended) => outcome = Some(ended),
                Event::Failed(error) => return Err(std::io::Error::other(error)),
                _ => {}
            }
        }
        let info = outcome.and_then(|outcome| outcome.info);
        let nodes = info.as_ref().map_or(0, |info| info.nodes);
        let effort = (nodes, begun.elapsed());
        Ok(seen.answer(question.tag, question.board, info, self.multipv, effort))
    }
}

/// What each position may cost.
struct Shares {
    budget: Budget,
    threads: u64,
    begun: Instant,
    /// Positions begun.
    started: AtomicU64,
}

impl Shares {
    fn new(budget: Budget, threads: usize) -> Shares {
        Shares {
            budget,
            threads: threads as u64,
            begun: Instant::now(),
            started: AtomicU64::new(0),
        }
    }

    /// The limits of the next position.
    fn next(&self) -> Limits {
        let started = self.started.fetch_add(1, Ordering::Relaxed);
        match self.budget {
            Budget::Time(time) => Limits::move_time(time),
            Budget::Nodes(nodes) => Limits::nodes(nodes),
            Budget::Depth(depth) => Limits::depth(depth),
            Budget::Total(time, positions) => {
                let left = time.saturating_sub(self.begun.elapsed());
                let to_come = positions.saturating_sub(started).max(1);
                // As many at a time as there are threads.
                let rounds = to_come.div_ceil(self.threads) as f64;
                Limits::move_time(left.div_f64(rounds).max(SHORTEST))
            }
        }
    }

    /// How far the work has come: by what positions took so far, and within a total by what is left.
    fn progress(&self, done: u64, total: u64) -> Progress {
        let elapsed = self.begun.elapsed();
        let to_come = total.saturating_sub(done);
        let left = match self.budget {
            Budget::Total(time, _) => time.saturating_sub(elapsed),
            _ => elapsed.mul_f64(to_come as f64 / done.max(1) as f64),
        };
        Progress { done, left }
    }
}

struct Worker {
    searcher: Searcher,
    multipv: usize,
}

impl Worker {
    fn answer<T>(&mut self, question: Question<T>, limits: Limits) -> Answer<T> {
        let begun = Instant::now();
        let Question {
            tag,
            board,
            history,
        } = question;
        let job = Job {
            previous_keys: history,
            multipv: self.multipv,
            ..Job::new(board, limits)
        };
        let seen = Arc::new(Mutex::new(Seen::default()));
        let outcome = self
            .searcher
            .search_with(&job, Box::new(Witness(Arc::clone(&seen))));
        let seen = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
        let effort = (self.searcher.nodes(), begun.elapsed());
        seen.answer(tag, board, outcome.info, self.multipv, effort)
    }
}

fn line(info: &Info) -> Line {
    Line {
        score: info.score,
        depth: info.depth,
        moves: info.pv.clone(),
    }
}

/// What a search has told.
#[derive(Default)]
struct Seen {
    /// The last state of each line, told apart by their first moves.
    lines: Vec<Line>,
    course: Vec<(Duration, Move, Score)>,
}

impl Seen {
    /// Takes in what a search tells.
    fn info(&mut self, info: &Info) {
        let Some(first) = info.pv.first() else { return };
        if info.multipv == 1 {
            let mate = mate_distance(info.score);
            match self.course.last_mut() {
                Some((_, last, score)) if last == first && mate_distance(*score) == mate => {
                    *score = info.score;
                }
                _ => self.course.push((info.time, *first, info.score)),
            }
        }
        if info.bound != Bound::Exact {
            return;
        }
        match self.lines.iter_mut().find(|line| line.moves[0] == *first) {
            Some(old) => *old = line(info),
            None => self.lines.push(line(info)),
        }
    }

    /// What was found when the search has ended with this.
    fn answer<T>(
        self,
        tag: T,
        board: Board,
        info: Option<Info>,
        multipv: usize,
        (nodes, time): (u64, Duration),
    ) -> Answer<T> {
        let lines = match info.filter(|info| !info.pv.is_empty()) {
            Some(info) => self.best_lines(line(&info), multipv),
            None => Vec::new(),
        };
        let over = if board.in_check() { mated_in(0) } else { DRAW };
        Answer {
            tag,
            board,
            score: lines.first().map_or(over, |line| line.score),
            lines,
            nodes,
            time,
            course: self.course,
        }
    }

    /// The best lines at the end of a search, of which this is the best.
    fn best_lines(&self, best: Line, count: usize) -> Vec<Line> {
        // An older line has lost its place; one iteration may have been broken off.
        let recent = |line: &&Line| line.depth + 1 >= best.depth && line.moves[0] != best.moves[0];
        let mut others: Vec<Line> = self.lines.iter().filter(recent).cloned().collect();
        others.sort_by_key(|line| (Reverse(line.depth), Reverse(line.score)));
        others.truncate(count.saturating_sub(1));
        others.sort_by_key(|line| Reverse(line.score));
        std::iter::once(best).chain(others).collect()
    }
}

/// Remembers what a search tells.
struct Witness(Arc<Mutex<Seen>>);

impl Reporter for Witness {
    fn info(&mut self, info: &Info) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.info(info);
    }
}
