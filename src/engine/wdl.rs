//! What a score promises: chances to win, draw and lose.

/// The score at which winning is as likely as not, in centipawns.
const EVEN: f64 = 150.0;
/// How fast the chances change with the score, in centipawns.
const SPREAD: f64 = 65.0;

/// The chances of winning, drawing and losing of the side that has this score, in thousandths; they
/// sum to 1000.
///
/// Two logistic curves, alike for both sides; their two numbers are a first guess.
pub fn wdl(centipawns: i32) -> (u32, u32, u32) {
    let chance = |score: f64| (1000.0 / (1.0 + ((EVEN - score) / SPREAD).exp())).round() as u32;
    let score = f64::from(centipawns);
    let (win, loss) = (chance(score), chance(-score));
    (win, 1000 - win - loss, loss)
}

#[cfg(test)]
mod tests {
    use super::wdl;

    #[test]
    fn chances_sum_to_one_mirror_and_grow_with_the_score() {
        let mut last = 0;
        for score in (-32_000..=32_000).step_by(50) {
            let (win, draw, loss) = wdl(score);
            assert_eq!(win + draw + loss, 1000, "{score}");
            assert_eq!(wdl(-score), (loss, draw, win), "{score}");
            assert!(win >= last);
            last = win;
        }
        assert_eq!(wdl(32_000), (1000, 0, 0));
        assert_eq!(wdl(150).0, 500);
    }
}
