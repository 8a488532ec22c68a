//! The parameters of the search, one line each: name, default, minimum, maximum, step for tuning.
//!
//! Scores are in centipawns, depths in plies, reductions in 1/1024 ply, history values in their own
//! unit. In a build with the feature `tune` every parameter is a UCI option; otherwise it is a
//! constant. Numbers that make no sense to tune are constants beside the code that uses them.

/// A tunable parameter.
pub struct Tunable {
    /// The name.
    pub name: &'static str,
    /// The value unless tuned.
    pub default: i32,
    /// The smallest value that makes sense.
    pub min: i32,
    /// The largest value that makes sense.
    pub max: i32,
    /// The step of a tuner.
    pub step: i32,
    #[cfg(feature = "tune")]
    value: &'static std::sync::atomic::AtomicI32,
}

#[cfg(feature = "tune")]
impl Tunable {
    /// Sets the value, for all engines of the process.
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

        /// All parameters.
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
    /// Aspiration window: from this depth.
    aspiration_min_depth = 4, 1, 8, 1;
    /// Aspiration window: initial half-width.
    aspiration_base = 14, 5, 40, 3;
    /// Aspiration window: the half-width grows by the absolute score divided by this.
    aspiration_score_divisor = 60, 20, 200, 10;
    /// Aspiration window: the absolute score counts up to this.
    aspiration_max_score = 2000, 500, 5000, 200;
    /// Aspiration window: growth after a fail high or fail low, in twelfths of the half-width.
    aspiration_growth = 8, 2, 24, 1;
    /// Aspiration window: a wider one is replaced by the full window.
    aspiration_max_width = 700, 200, 2000, 80;
    /// Aspiration window: the depth is reduced by one ply per fail high, at most by this.
    aspiration_max_reduction = 3, 0, 6, 1;

    /// Fifty-move damping: the static evaluation is scaled by (this - halfmove clock) / this.
    fifty_move_damping = 220, 120, 500, 20;

    /// Transposition table cutoff: not from this halfmove clock on.
    tt_cutoff_max_halfmove_clock = 90, 50, 100, 5;
    /// Transposition table replacement: an entry loses this many plies of value per search.
    tt_age_penalty = 4, 1, 12, 1;
    /// Transposition table replacement: an entry of this search that is deeper by more is kept.
    tt_keep_depth_margin = 4, 1, 12, 1;
    /// Tablebase probe: the stored depth is increased by this.
    tb_stored_depth_bonus = 6, 0, 20, 1;

    /// Reverse futility pruning: margin per ply.
    reverse_futility_margin = 60, 40, 140, 8;
    /// Reverse futility pruning: smaller margin when improving.
    reverse_futility_improving = 69, 0, 140, 8;
    /// Reverse futility pruning: larger margin by the absolute correction divided by this.
    reverse_futility_correction_divisor = 2, 1, 8, 1;
    /// Reverse futility pruning: maximum depth.
    reverse_futility_max_depth = 9, 4, 14, 1;
    /// Reverse futility pruning: weight of the evaluation in the returned score; beta has weight 1.
    reverse_futility_eval_weight = 1, 0, 4, 1;

    /// Razoring: margin.
    razoring_margin = 443, 200, 800, 30;

    /// Null move pruning: margin of the static evaluation above beta at depth 0.
    null_move_static_margin = 140, 40, 400, 20;
    /// Null move pruning: smaller margin per ply.
    null_move_static_slope = 28, 0, 60, 4;
    /// Null move pruning: base reduction.
    null_move_base = 4, 2, 6, 1;
    /// Null move pruning: one more ply of reduction per this depth.
    null_move_depth_divisor = 3, 2, 8, 1;
    /// Null move pruning: one more ply of reduction per this evaluation above beta.
    null_move_eval_divisor = 227, 80, 400, 20;
    /// Null move pruning: maximum reduction by the evaluation.
    null_move_eval_max = 4, 1, 8, 1;
    /// Null move pruning: verification search from this depth.
    null_move_verification_min_depth = 15, 10, 25, 1;
    /// Null move pruning: share of the reduced depth without null moves in the verification search,
    /// in sixteenths.
    null_move_verification_share = 12, 4, 16, 1;

    /// Probcut: margin above beta.
    probcut_margin = 195, 80, 350, 15;
    /// Probcut: minimum depth.
    probcut_min_depth = 5, 3, 9, 1;
    /// Probcut: reduction.
    probcut_reduction = 4, 2, 6, 1;

    /// Internal iterative reduction: minimum depth.
    internal_iterative_reduction_min_depth = 4, 2, 9, 1;

    /// Hindsight extension: minimum reduction of the previous move.
    hindsight_min_reduction = 3, 1, 6, 1;
    /// Hindsight reduction: minimum depth.
    hindsight_min_depth = 2, 1, 6, 1;
    /// Hindsight reduction: minimum sum of the static evaluations of parent and node.
    hindsight_margin = 170, 40, 400, 20;

    /// Singular extension: minimum depth; one more if tt_pv.
    singular_min_depth = 5, 4, 12, 1;
    /// Singular extension: the entry may be this much shallower than the node.
    singular_tt_depth_margin = 4, 1, 5, 1;
    /// Singular extension: margin below the TT score per ply, in sixteenths.
    singular_margin = 16, 8, 60, 4;
    /// Singular extension: the depth of the search without the TT move is depth - 1, divided by
    /// this.
    singular_depth_divisor = 2, 1, 4, 1;
    /// Singular extension: not beyond this multiple of the root depth.
    singular_root_depth_factor = 2, 1, 4, 1;
    /// Double extension: margin below singular beta.
    singular_double_margin = 9, 0, 60, 4;
    /// Triple extension: margin below singular beta.
    singular_triple_margin = 112, 40, 250, 15;
    /// Negative extension of a move that is not singular.
    singular_negative_extension = 2, 1, 4, 1;

    /// Late move pruning: (this + depth²) moves are searched; fewer if not improving and the
    /// static evaluation is below beta.
    late_move_pruning_base = 3, 1, 8, 1;
    /// Late move pruning: divisor of that number in this case.
    late_move_pruning_divisor = 2, 1, 4, 1;
    /// Late move pruning: more moves if tt_pv, in percent of that number.
    late_move_pruning_tt_pv = 50, 0, 200, 20;

    /// Futility pruning: margin at depth 0.
    futility_base = 20, -50, 250, 12;
    /// Futility pruning: margin per ply.
    futility_margin = 65, 30, 200, 8;
    /// Futility pruning: maximum reduced depth.
    futility_max_depth = 9, 4, 14, 1;
    /// Futility pruning: the quiet history divided by this is added to the margin.
    futility_history_divisor = 87, 32, 512, 24;
    /// Futility pruning of captures: margin at depth 0.
    capture_futility_base = 179, 40, 350, 20;
    /// Futility pruning of captures: margin per ply.
    capture_futility_margin = 112, 60, 300, 15;
    /// Futility pruning of captures: maximum reduced depth.
    capture_futility_max_depth = 6, 3, 12, 1;
    /// Futility pruning of captures: the capture history divided by this is added to the margin.
    capture_futility_history_divisor = 73, 16, 256, 12;
    /// History pruning: margin per ply.
    history_pruning_margin = 5000, 1000, 9000, 400;
    /// History pruning: maximum reduced depth.
    history_pruning_max_depth = 5, 1, 9, 1;
    /// SEE pruning of quiet moves: margin per ply of reduced depth squared.
    see_quiet_margin = 14, 8, 60, 4;
    /// SEE pruning of captures: margin per ply.
    see_capture_margin = 92, 30, 200, 10;
    /// SEE pruning of captures: the capture history divided by this is added to the margin.
    see_capture_history_divisor = 30, 8, 128, 6;

    /// Late move reductions (LMR): minimum depth.
    lmr_min_depth = 2, 1, 5, 1;
    /// LMR of quiet moves: base.
    lmr_quiet_base = 870, 200, 1800, 100;
    /// LMR of quiet moves: factor of ln(depth) · ln(move count).
    lmr_quiet_factor = 444, 250, 700, 30;
    /// LMR of captures: base.
    lmr_capture_base = 177, 0, 1000, 80;
    /// LMR of captures: factor of ln(depth) · ln(move count).
    lmr_capture_factor = 318, 150, 600, 30;
    /// LMR: more at cut nodes.
    lmr_cut_node = 1480, 500, 3000, 150;
    /// LMR: less if tt_pv.
    lmr_tt_pv = 650, 0, 2000, 120;
    /// LMR: less at PV nodes.
    lmr_pv = 889, 0, 2000, 120;
    /// LMR: more when not improving.
    lmr_not_improving = 470, 0, 1500, 100;
    /// LMR: less for moves that give check.
    lmr_check = 962, 0, 2000, 120;
    /// LMR: more for quiet moves if the TT move is a capture.
    lmr_tt_capture = 797, 0, 2000, 120;
    /// LMR: more if the cutoff count of the next ply is above its minimum.
    lmr_cutoff_count = 981, 0, 2000, 120;
    /// LMR: minimum of the cutoff count.
    lmr_cutoff_count_min = 2, 0, 6, 1;
    /// LMR: one ply less per this quiet history.
    lmr_history_divisor = 12000, 4000, 20000, 800;
    /// LMR: less per centipawn of absolute correction.
    lmr_correction = 8, 0, 30, 2;
    /// After LMR fails high: one ply deeper if the score exceeds the best one by this …
    lmr_deeper_margin = 51, 10, 120, 8;
    /// … plus this per ply.
    lmr_deeper_slope = 2, 0, 8, 1;
    /// After LMR fails high: one ply less if the score exceeds the best one by less than this.
    lmr_shallower_margin = 5, 0, 30, 3;
    /// Alpha raised: the other moves are searched one ply less from this depth …
    alpha_raised_min_depth = 3, 2, 6, 1;
    /// … up to this depth.
    alpha_raised_max_depth = 12, 4, 24, 1;

    /// Move ordering: factor of the captured piece's value.
    capture_order_value_factor = 16, 4, 64, 3;
    /// Move ordering: divisor of the capture history.
    capture_order_history_divisor = 2, 1, 8, 1;
    /// Move ordering: an underpromotion's piece value is divided by this …
    underpromotion_order_divisor = 8, 1, 16, 1;
    /// … and lowered by this.
    underpromotion_order_penalty = 500, 0, 1500, 80;
    /// Move ordering: bonus of a quiet move that gives check.
    check_order_bonus = 8000, 0, 24000, 1200;
    /// Move ordering: a good capture may lose its ordering score divided by this in the exchange.
    good_capture_see_divisor = 49, 16, 256, 12;

    /// History bonus: per ply.
    history_bonus_factor = 250, 60, 450, 25;
    /// History bonus: subtracted.
    history_bonus_offset = 58, 0, 400, 20;
    /// History bonus: maximum.
    history_bonus_max = 3000, 600, 5000, 250;
    /// History malus: per ply.
    history_malus_factor = 245, 60, 450, 25;
    /// History malus: subtracted.
    history_malus_offset = 99, 0, 400, 20;
    /// History malus: maximum.
    history_malus_max = 1900, 400, 4000, 180;
    /// History bonus of the first quiet move, if it fails high: only from this depth.
    first_quiet_bonus_min_depth = 4, 1, 8, 1;
    /// History bonus of the previous quiet move after a fail low: divisor.
    previous_move_bonus_divisor = 2, 1, 8, 1;

    /// Eval history: bonus of the previous quiet move per centipawn of evaluation gained.
    eval_history_factor = 4, 0, 16, 1;
    /// Eval history: maximum bonus.
    eval_history_max_bonus = 358, 50, 1200, 50;
    /// Eval history: maximum malus. It is smaller, since the right to move has a value: a quiet
    /// move that changes nothing looks like a small loss.
    eval_history_max_malus = 150, 50, 1200, 50;

    /// Quiescence, futility pruning: margin.
    quiescence_futility_margin = 166, 40, 300, 15;
    /// Quiescence, late move pruning: captures searched at a node.
    quiescence_max_moves = 3, 1, 8, 1;
    /// Quiescence: weight of the stand pat score in the returned fail high; beta has weight 1.
    quiescence_stand_pat_weight = 1, 0, 4, 1;
    /// Quiescence: weight of the best score in the returned fail high; beta has weight 1.
    quiescence_fail_high_weight = 3, 0, 8, 1;

    /// Correction history: weight of the pawn table; entry · weight / 512 is in centipawns.
    correction_pawn_weight = 42, 16, 160, 8;
    /// Correction history: weight of the non-pawn tables.
    correction_non_pawn_weight = 27, 16, 160, 8;
    /// Correction history: weight of the minor piece table.
    correction_minor_weight = 34, 0, 160, 8;
    /// Correction history: weight of the continuation table of the moves 1 and 2 plies ago.
    correction_continuation_2_weight = 63, 16, 160, 8;
    /// Correction history: weight of the continuation table of the moves 1 and 4 plies ago.
    correction_continuation_4_weight = 40, 0, 160, 8;
    /// Correction history: the bonus is the error times depth, divided by this.
    correction_bonus_divisor = 8, 2, 32, 2;

    /// Time: the spendable time is divided by this if the clock does not say the moves to go.
    time_moves_to_go = 19, 10, 50, 2;
    /// Time: maximum number of moves to go that is used, if the clock says more.
    time_max_moves_to_go = 50, 24, 80, 4;
    /// Time: share of the increment, after the overhead, in the base time, in hundredths.
    time_increment = 82, 30, 100, 5;
    /// Time: the overhead of this many later moves is not spent, if the clock does not say the
    /// moves to go.
    time_overhead_moves = 40, 20, 80, 4;
    /// Time: reserve against a delay of a single move, in multiples of the overhead.
    time_reserve = 5, 2, 20, 1;
    /// Time: hard limit as a multiple of the base time.
    time_hard_factor = 5, 2, 10, 1;
    /// Time: maximum share of the spendable time, in percent, for the last move to the time
    /// control.
    time_max_share_last_move = 90, 50, 100, 4;
    /// Time: maximum share of the spendable time for other moves, in twelfths.
    time_max_share = 8, 4, 11, 1;
    /// Time: factor for the only legal move, in hundredths …
    time_only_move = 5, 1, 50, 5;
    /// … after more iterations than this.
    time_only_move_min_depth = 6, 1, 12, 1;
    /// Time, node fraction: factor if the best move took none of the nodes, in hundredths.
    time_node_fraction_base = 205, 120, 300, 10;
    /// Time, node fraction: smaller by this if it took all.
    time_node_fraction_slope = 155, 50, 250, 10;
    /// Time, best-move stability: factor after the best move changed, in hundredths.
    time_stability_0 = 145, 100, 250, 10;
    /// Time, best-move stability: after one iteration with the same best move.
    time_stability_1 = 120, 80, 200, 8;
    /// Time, best-move stability: after two.
    time_stability_2 = 105, 70, 160, 8;
    /// Time, best-move stability: after three to five.
    time_stability_3 = 95, 60, 140, 6;
    /// Time, best-move stability: after more.
    time_stability_6 = 85, 50, 120, 6;
    /// Time, falling score: the factor grows by 1 for a score that fell by this within three
    /// iterations.
    time_falling_score_divisor = 130, 50, 300, 12;
    /// Time, falling score: minimum factor, in hundredths.
    time_falling_score_min = 80, 50, 100, 5;
    /// Time, falling score: maximum factor, in hundredths.
    time_falling_score_max = 150, 100, 250, 10;
    /// Time: minimum of the product of all factors, in hundredths.
    time_factor_min = 20, 5, 80, 5;
    /// Time: maximum of the product of all factors, in hundredths.
    time_factor_max = 300, 150, 500, 20;
}
