// Spaced repetition: when an exercise is due again.
//
// The scheduler is FSRS-6 with its published default parameters; the formulas are those of
// the wiki of open-spaced-repetition/fsrs4anki, page "The Algorithm".

/** The grades of an answer. */
export const AGAIN = 1;
export const HARD = 2;
export const GOOD = 3;

const W = [
  0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796, 1.4835, 0.0614, 0.2629, 1.6483,
  0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
];
// An exercise is due when it is still solved with this probability.
const RETENTION = 0.9;
const FACTOR = 0.9 ** (-1 / W[20]) - 1;
const [MIN_STABILITY, MAX_DAYS] = [0.001, 36500];
const DAY = 24 * 60 * 60 * 1000;
/** What was not solved comes back in ten minutes. */
const SOON = 10 * 60 * 1000;

const between = (low, value, high) => Math.min(Math.max(value, low), high);

/** The probability that an exercise is solved this many days after the last time. */
const retrievability = (days, stability) => (1 + FACTOR * days / stability) ** -W[20];

const firstDifficulty = (grade) => W[4] - Math.exp(W[5] * (grade - 1)) + 1;

function nextDifficulty(difficulty, grade) {
  const damped = difficulty - W[6] * (grade - 3) * (10 - difficulty) / 9;
  return between(1, W[7] * firstDifficulty(4) + (1 - W[7]) * damped, 10);
}

/** The stability in days, after which the retrievability has fallen to nine tenths. */
function nextStability({ stability, difficulty }, days, grade) {
  if (days === 0) {
    const growth = Math.exp(W[17] * (grade - 3 + W[18])) * stability ** -W[19];
    return stability * (grade >= GOOD ? Math.max(growth, 1) : growth);
  }
  const forgotten = 1 - retrievability(days, stability);
  if (grade === AGAIN) {
    const lapsed = W[11] * difficulty ** -W[12] * ((stability + 1) ** W[13] - 1) * Math.exp(W[14] * forgotten);
    return Math.min(lapsed, stability / Math.exp(W[17] * W[18]));
  }
  const growth = Math.exp(W[8]) * (11 - difficulty) * stability ** -W[9] * (Math.exp(W[10] * forgotten) - 1);
  return stability * (1 + growth * (grade === HARD ? W[15] : 1));
}

/**
 * The schedule {due, last, stability, difficulty, reps, lapses} of an exercise after an answer; `before` is the one until
 * then, null for a new exercise. Times are in milliseconds, as of `Date.now()`; the stability is in days.
 */
export function schedule(before, grade, now) {
  const isNew = !before?.reps;
  const days = isNew ? 0 : Math.max(0, Math.floor((now - before.last) / DAY));
  const stability = Math.max(MIN_STABILITY, isNew ? W[grade - 1] : nextStability(before, days, grade));
  const difficulty = isNew ? between(1, firstDifficulty(grade), 10) : nextDifficulty(before.difficulty, grade);
  const interval = between(1, Math.round(stability / FACTOR * (RETENTION ** (-1 / W[20]) - 1)), MAX_DAYS);
  const due = now + (grade === AGAIN ? SOON : interval * DAY);
  const lapses = (before?.lapses ?? 0) + (grade === AGAIN && !isNew ? 1 : 0);
  return { due, last: now, stability, difficulty, reps: (before?.reps ?? 0) + 1, lapses };
}
