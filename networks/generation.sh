#!/bin/sh
# Makes the next generation of the network: trains the given sizes and seeds, lets games decide, and
# writes the best network with its card, its win probabilities and the table of the strength levels.
#
#   networks/generation.sh GAMES [FOLDER]
#
# GAMES     a folder of self-play games (`saavedra datagen`, `saavedra data import`)
# FOLDER    for networks, programs, logs and PGN files (target/generation-N, N the number of the new
#           generation); an interrupted run goes on
#
# In the environment, with their defaults:
#   GENERATION=          the number of the new generation (one more than that of networks/default.md)
#   SIZES="512 768"      neurons of the hidden layer
#   SEEDS="1 2"          seeds of the training
#   BUCKETS=1            output buckets
#   WDL=0.05 WDL_END=0.15  WDL lambda at the start and at the end
#   TD_LAMBDA=0.8        share of the later scores of a game in the score of a position
#   EPOCHS=16 LR=2e-3    length of the training and learning rate
#   WEIGHT_DECAY=0.1     weight decay; with INIT towards that network
#   INIT=                a network to continue from, of the same size or smaller (none: random weights).
#                        For 4 million positions at 1,000 nodes a move: INIT=networks/default.nnue
#                        SIZES=1024 WDL_END=0.05 EPOCHS=2 LR=3e-4 WEIGHT_DECAY=16; for 90 million at 200
#                        EPOCHS=4 WEIGHT_DECAY=3
#   THREADS              of the training and of the matches, all by default
#   RUNNER=fastchess     the match runner
#   BOOK=                an EPD file of openings for it (none: the start position)
#   NODES=5000           nodes a move of the matches at fixed nodes
#   GAMES_EACH=400       games of each candidate against the present network at fixed nodes
#   GAMES_FINAL=1000     games of the best candidate at fixed nodes
#   GAMES_CLOCK=400      games of the best candidate at the time control
#   CLOCK=8+0.08         the time control, in seconds
#
# The result is FOLDER/best.nnue and FOLDER/best.md, its data, training and games. It becomes the default
# by copying the network to networks/default.nnue; networks/default.md and docs/NNUE.md then take their
# figures from FOLDER/best.md.
set -eu

DATA=${1:?GAMES is missing: networks/generation.sh GAMES [FOLDER]}
GENERATION=${GENERATION:-$(($(sed -n 's/^# Generation //p' networks/default.md) + 1))}
FOLDER=${2:-target/generation-$GENERATION}
SIZES=${SIZES:-512 768}
SEEDS=${SEEDS:-1 2}
BUCKETS=${BUCKETS:-1}
WDL=${WDL:-0.05}
WDL_END=${WDL_END:-0.15}
TD_LAMBDA=${TD_LAMBDA:-0.8}
EPOCHS=${EPOCHS:-16}
LR=${LR:-2e-3}
WEIGHT_DECAY=${WEIGHT_DECAY:-0.1}
THREADS=${THREADS:-$(nproc 2>/dev/null || echo 2)}
RUNNER=${RUNNER:-fastchess}
NODES=${NODES:-5000}
GAMES_EACH=${GAMES_EACH:-400}
GAMES_FINAL=${GAMES_FINAL:-1000}
GAMES_CLOCK=${GAMES_CLOCK:-400}
CLOCK=${CLOCK:-8+0.08}

command -v "$RUNNER" >/dev/null || {
    echo "no match runner '$RUNNER': set RUNNER to fastchess (https://github.com/Disservin/fastchess)" >&2
    exit 2
}
mkdir -p "$FOLDER"

# The results of a run with other settings, data or another version of the program are not those of this one.
settings="data $DATA, generation $GENERATION, sizes $SIZES, seeds $SEEDS, buckets $BUCKETS, WDL $WDL to $WDL_END
TD lambda $TD_LAMBDA, epochs $EPOCHS, learning rate $LR, weight decay $WEIGHT_DECAY
initial network ${INIT:+$(cksum <"$INIT")}
book ${BOOK:-}, nodes $NODES, games $GAMES_EACH $GAMES_FINAL $GAMES_CLOCK, clock $CLOCK
commit $(git rev-parse HEAD 2>/dev/null || true)"
if [ -e "$FOLDER/settings" ] && [ "$(cat "$FOLDER/settings")" != "$settings" ]; then
    echo "$FOLDER has a run with other settings: remove it, or name another folder. They were:" >&2
    cat "$FOLDER/settings" >&2
    exit 2
fi
printf '%s\n' "$settings" >"$FOLDER/settings"

# program NETWORK PATH: builds the engine with a network, unless it is there.
program() {
    [ -x "$2" ] && [ "$2" -nt "$1" ] && return
    EVALFILE=$1 cargo build --release --locked --no-default-features --target-dir "$FOLDER/build"
    cp "$FOLDER/build/release/saavedra" "$2"
}

# play NAME GAMES LIMIT MATCH: a match of FOLDER/NAME against the present network, unless there is its
# result MATCH.result; prints the result. The games are in MATCH.pgn.
play() {
    if [ ! -e "$4.result" ]; then
        rm -f "$4.pgn"
        # The limit and the openings are several words each.
        # shellcheck disable=SC2086
        "$RUNNER" -engine "cmd=$FOLDER/$1" "name=$1" -engine "cmd=$FOLDER/present" name=present \
            -each $3 option.Hash=16 ${BOOK:+-openings "file=$BOOK" format=epd order=random} \
            -rounds $(($2 / 2)) -games 2 -repeat -concurrency "$THREADS" -pgnout "file=$4.pgn" >"$4.pgn.log"
        grep -E '^(Elo|Games)' "$4.pgn.log" | tail -n 2 >"$4.part"
        mv "$4.part" "$4.result"
    fi
    cat "$4.result"
}

program networks/default.nnue "$FOLDER/present"
for size in $SIZES; do
    for seed in $SEEDS; do
        name=$size-$seed
        network=$FOLDER/$name.nnue
        # The trainer writes the card last.
        if [ ! -e "$FOLDER/$name.md" ]; then
            echo "== $size neurons, seed $seed: training"
            "${BIN:-target/release}/saavedra-trainer" train --data "$DATA" --out "$network" \
                --hidden "$size" --buckets "$BUCKETS" --seed "$seed" --generation "$GENERATION" \
                --td-lambda "$TD_LAMBDA" --wdl "$WDL" --wdl-end "$WDL_END" --epochs "$EPOCHS" \
                --lr "$LR" --weight-decay "$WEIGHT_DECAY" \
                ${INIT:+--init "$INIT"} --threads "$THREADS" --resume >"$FOLDER/$name.log"
        fi
        program "$network" "$FOLDER/$name"
        echo "== $size neurons, seed $seed: $GAMES_EACH games at $NODES nodes"
        play "$name" "$GAMES_EACH" "tc=inf nodes=$NODES" "$FOLDER/$name"
    done
done

# The results of the candidates; those of the deciding games do not start with a digit.
best=$(for result in "$FOLDER"/[0-9]*.result; do
    printf '%s %s\n' "$(sed -n 's/^Elo: *\([-+0-9.]*\).*/\1/p' "$result")" "$(basename "$result" .result)"
done | sort -g | tail -n 1 | cut -d' ' -f2)
cp "$FOLDER/$best.nnue" "$FOLDER/best.nnue"
echo "== best: $best"
play "$best" "$GAMES_FINAL" "tc=inf nodes=$NODES" "$FOLDER/final-$best"
play "$best" "$GAMES_CLOCK" "tc=$CLOCK" "$FOLDER/clock-$best"

# The win probabilities are those of games at a time control; the levels are played by the best network.
EVALFILE=$FOLDER/best.nnue cargo build --release --locked --bins --example levels --target-dir "$FOLDER/build"
new=$FOLDER/build/release
rm -rf "$FOLDER/clock-games"
# Games lost on time are left out, and then the status is not 0.
"$new/saavedra" data import "$FOLDER/clock-$best.pgn" -o "$FOLDER/clock-games" || [ -s "$FOLDER/clock-games" ]
{
    printf '# Generation %s\n' "$GENERATION"
    tail -n +2 "$FOLDER/$best.md"
    printf '\n## Games against the network before it\n\n```\n'
    printf '%s nodes a move\n' "$NODES"
    cat "$FOLDER/final-$best.result"
    printf '%s seconds\n' "$CLOCK"
    cat "$FOLDER/clock-$best.result"
    printf '```\n'
    printf '\n## Win probabilities (src/eval/wdl.rs)\n\n```\n'
    "$new/saavedra" data info "$FOLDER/clock-games" | grep 'wdl curve'
    printf '```\n\n## Strength levels (docs/STRENGTH_LEVELS.md)\n\n```\n'
    "$new/examples/levels"
    printf '```\n'
} >"$FOLDER/best.md"
echo "== $FOLDER/best.nnue and $FOLDER/best.md"
