//! The numbers of the search, a line each: name, value, least, most, step for tuning.
//!
//! Scores are centipawns, depths plies, reductions 1/1024 of a ply, histories their own units. In a
//! build with the feature `tune` each number is a UCI option; otherwise it is a constant.

/// A number that can be tuned.
pub struct Tunable {
    /// Its name.
    pub name: &'static str,
    /// Its value unless tuned.
    pub default: i32,
    /// The least that makes sense.
    pub min: i32,
    /// The most that makes sense.
    pub max: i32,
    /// How far a tuner should step.
    pub step: i32,
    #[cfg(feature = "tune")]
    value: &'static std::sync::atomic::AtomicI32,
}

#[cfg(feature = "tune")]
impl Tunable {
    /// Gives it another value, for all engines of the process.
    pub fn set(&self, value: i32) {
        self.value
            .store(value, std::sync::atomic::Ordering::Relaxed);
    }
}

macro_rules! tunables {
    ($($(#[$doc:meta])* $name:ident = $default:expr, $min:expr, $max:expr, $step:expr;)*) => {
        $(
            $(#[$doc])*
            #[cfg(not(feature = "tune"))]
            #[inline(always)]
            pub(super) const fn $name() -> i32 { $default }

            $(#[$doc])*
            #[cfg(feature = "tune")]
            #[inline(always)]
            pub(super) fn $name() -> i32 {
                values::$name.load(std::sync::atomic::Ordering::Relaxed)
            }
        )*

        #[cfg(feature = "tune")]
        #[allow(non_upper_case_globals)]
        mod values {
            use std::sync::atomic::AtomicI32;
            $(pub(super) static $name: AtomicI32 = AtomicI32::new($default);)*
        }

        /// All of them.
        pub static TUNABLES: &[Tunable] = &[$(Tunable {
            name: stringify!($name),
            default: $default,
            min: $min,
            max: $max,
            step: $step,
            #[cfg(feature = "tune")]
            value: &values::$name,
        },)*];
    };
}

tunables! {
    /// Half the width of the first aspiration window.
    aspiration_base = 14, 5, 40, 3;
    /// It is wider by the score divided by this …
    aspiration_divisor = 60, 20, 200, 10;
    /// … and opened when it has grown to more than this.
    aspiration_limit = 700, 200, 2000, 80;

    /// The evaluation shrinks towards the fifty-move limit: it would be nothing after so many plies.
    fifty_move_damping = 220, 120, 500, 20;

    /// Reverse futility: how much above beta per ply is enough.
    reverse_futility_margin = 60, 40, 140, 8;
    /// Reverse futility: less when improving.
    reverse_futility_improving = 69, 0, 140, 8;
    /// Reverse futility: not deeper.
    reverse_futility_max_depth = 9, 4, 14, 1;

    /// Razoring: how much below alpha at depth 0 …
    razor_base = 236, 100, 500, 25;
    /// … and per ply.
    razor_margin = 207, 80, 400, 20;
    /// Razoring: not deeper.
    razor_max_depth = 4, 1, 8, 1;

    /// Null move: how much above beta the evaluation must be at depth 0 …
    null_static_margin = 163, 40, 400, 20;
    /// … and less by this per ply.
    null_static_slope = 28, 0, 60, 4;
    /// Null move: plies taken off, at least.
    null_base = 5, 2, 6, 1;
    /// Null move: one ply more for so many plies of depth.
    null_depth_divisor = 3, 2, 8, 1;
    /// Null move: one ply more for so much above beta.
    null_eval_divisor = 227, 80, 400, 20;
    /// Null move: no more plies than this for that.
    null_eval_max = 4, 1, 8, 1;
    /// Null move: from this depth its success is verified.
    null_verify_min_depth = 15, 10, 25, 1;

    /// Probcut: how much above beta a capture must prove.
    probcut_margin = 169, 80, 350, 15;
    /// Probcut: not shallower.
    probcut_min_depth = 5, 3, 9, 1;
    /// Probcut: plies taken off where quiescence has agreed.
    probcut_reduction = 4, 2, 6, 1;

    /// Internal iterative reduction: not shallower.
    internal_reduction_min_depth = 4, 2, 9, 1;

    /// Hindsight: a ply more after a reduction of so many plies, if the evaluation contradicts it.
    hindsight_min_reduction = 3, 1, 6, 1;
    /// Hindsight: a ply less if the evaluations differ by so much.
    hindsight_margin = 126, 40, 400, 20;

    /// Singular extension: not shallower.
    singular_min_depth = 5, 4, 12, 1;
    /// Singular extension: the table's score may be so many plies less deep.
    singular_table_depth = 4, 1, 5, 1;
    /// Singular extension: how much below the table's score per ply, in sixteenths.
    singular_margin = 16, 8, 60, 4;
    /// Singular extension: two plies if the others are so much worse.
    singular_double_margin = 9, 0, 60, 4;
    /// Singular extension: three plies if they are so much worse.
    singular_triple_margin = 112, 40, 250, 15;

    /// Late move pruning: so many quiets at depth 0.
    late_move_base = 3, 1, 8, 1;

    /// Futility: how much below alpha is hopeless at depth 0 …
    futility_base = 90, 20, 250, 12;
    /// … and per ply.
    futility_margin = 85, 30, 200, 10;
    /// Futility: not deeper.
    futility_max_depth = 9, 4, 14, 1;
    /// Futility: histories of quiets, divided by this, raise what is hoped for.
    futility_history_divisor = 87, 32, 512, 24;
    /// Futility of captures: how much below alpha is hopeless at depth 0 …
    capture_futility_base = 179, 40, 350, 20;
    /// … and per ply.
    capture_futility_margin = 112, 60, 300, 15;
    /// Futility of captures: not deeper.
    capture_futility_max_depth = 6, 3, 12, 1;
    /// Futility of captures: their histories, divided by this, raise what is hoped for.
    capture_futility_history_divisor = 73, 16, 256, 12;
    /// History pruning: a quiet so bad per ply is skipped.
    history_pruning_margin = 4230, 1000, 9000, 400;
    /// History pruning: not deeper.
    history_pruning_max_depth = 5, 1, 9, 1;
    /// Exchange pruning: loss that a quiet may risk per ply squared.
    see_quiet_margin = 14, 8, 60, 4;
    /// Exchange pruning: loss that a capture may risk per ply.
    see_noisy_margin = 92, 30, 200, 10;
    /// Exchange pruning: a capture may risk more by its history divided by this.
    see_noisy_history_divisor = 30, 8, 128, 6;

    /// Late move reductions: for quiets, at once …
    reduction_quiet_base = 870, 200, 1800, 100;
    /// … and times the logarithms of depth and number.
    reduction_quiet_factor = 444, 250, 700, 30;
    /// Late move reductions for captures.
    reduction_noisy_base = 177, 0, 1000, 80;
    /// And times the logarithms.
    reduction_noisy_factor = 318, 150, 600, 30;
    /// More at expected cut nodes.
    reduction_cut_node = 1743, 500, 3000, 150;
    /// Less where a principal variation once was.
    reduction_was_pv = 910, 0, 2000, 120;
    /// Less on the principal variation.
    reduction_pv = 889, 0, 2000, 120;
    /// More when not improving.
    reduction_not_improving = 666, 0, 1500, 100;
    /// Less for moves that give check.
    reduction_check = 962, 0, 2000, 120;
    /// More when the table's move captures.
    reduction_table_noisy = 797, 0, 2000, 120;
    /// More when the children keep failing high.
    reduction_cutoffs = 981, 0, 2000, 120;
    /// They do so after more than so many.
    reduction_cutoffs_min = 2, 0, 6, 1;
    /// Histories of quiets are divided by this.
    reduction_history_divisor = 9206, 4000, 20000, 800;
    /// Correction of the evaluation, as a sign of doubt: less, by so many 1/1024 per centipawn.
    reduction_correction = 8, 0, 30, 2;
    /// Search a ply deeper after a surprise of so much …
    deeper_margin = 51, 10, 120, 8;
    /// … and so much more per ply; …
    deeper_slope = 2, 0, 8, 1;
    /// … and a ply less deep after one of less than this.
    shallower_margin = 15, 0, 30, 3;
    /// A ply less for moves after one that raised alpha: only below this depth.
    raised_alpha_max_depth = 12, 4, 24, 1;

    /// Order: what a quiet move that gives check is worth, in units of the histories.
    order_check_bonus = 5729, 0, 24000, 1200;
    /// Order: a good capture may lose its worth (sixteen victims and half its history) divided by this.
    order_exchange_divisor = 49, 16, 256, 12;

    /// History bonus per ply …
    history_bonus_factor = 198, 60, 350, 20;
    /// … less this …
    history_bonus_offset = 46, 0, 400, 20;
    /// … at most.
    history_bonus_max = 1803, 600, 3500, 150;
    /// Malus per ply …
    history_malus_factor = 194, 60, 400, 20;
    /// … less this …
    history_malus_offset = 79, 0, 400, 20;
    /// … at most.
    history_malus_max = 1024, 400, 3000, 150;

    /// What a quiet move's histories learn for each centipawn by which the evaluation rose …
    evaluation_history_factor = 4, 0, 16, 1;
    /// … at most; …
    evaluation_history_max = 358, 50, 1200, 50;
    /// … and unlearn at most: less, since having the move is worth something, so that a quiet move
    /// which changes nothing looks like a small loss.
    evaluation_history_most_malus = 150, 50, 1200, 50;

    /// Quiescence: a capture must be able to raise the evaluation to within this of alpha.
    quiescence_futility = 166, 40, 300, 15;
    /// Quiescence: no more captures than this at a node.
    quiescence_max_moves = 3, 1, 8, 1;

    /// Weight of the corrections learnt: by pawns …
    correction_pawn_weight = 42, 16, 160, 8;
    /// … by the pieces of each side …
    correction_piece_weight = 27, 16, 160, 8;
    /// … by the minor pieces and kings of both sides …
    correction_minor_weight = 34, 0, 160, 8;
    /// … by the last move and the one two plies ago, …
    correction_move_weight = 63, 16, 160, 8;
    /// … by the last move and the one four plies ago.
    correction_fourth_weight = 40, 0, 160, 8;

    /// Time: the clock is shared among so many moves, unless fewer are left …
    time_moves = 24, 10, 50, 2;
    /// … with so many hundredths of the increment for each; …
    time_increment = 75, 30, 100, 5;
    /// … and no move takes more than so many shares.
    time_most_shares = 5, 2, 10, 1;
    /// Time, in hundredths of the share: for the only move there is.
    time_only_move = 5, 1, 50, 5;
    /// Time: if the best move took none of the nodes, in hundredths …
    time_effort_base = 205, 120, 300, 10;
    /// … and so much less if it took all.
    time_effort_slope = 155, 50, 250, 10;
    /// Time: when the best move has just changed, in hundredths …
    time_new_move = 145, 100, 250, 10;
    /// … when an iteration has confirmed it …
    time_second_time = 120, 80, 200, 8;
    /// … and another …
    time_third_time = 105, 70, 160, 8;
    /// … and up to five …
    time_settled = 95, 60, 140, 6;
    /// … and more.
    time_long_settled = 85, 50, 120, 6;
    /// Time: twice as much when the score has fallen by this in three iterations …
    time_trend_divisor = 130, 50, 300, 12;
    /// … but no less of it than this, in hundredths …
    time_trend_min = 80, 50, 100, 5;
    /// … and no more.
    time_trend_max = 150, 100, 250, 10;
    /// Time: all that together does not shorten it to less than this, in hundredths …
    time_factor_min = 20, 5, 80, 5;
    /// … nor stretch it to more.
    time_factor_max = 300, 150, 500, 20;
}
