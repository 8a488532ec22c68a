//! Tests of the time management.

use super::*;
use crate::chess::Random;
use proptest::prelude::*;

fn milliseconds(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn manager(clock: ClockTime, overhead: Duration) -> TimeManager {
    manager_at_move(1, clock, overhead)
}

fn manager_at_move(number: u32, clock: ClockTime, overhead: Duration) -> TimeManager {
    let limits = Limits { clock: Some(clock), ..Limits::default() };
    TimeManager::new(&limits, overhead, 20, number)
}

fn base(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> Duration {
    let clock = ClockTime {
        remaining: milliseconds(remaining),
        increment: milliseconds(increment),
        moves_to_go,
    };
    let base = manager(clock, milliseconds(10)).base;
    base.expect("there is a clock")
}

#[test]
fn fewer_moves_to_go_give_more_time() {
    let times = [Some(1), Some(2), Some(5), Some(20), Some(40), None];
    let times = times.map(|moves_to_go| base(60_000, 0, moves_to_go));
    assert!(times[..5].is_sorted_by(|a, b| a > b), "{times:?}");
    assert!(times[0] > milliseconds(45_000), "{times:?}");
    assert!(times[5] > times[4], "{times:?}");
}

#[test]
fn forty_moves_in_five_minutes_are_spread_evenly() {
    let mut remaining = 300_000;
    for moves_to_go in (1..=40).rev() {
        let time = base(remaining, 0, Some(moves_to_go)).as_millis() as u64;
        assert!((5_500..8_000).contains(&time), "{moves_to_go}: {time}");
        remaining -= time + 10;
    }
}

#[test]
fn the_base_time_is_a_share_of_the_spendable_time_and_of_the_increment() {
    let overhead = milliseconds(10);
    let later_moves = params::time_overhead_moves() as u32;
    for increment in [0, 4, 10, 11, 50, 1000].map(milliseconds) {
        let cost = (overhead + MIN_TIME).saturating_sub(increment);
        let kept = overhead * (1 + params::time_reserve() as u32) + cost * later_moves;
        let spendable = milliseconds(60_000) - kept;
        let left = increment.saturating_sub(overhead);
        let expected = spendable * sudden_death_share(1) / 10_000
            + left * params::time_increment() as u32 / 100;
        let clock = ClockTime { remaining: milliseconds(60_000), increment, moves_to_go: None };
        assert_eq!(manager(clock, overhead).base, Some(expected), "{increment:?}");
    }
}

#[test]
fn the_share_of_the_time_grows_in_the_course_of_the_game() {
    let last = params::time_share_max_move() as u32;
    let shares = [0, 1, 20, last].map(sudden_death_share);
    assert!(shares.is_sorted_by(|a, b| a < b), "{shares:?}");
    assert_eq!(sudden_death_share(u32::MAX), sudden_death_share(last));
    // Some moves are always left.
    assert!(sudden_death_share(last) * params::time_hard_factor() as u32 <= 10_000 * 2 / 3);
}

#[test]
fn the_increment_counts_only_after_the_overhead() {
    let difference = base(60_000, 1_000, None) - base(60_000, 10, None);
    let share = params::time_increment() as u32;
    assert!(difference < milliseconds(1_000) * share / 100, "{difference:?}");
    assert!(difference > milliseconds(950) * share / 100, "{difference:?}");
    let mut clock =
        ClockTime { remaining: milliseconds(100), increment: milliseconds(5), moves_to_go: None };
    // An increment below the overhead does not pay for the next moves.
    let low = manager(clock, milliseconds(10));
    assert_eq!(low.hard_limit, Some(MIN_TIME));
    clock.increment = milliseconds(20);
    assert!(manager(clock, milliseconds(10)).hard_limit > Some(MIN_TIME));
}

#[test]
fn a_move_time_is_used_up_except_for_the_overhead_and_at_most_half_of_it() {
    // Move time, overhead and limit in microseconds.
    for (time, overhead, expected) in [
        (1_000_000, 10_000, 990_000),
        (1_000_000, 0, 1_000_000),
        (30_000, 10_000, 20_000),
        (15_000, 10_000, 7_500),
        (1_000, 10_000, 1_000),
    ] {
        let [time, overhead, expected] = [time, overhead, expected].map(Duration::from_micros);
        let mut manager = TimeManager::new(&Limits::move_time(time), overhead, 20, 1);
        // The course of the search does not change it.
        for _ in 0..8 {
            manager.update(moves()[0], 0, 1, 1);
        }
        let just_before = expected - Duration::from_micros(1);
        assert!(!manager.is_soft_limit_reached(just_before), "{time:?}");
        assert!(manager.is_soft_limit_reached(expected), "{time:?}");
        assert!(!manager.is_hard_limit_reached(just_before), "{time:?}");
        assert!(manager.is_hard_limit_reached(expected), "{time:?}");
    }
}

#[test]
fn the_smaller_of_move_time_and_clock_applies() {
    let clock =
        ClockTime { remaining: milliseconds(60_000), increment: Duration::ZERO, moves_to_go: None };
    let of_clock = manager(clock, milliseconds(10));
    let limits = |move_time| {
        let limits = Limits { clock: Some(clock), ..Limits::move_time(milliseconds(move_time)) };
        let manager = TimeManager::new(&limits, milliseconds(10), 20, 1);
        (manager.base, manager.hard_limit)
    };
    assert_eq!(limits(50_000), (of_clock.base, of_clock.hard_limit));
    let short = Some(milliseconds(100));
    assert_eq!(limits(110), (short, short));
}

#[test]
fn without_a_limit_of_the_time_or_in_an_infinite_search_none_is_reached() {
    let manager = TimeManager::new(&Limits::depth(3), milliseconds(10), 20, 1);
    assert!(!manager.is_soft_limit_reached(Duration::MAX));
    assert!(!manager.is_hard_limit_reached(Duration::MAX));
    let limits = Limits {
        infinite: true,
        clock: Some(ClockTime {
            remaining: milliseconds(1),
            increment: Duration::ZERO,
            moves_to_go: None,
        }),
        ..Limits::move_time(milliseconds(1))
    };
    let manager = TimeManager::new(&limits, milliseconds(10), 20, 1);
    assert!(!manager.is_soft_limit_reached(Duration::MAX));
    assert!(!manager.is_hard_limit_reached(Duration::MAX));
}

#[test]
fn the_hard_limit_is_a_multiple_of_the_base_time_within_the_share_of_the_spendable_time() {
    let spendable = |remaining: u64, later: u32| {
        let kept = (milliseconds(10) + MIN_TIME) * later;
        milliseconds(remaining) - milliseconds(10) * (1 + params::time_reserve() as u32) - kept
    };
    let hard = |moves_to_go| {
        let clock =
            ClockTime { remaining: milliseconds(60_000), increment: Duration::ZERO, moves_to_go };
        manager(clock, milliseconds(10)).hard_limit.expect("a clock")
    };
    let last = spendable(60_000, 0) * params::time_max_share_last_move() as u32 / 100;
    assert_eq!(hard(Some(1)), last);
    let share = spendable(60_000, 1) * params::time_max_share() as u32 / 12;
    assert_eq!(hard(Some(2)), share);
    let spendable = spendable(60_000, params::time_overhead_moves() as u32);
    let factor = params::time_hard_factor() as u32;
    assert_eq!(hard(None), spendable * sudden_death_share(1) / 10_000 * factor);
}

#[test]
fn the_soft_limit_is_the_base_time_scaled_by_the_course_of_the_search() {
    let clock =
        ClockTime { remaining: milliseconds(60_000), increment: Duration::ZERO, moves_to_go: None };
    let mut manager = manager(clock, milliseconds(10));
    manager.update(moves()[0], 20, 3, 10);
    let base = manager.base.expect("a clock");
    let mut progress = Progress::new(false);
    progress.update(moves()[0], 20, 3, 10);
    let limit = base.mul_f64(progress.factor());
    assert!(limit > base);
    assert!(manager.is_soft_limit_reached(limit));
    assert!(!manager.is_soft_limit_reached(limit - Duration::from_micros(1)));
}

fn moves() -> Vec<Move> {
    crate::chess::Board::startpos().legal_moves().to_vec()
}

/// The course of iterations with these best moves and scores, each with half of the nodes spent on
/// the best move.
fn progress(iterations: &[(usize, Value)]) -> Progress {
    let mut progress = Progress::new(false);
    for (best, score) in iterations {
        progress.update(moves()[*best], *score, 50, 100);
    }
    progress
}

#[test]
fn a_stable_best_move_takes_less_time() {
    let expected = [
        params::time_stability_0(),
        params::time_stability_1(),
        params::time_stability_2(),
        params::time_stability_3(),
        params::time_stability_3(),
        params::time_stability_3(),
        params::time_stability_6(),
        params::time_stability_6(),
    ];
    let mut iterations = Vec::new();
    for expected in expected {
        iterations.push((0, 0));
        let factor = progress(&iterations).stability_factor();
        assert_eq!(factor, hundredths(expected), "{iterations:?}");
    }
    iterations.push((1, 0));
    let factor = progress(&iterations).stability_factor();
    assert_eq!(factor, hundredths(params::time_stability_0()));
}

#[test]
fn a_score_that_falls_within_three_iterations_takes_more_time() {
    let (min, max) = (
        hundredths(params::time_falling_score_min()),
        hundredths(params::time_falling_score_max()),
    );
    let change =
        |score: Value| 1.0 + f64::from(score) / f64::from(params::time_falling_score_divisor());
    for (scores, expected) in [
        (&[][..], 1.0),
        (&[500, 0, 0], 1.0),
        (&[26, 0, 0, 0], change(26)),
        (&[500, 26, -300, 300, 0], change(26)),
        (&[0, 0, 0, 13], change(-13)),
        (&[900, 0, 0, -900], max),
        (&[-900, 0, 0, 900], min),
        (&[900, 0, 0, -31_990], 1.0),
        (&[31_990, 0, 0, -900], 1.0),
    ] {
        let iterations: Vec<_> = scores.iter().map(|score| (0, *score)).collect();
        assert_eq!(progress(&iterations).falling_score_factor(), expected, "{scores:?}");
    }
}

#[test]
fn a_stable_score_takes_less_time() {
    let (base, slope) = (params::time_score_stability_base(), params::time_score_stability_slope());
    let (margin, max) = (params::time_score_stability_margin(), params::time_score_stability_max());
    let factor = |iterations| hundredths(base - slope * iterations);
    for (scores, expected) in [
        (&[][..], 0),
        (&[0], 0),
        (&[0, margin], 1),
        (&[0, -margin, 0], 2),
        (&[0, 0, margin + 1], 0),
        (&[0, 0, -margin - 1, 0], 0),
        (&[900, 0, 0, 0], 2),
    ] {
        let iterations: Vec<_> = scores.iter().map(|score| (0, *score)).collect();
        let progress = progress(&iterations);
        assert_eq!(progress.score_stability_factor(), factor(expected), "{scores:?}");
    }
    let many = vec![(0, 0); max as usize + 5];
    assert_eq!(progress(&many).score_stability_factor(), factor(max));
}

#[test]
fn the_share_of_the_nodes_spent_on_the_best_move_takes_less_time() {
    let base = hundredths(params::time_node_fraction_base());
    let slope = hundredths(params::time_node_fraction_slope());
    for (best, all, fraction) in [(0, 100, 0.0), (25, 100, 0.25), (7, 7, 1.0), (0, 0, 0.0)] {
        let mut progress = Progress::new(false);
        progress.update(moves()[0], 0, best, all);
        let factor = progress.node_fraction_factor();
        assert_eq!(factor, base - slope * fraction, "{best} of {all}");
    }
}

#[test]
fn the_factor_is_the_product_within_its_bounds_and_an_only_move_takes_no_time() {
    let half = progress(&[(0, 0), (0, 0), (0, 0)]);
    let product = half.node_fraction_factor()
        * half.stability_factor()
        * half.falling_score_factor()
        * half.score_stability_factor();
    assert_eq!(half.factor(), product);
    let mut unstable = progress(&[(0, 900), (1, 0), (2, 0)]);
    unstable.update(moves()[3], -900, 0, 100);
    assert_eq!(unstable.factor(), hundredths(params::time_factor_max()));
    let iterations = vec![(0, 0); params::time_only_move_min_depth() as usize + 1];
    let with_only_move = |count: usize| {
        let mut progress = progress(&iterations[..count]);
        progress.only_move = true;
        progress.factor()
    };
    let only_move = hundredths(params::time_only_move());
    assert_eq!(with_only_move(iterations.len()), only_move);
    assert!(with_only_move(iterations.len() - 1) > only_move);
    assert!(progress(&iterations).factor() > only_move);
}

#[test]
fn the_check_interval_follows_the_speed() {
    let mut now = Duration::ZERO;
    let mut interval = CheckInterval::new(now);
    let mut run = |nodes_per_second: u32, checks| {
        for _ in 0..checks {
            now += Duration::from_secs(interval.nodes()) / nodes_per_second;
            interval.update(now);
        }
        interval.nodes()
    };
    assert_eq!(run(2_000_000, 10), MAX_CHECK);
    assert_eq!(run(100_000, 1), 100);
    assert_eq!(run(1_000, 2), 1);
    assert_eq!(run(500_000, 3), 8);
    assert_eq!(run(500_000, 10), 500);
}

/// How much of its time limits a search uses.
#[derive(Clone, Copy, Debug)]
enum Usage {
    Base,
    HardLimit,
    Random,
}

/// A game on a clock.
#[derive(Clone, Debug)]
struct TimedGame {
    time: Duration,
    increment: Duration,
    /// Moves after which the time is added again.
    moves_per_control: Option<u32>,
    overhead: Duration,
    usage: Usage,
    max_delay: Duration,
    seed: u64,
}

const MOVES: usize = 200;

impl TimedGame {
    /// The number of moves that are played before the clock runs out: with the time manager, or
    /// with the minimum time for every move.
    fn moves_played(&self, managed: bool) -> usize {
        let (mut remaining, mut moves_to_go) = (self.time, self.moves_per_control);
        let mut random = Random::new(self.seed);
        for number in 0..MOVES {
            let clock = ClockTime {
                // GUIs send whole milliseconds.
                remaining: milliseconds(remaining.as_millis() as u64),
                increment: self.increment,
                moves_to_go,
            };
            let manager = manager_at_move(number as u32 + 1, clock, self.overhead);
            let (base, hard) = (manager.base.unwrap(), manager.hard_limit.unwrap());
            assert!(base <= hard);
            let (delay, part) = (self.max_delay.mul_f64(part(&mut random)), part(&mut random));
            let used = match self.usage {
                _ if !managed => MIN_TIME,
                Usage::Base => base,
                Usage::HardLimit => hard,
                Usage::Random => MIN_TIME + (hard - MIN_TIME).mul_f64(part),
            };
            if remaining <= used + delay {
                return number;
            }
            remaining = remaining - used - delay + self.increment;
            moves_to_go = moves_to_go.map(|moves| moves - 1);
            if moves_to_go == Some(0) {
                moves_to_go = self.moves_per_control;
                remaining += self.time;
            }
        }
        MOVES
    }
}

/// From 0 to 1; more often than not one of them.
fn part(random: &mut Random) -> f64 {
    (random.unit() * 3.0 - 1.0).clamp(0.0, 1.0)
}

/// Games with any clock, and with delays up to this multiple of the overhead.
fn games(max_delay: u32) -> impl Strategy<Value = TimedGame> {
    let time = prop_oneof![1..2_000_u64, 1..600_000_u64].prop_map(milliseconds);
    let increment = prop_oneof![Just(0), 0..50_u64, 0..10_000_u64].prop_map(milliseconds);
    let moves_per_control = proptest::option::of(1..60_u32);
    let overhead = prop_oneof![Just(10), 0..20_u64, 0..500_u64].prop_map(milliseconds);
    let usage = prop_oneof![Just(Usage::Base), Just(Usage::HardLimit), Just(Usage::Random)];
    let clock = (time, increment, moves_per_control, overhead);
    (clock, usage, 1..u64::MAX).prop_map(move |(clock, usage, seed)| {
        let (time, increment, moves_per_control, overhead) = clock;
        TimedGame {
            time,
            increment,
            moves_per_control,
            overhead,
            usage,
            max_delay: overhead * max_delay,
            seed,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3_000) })]

    /// With delays of at most the overhead, the clock runs out only if it does so with the minimum
    /// time for every move too; or if neither the increment nor the next time control pays for
    /// more moves than time is kept for.
    #[test]
    fn the_clock_does_not_run_out_with_delays_up_to_the_overhead(game in games(1)) {
        let (played, possible) = (game.moves_played(true), game.moves_played(false));
        let cost = (game.overhead + MIN_TIME).saturating_sub(game.increment);
        let guaranteed = match game.moves_per_control {
            _ if cost.is_zero() => MOVES,
            None => params::time_overhead_moves() as usize,
            Some(moves) if game.time > cost * moves + game.overhead => MOVES,
            Some(moves) => moves as usize,
        };
        prop_assert!(played >= possible.min(guaranteed), "{played} of {possible}");
    }

    /// Nor with longer delays, as long as the increment pays them and they are within the reserve.
    #[test]
    fn the_clock_does_not_run_out_with_longer_delays_that_the_increment_pays(
        mut game in games(1 + params::time_reserve() as u32),
    ) {
        game.increment = game.increment.max(MIN_TIME);
        game.max_delay = game.max_delay.min(game.increment - MIN_TIME);
        let (played, possible) = (game.moves_played(true), game.moves_played(false));
        prop_assert!(played >= possible, "{played} of {possible}");
    }
}

#[test]
fn a_clock_without_end_sets_limits() {
    for moves_to_go in [None, Some(1), Some(40)] {
        let clock = ClockTime { remaining: Duration::MAX, increment: Duration::MAX, moves_to_go };
        let manager = manager(clock, Duration::MAX);
        assert!(manager.base <= manager.hard_limit, "{moves_to_go:?}");
        assert!(manager.hard_limit > Some(Duration::ZERO));
    }
}
