//! The parameters of the search, one line each: name, default, minimum, maximum, step for tuning.
//!
//! Scores are in centipawns, depths in plies, reductions in 1/1024 ply, history values in their own
//! unit. In a build with the feature `tune` every parameter is a UCI option; otherwise it is a
//! constant. Numbers that make no sense to tune are constants beside the code that uses them.

use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

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
    /// The value in a build with the feature `tune`.
    #[cfg_attr(not(feature = "tune"), expect(dead_code))]
    value: &'static AtomicI32,
}

#[cfg(feature = "tune")]
impl Tunable {
    /// Sets the value, for all engines of the process.
    pub fn set(&self, value: i32) {
        self.value.store(value, Relaxed);
    }
}

macro_rules! tunables {
    ($($name:ident = $default:expr, $min:expr, $max:expr, $step:expr;)*) => {
        $(
            #[inline(always)]
            pub(super) fn $name() -> i32 {
                if cfg!(feature = "tune") { values::$name.load(Relaxed) } else { $default }
            }
        )*

        #[allow(non_upper_case_globals)]
        mod values {
            use super::AtomicI32;
            $(pub(super) static $name: AtomicI32 = AtomicI32::new($default);)*
        }

        /// All parameters.
        pub static TUNABLES: &[Tunable] = &[$(Tunable {
            name: stringify!($name),
            default: $default,
            min: $min,
            max: $max,
            step: $step,
            value: &values::$name,
        },)*];
    };
}

tunables! {
    // Aspiration window
    aspiration_min_depth                   = 4, 1, 8, 1;            // from this depth
    aspiration_base                        = 13, 5, 40, 3;          // initial half-width
    aspiration_score_divisor               = 60, 20, 200, 10;       // half-width += |score| / this
    aspiration_max_score                   = 2000, 500, 5000, 200;  // maximum |score| in it
    aspiration_growth                      = 8, 2, 24, 1;           // growth after a fail, in 12ths of the half-width
    aspiration_max_width                   = 700, 200, 2000, 80;    // a wider window becomes the full one
    aspiration_max_reduction               = 3, 0, 6, 1;            // one ply less per fail high, at most this
    // Fifty-move damping
    fifty_move_damping                     = 220, 120, 500, 20;     // static eval · (this - halfmove clock) / this
    // Transposition table: cutoff, replacement; tablebase probe
    tt_cutoff_max_halfmove_clock           = 90, 50, 100, 5;        // no cutoff from this halfmove clock on
    tt_cutoff_lower_margin                 = 1, -2, 5, 1;           // a lower bound may be this much shallower
    tt_age_penalty                         = 4, 1, 12, 1;           // plies of value lost per later search
    tt_keep_depth_margin                   = 4, 1, 12, 1;           // entries of this search deeper by more are kept
    tb_stored_depth_bonus                  = 6, 0, 20, 1;           // added to the stored depth
    // Reverse futility pruning
    reverse_futility_margin                = 59, 40, 140, 8;        // per ply
    reverse_futility_improving             = 56, 0, 140, 8;         // less when improving
    reverse_futility_correction_divisor    = 2, 1, 8, 1;            // more by |correction| / this
    reverse_futility_max_depth             = 9, 4, 14, 1;           // maximum depth
    reverse_futility_eval_weight           = 1, 0, 4, 1;            // weight of eval in the score; beta has 1
    // Razoring
    razoring_margin                        = 449, 200, 800, 30;     // below alpha
    // Null move pruning
    null_move_static_margin                = 166, 40, 400, 20;      // static eval above beta at depth 0
    null_move_static_slope                 = 25, 0, 60, 4;          // less per ply
    null_move_base                         = 4, 2, 6, 1;            // base reduction
    null_move_depth_divisor                = 3, 2, 8, 1;            // one ply more per this depth
    null_move_eval_divisor                 = 240, 80, 400, 20;      // one ply more per this eval above beta
    null_move_eval_max                     = 4, 1, 8, 1;            // maximum of that term
    null_move_verification_min_depth       = 15, 10, 25, 1;         // verification search from this depth
    null_move_verification_share           = 12, 4, 16, 1;          // its share without null moves, in 16ths
    // Probcut
    probcut_margin                         = 193, 80, 350, 15;      // above beta
    probcut_min_depth                      = 5, 3, 9, 1;            // minimum depth
    probcut_reduction                      = 4, 2, 6, 1;            // in plies
    // Internal iterative reduction
    internal_iterative_reduction_min_depth = 5, 2, 9, 1;            // minimum depth
    // Hindsight adjustment
    hindsight_min_reduction                = 3, 1, 6, 1;            // extension: minimum previous reduction
    hindsight_min_depth                    = 2, 1, 6, 1;            // reduction: minimum depth
    hindsight_margin                       = 150, 40, 400, 20;      // reduction: minimum loss of the previous move
    // Singular extension
    singular_min_depth                     = 5, 4, 12, 1;           // minimum depth; one more if tt_pv
    singular_tt_depth_margin               = 4, 1, 5, 1;            // the entry may be this much shallower
    singular_margin                        = 17, 8, 60, 4;          // below the TT score, per ply, in 16ths
    singular_depth_divisor                 = 2, 1, 4, 1;            // its search has depth (depth - 1) / this
    singular_root_depth_factor             = 2, 1, 4, 1;            // not beyond this multiple of the root depth
    singular_double_margin                 = 12, 0, 60, 4;          // double extension: below singular beta
    singular_triple_margin                 = 100, 40, 250, 15;      // triple extension: below singular beta
    singular_negative_extension            = 2, 1, 4, 1;            // negative extension, in plies
    // Late move pruning
    late_move_pruning_base                 = 5, 1, 8, 1;            // this + depth² moves are searched …
    late_move_pruning_divisor              = 2, 1, 4, 1;            // … / this if not improving and static eval < beta
    late_move_pruning_tt_pv                = 82, 0, 200, 20;        // more if tt_pv, in percent
    // Futility pruning
    futility_base                          = 21, -50, 250, 12;      // margin at depth 0
    futility_margin                        = 60, 30, 200, 8;        // more per ply
    futility_max_depth                     = 9, 4, 14, 1;           // maximum reduced depth
    futility_history_divisor               = 88, 32, 512, 24;       // more by quiet history / this
    capture_futility_base                  = 189, 40, 350, 20;      // the same for captures
    capture_futility_margin                = 118, 60, 300, 15;
    capture_futility_max_depth             = 6, 3, 12, 1;
    capture_futility_history_divisor       = 68, 16, 256, 12;       // more by capture history / this
    // History pruning
    history_pruning_margin                 = 4839, 1000, 9000, 400; // per ply
    history_pruning_max_depth              = 6, 1, 9, 1;            // maximum reduced depth
    // SEE pruning
    see_quiet_margin                       = 10, 8, 60, 4;          // quiet moves: per squared ply of reduced depth
    see_capture_margin                     = 80, 30, 200, 10;       // captures and checks: per ply
    see_capture_history_divisor            = 35, 8, 128, 6;         // more by capture history / this
    // Late move reductions
    lmr_min_depth                          = 2, 1, 5, 1;            // minimum depth
    lmr_quiet_base                         = 881, 200, 1800, 100;   // base of quiet moves
    lmr_quiet_factor                       = 432, 250, 700, 30;     // factor of ln(depth) · ln(move count)
    lmr_capture_base                       = 122, 0, 1000, 80;      // the same for captures
    lmr_capture_factor                     = 328, 150, 600, 30;
    lmr_cut_node                           = 1425, 500, 3000, 150;  // more at cut nodes
    lmr_tt_pv                              = 678, 0, 2000, 120;     // less if tt_pv
    lmr_pv                                 = 1065, 0, 2000, 120;    // less at PV nodes
    lmr_tt_depth                           = 140, -500, 1500, 120;  // less if the TT entry is as deep as the node
    lmr_move_count                         = 10, -80, 80, 8;        // less by this · move count (at most 40)
    lmr_not_improving                      = 404, 0, 1500, 100;     // more when not improving
    lmr_check                              = 931, 0, 2000, 120;     // less for moves that give check
    lmr_tt_capture                         = 870, 0, 2000, 120;     // more for quiet moves if the TT move is a capture
    lmr_cutoff_count                       = 1180, 0, 2000, 120;    // more if the next ply has more cutoffs …
    lmr_cutoff_count_min                   = 2, 0, 6, 1;            // … than this
    lmr_history_divisor                    = 12461, 4000, 20000, 800; // one ply less per this quiet history
    lmr_correction                         = 8, 0, 30, 2;           // less per centipawn of absolute correction
    lmr_deeper_margin                      = 52, 10, 120, 8;        // re-search one ply deeper: above the best score
    lmr_deeper_slope                       = 2, 0, 8, 1;            // more per ply
    lmr_shallower_margin                   = 3, 0, 30, 3;           // re-search one ply shallower: above the best score
    // Reduction after raised alpha
    alpha_raised_min_depth                 = 3, 2, 6, 1;            // later moves one ply less from this depth …
    alpha_raised_max_depth                 = 11, 4, 24, 1;          // … up to this depth
    // Move ordering
    capture_order_value_factor             = 12, 4, 64, 3;          // captures: factor of the captured value
    capture_order_history_divisor          = 2, 1, 8, 1;            // capture history / this
    underpromotion_order_divisor           = 8, 1, 16, 1;           // underpromotion: piece value / this …
    underpromotion_order_penalty           = 500, 0, 1500, 80;      // … - this
    check_order_bonus                      = 8813, 0, 24000, 1200;  // quiet moves that give check
    good_capture_see_divisor               = 63, 16, 256, 12;       // a good capture may lose its order score / this
    // Histories
    history_bonus_factor                   = 249, 60, 450, 25;      // bonus per ply
    history_bonus_offset                   = 67, 0, 400, 20;        // less by this
    history_bonus_max                      = 2916, 600, 5000, 250;  // maximum bonus
    history_malus_factor                   = 293, 60, 450, 25;      // malus per ply
    history_malus_offset                   = 71, 0, 400, 20;        // less by this
    history_malus_max                      = 1650, 400, 4000, 180;  // maximum malus
    first_quiet_bonus_min_depth            = 4, 1, 8, 1;            // bonus of the first quiet move from this depth
    previous_move_bonus_divisor            = 2, 1, 8, 1;            // previous quiet move after a fail low: bonus / this
    // Eval history
    eval_history_factor                    = 6, 0, 16, 1;           // bonus of the previous move per centipawn gained
    eval_history_max_bonus                 = 399, 50, 1200, 50;     // maximum bonus
    eval_history_max_malus                 = 181, 50, 1200, 50;     // maximum malus; smaller, since a tempo has a value
    // Quiescence
    quiescence_futility_margin             = 157, 40, 300, 15;      // futility margin
    quiescence_max_moves                   = 3, 1, 8, 1;            // maximum number of captures
    quiescence_stand_pat_weight            = 1, 0, 4, 1;            // weight of stand pat in the score; beta has 1
    quiescence_fail_high_weight            = 3, 0, 8, 1;            // weight of a fail high in the score; beta has 1
    // Correction history: weights; entry · weight / 512 is in centipawns
    correction_pawn_weight                 = 41, 16, 160, 8;        // pawns
    correction_non_pawn_weight             = 32, 16, 160, 8;        // other pieces, per side
    correction_minor_weight                = 38, 0, 160, 8;         // minor pieces
    correction_continuation_2_weight       = 70, 16, 160, 8;        // moves 1 and 2 plies ago
    correction_continuation_4_weight       = 36, 0, 160, 8;         // moves 1 and 4 plies ago
    correction_bonus_divisor               = 7, 2, 32, 2;           // bonus: error · depth / this
    // Time
    time_share_base                        = 302, 100, 900, 60;     // share of the time in sudden death, in 1/10000
    time_share_slope                       = 7, 0, 20, 3;           // more by this per move of the game …
    time_share_max_move                    = 80, 40, 120, 8;        // … up to this move
    time_max_moves_to_go                   = 50, 24, 80, 4;         // maximum number of moves to go
    time_increment                         = 97, 30, 100, 5;        // share of the increment less overhead, in %
    time_overhead_moves                    = 40, 20, 80, 4;         // later moves with overhead in sudden death
    time_reserve                           = 5, 2, 20, 1;           // reserve against one delay, in overheads
    time_hard_factor                       = 6, 2, 10, 1;           // hard limit, in base times
    time_max_share_last_move               = 90, 50, 100, 4;        // last move: maximum share of the time, in %
    time_max_share                         = 8, 4, 11, 1;           // other moves: maximum share, in 12ths
    time_only_move                         = 5, 1, 50, 5;           // factor for the only legal move, in % …
    time_only_move_min_depth               = 6, 1, 12, 1;           // … after more iterations than this
    // Time: node fraction
    time_node_fraction_base                = 203, 120, 300, 10;     // factor if the best move took no nodes, in %
    time_node_fraction_slope               = 154, 50, 250, 10;      // less by this if it took all
    // Time: best-move stability
    time_stability_0                       = 132, 100, 250, 10;     // factor after a new best move, in %
    time_stability_1                       = 132, 80, 200, 8;       // after one iteration with the same best move
    time_stability_2                       = 102, 70, 160, 8;       // after two
    time_stability_3                       = 100, 60, 140, 6;       // after three to five
    time_stability_6                       = 77, 50, 120, 6;        // after more
    // Time: falling score
    time_falling_score_divisor             = 132, 50, 300, 12;      // factor grows by 1 per this fall in 3 iterations
    time_falling_score_min                 = 78, 50, 100, 5;        // minimum factor, in %
    time_falling_score_max                 = 138, 100, 250, 10;     // maximum factor, in %
    // Time: score stability
    time_score_stability_margin            = 13, 0, 60, 4;          // a score is stable within this
    time_score_stability_base              = 112, 100, 150, 5;      // factor after an unstable score, in %
    time_score_stability_slope             = 6, 0, 15, 3;           // less by this per iteration with one …
    time_score_stability_max               = 6, 2, 10, 1;           // … at most this many times
    // Time
    time_factor_min                        = 28, 5, 80, 5;          // minimum product of all factors, in %
    time_factor_max                        = 348, 150, 500, 20;     // maximum product of all factors, in %
}
