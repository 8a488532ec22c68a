#!/bin/sh
# Fuzzes what Saavedra parses, each target for a bounded time.
#
#   fuzz/run.sh [SECONDS] [TARGET…]      60 seconds each of all targets
#
# It needs `rustup toolchain install nightly` and `cargo install cargo-fuzz`. The corpora in fuzz/corpus/ begin with
# the inputs of the tests. A finding stays in fuzz/artifacts/ and the status is 1; it is mended and becomes a
# test. The last line of each target has its number of executions.
set -u

cd "$(dirname "$0")/.."
seconds=${1:-60}
[ $# -eq 0 ] || shift
targets=${*:-fen san formats pgn html uci network games compact syzygy book}

# seed TARGET NAME: an input from standard input, unless it is there.
seed() {
    mkdir -p "fuzz/corpus/$1"
    [ -e "fuzz/corpus/$1/$2" ] && cat >/dev/null || cat >"fuzz/corpus/$1/$2"
}

number=0
cut -d';' -f1 perft/tricky.epd | grep -v '^#' | head -n 100 | while read -r fen; do
    number=$((number + 1))
    printf '%s' "$fen" | seed fen "$number"
    printf '%s\ne4\nNf3\ne1g1\na7a8q\n' "$fen" | seed san "$number"
    printf 'position fen %s moves e2e4\ngo depth 3\nsetoption name MultiPV value 3\ngo movetime 5\n' "$fen" | seed uci "$number"
    printf '\000%s' "$fen" | seed formats "$number"
done
printf '<p data-turn=b data-castling=KQ data-ep=->\002\002\002\002\002\002\002\002</p>' | seed html board
printf '<table><tr>\001x<td>\001&#9812;</table>' | seed html squares
for game in web/tests/modules/*.pgn; do
    seed pgn "$(basename "$game")" <"$game"
done
printf '[Event "a"]\n\n1. \016\017 {b} (1... \020 2. \021 $1 (2. \022)) 2. \030\031 1-0\n\n\032\033 *' | seed pgn moves
for table in 0 1 2 3; do
    printf '%s\125\125\125\125abcdefghijklmnopqrstuvwxyz' "$table" | seed syzygy "$table"
done
seed network default <networks/default.nnue
# 32 neurons with weights of 0, which evaluates faster.
{
    printf 'SAAVNNUE\002\000\000\000\040\000\000\000\001\000\000\000\377\000\200\000\220\001\000\000\000\000\000\000'
    printf '768hm-2xH-screlu-1xB'
    head -c 24784 /dev/zero
} | seed network small
# A file header, and an adjudicated game of three plies.
{
    printf 'SAAVEDRA-GAMES\000\000\001\000\000\000'
    head -c 22 /dev/zero
    printf 'GAME\021\000\000\000\000\000\000\000\000\001\006\000\000'
    printf '\216\005\000\000\064\013\012\000\313\004\000\000'
} | seed games short
# A block with one game, of which every bit is as likely as not.
printf '\001\000\000\000\177\377\377\377\377\377\377\377' | seed compact short

status=0
for target in $targets; do
    dictionary=
    [ ! -e "fuzz/dictionaries/$target.txt" ] || dictionary="-dict=fuzz/dictionaries/$target.txt"
    # In the inputs of PGN, HTML and Syzygy single bytes stand for more, so that short ones suffice.
    case $target in
        network) length=700000 ;;
        compact) length=400 ;;
        html | pgn) length=160 ;;
        syzygy) length=64 ;;
        *) length=4096 ;;
    esac
    # Three to five times as fast without AddressSanitizer: their code has no `unsafe` block, and that of the
    # HTML parser's packages runs in the tests under AddressSanitizer (.ci/nightly).
    sanitizer=address
    case $target in compact | html | pgn | syzygy) sanitizer=none ;; esac
    printf '== %s\n' "$target"
    # shellcheck disable=SC2086
    cargo +nightly fuzz run --sanitizer $sanitizer "$target" -- -max_total_time="$seconds" -max_len=$length -rss_limit_mb=2048 \
        -timeout=10 -print_final_stats=1 $dictionary >"fuzz/$target.log" 2>&1 || status=1
    grep -E 'number_of_executed_units|ERROR|panicked|SUMMARY|^error' "fuzz/$target.log" | tail -n 4
done
exit $status
