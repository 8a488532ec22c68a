#!/bin/sh
# Trains a small network from zero, in minutes. `make from-zero` builds the programs and runs this.
#
#   networks/from-zero.sh [FOLDER]      the folder for games and networks (target/from-zero); the games of
#                                       an earlier run, in FOLDER/games, are removed
#
# POSITIONS a generation, NODES a move, GENERATIONS and THREADS can be set in the environment; the layer
# sizes are those that the programs are built for. The first games are played with a material count as
# the evaluation; each network then plays the games of the next generation, which is trained on all
# games so far. The last network plays 200 games against the material count.
set -eu

FOLDER=${1:-target/from-zero}
POSITIONS=${POSITIONS:-600000}
NODES=${NODES:-200}
GENERATIONS=${GENERATIONS:-5}
THREADS=${THREADS:-$(nproc 2>/dev/null || echo 2)}
BIN=${BIN:-target/release}

rm -rf "$FOLDER/games"
player=material
generation=0
while [ "$generation" -lt "$GENERATIONS" ]; do
    echo "== generation $generation: games by $player"
    "$BIN/saavedra" datagen --out "$FOLDER/games" --eval "$player" \
        --positions "$POSITIONS" --nodes "$NODES" --threads "$THREADS" --seed "$((generation + 1))"
    echo "== generation $generation: training"
    # Networks that only play the next games are trained for a shorter time.
    epochs=8
    [ "$((generation + 1))" -lt "$GENERATIONS" ] || epochs=15
    network=$FOLDER/generation-$generation.nnue
    # Low lambdas, because the network overfits the results of so few games.
    "$BIN/saavedra-trainer" train --data "$FOLDER/games" --out "$network" \
        --td-lambda 0.35 --wdl 0.05 --epochs "$epochs" --lr 8e-3 --weight-decay 0.8 \
        --generation "$generation" --threads "$THREADS"
    player=$network
    generation=$((generation + 1))
done
echo "== match against the material count"
"$BIN/saavedra" duel "$player" material --games 200 --nodes 3000 --threads "$THREADS"
