#!/bin/sh
# From nothing to a network: the whole ladder at a small scale, in minutes. `make from-zero` builds
# the programs and runs this.
#
#   networks/from-zero.sh [FOLDER]      the folder for games and networks (target/from-zero)
#
# POSITIONS a generation, NODES a move, GENERATIONS and THREADS can be set in the environment; a
# network has the size that the programs are built for. The first games are played by an evaluation
# that only counts pieces; every network then plays the games that the next one learns from, together
# with the games before. At the end the last network plays 200 games against counting pieces.
set -eu

FOLDER=${1:-target/from-zero}
POSITIONS=${POSITIONS:-600000}
NODES=${NODES:-500}
GENERATIONS=${GENERATIONS:-2}
THREADS=${THREADS:-$(nproc 2>/dev/null || echo 2)}
BIN=${BIN:-target/release}

player=material
generation=0
while [ "$generation" -lt "$GENERATIONS" ]; do
    echo "== generation $generation: games by $player"
    "$BIN/saavedra" datagen --out "$FOLDER/games" --eval "$player" --generation "$generation" \
        --positions "$POSITIONS" --nodes "$NODES" --threads "$THREADS" --seed "$((generation + 1))"
    echo "== generation $generation: learning"
    network=$FOLDER/generation-$generation.nnue
    # Even scores by counting pieces teach more than results: so few games would be learned by heart.
    "$BIN/saavedra-trainer" train --data "$FOLDER/games" --out "$network" \
        --wdl 0.05 --epochs 15 --lr 2e-3 --generation "$generation" --threads "$THREADS"
    echo "== generation $generation: against counting pieces"
    "$BIN/saavedra" duel "$network" material --games 200 --nodes 3000 --threads "$THREADS"
    player=$network
    generation=$((generation + 1))
done
