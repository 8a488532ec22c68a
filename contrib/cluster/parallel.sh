#!/bin/bash
# Reviews the games of a PGN in parts with GNU parallel, on this machine or on several with a shared
# folder, and joins them. The same command goes on after an interruption.
#   contrib/cluster/parallel.sh games.pgn parts 64 > annotated.pgn
#   SSH_LOGINS=8/node1,8/node2 contrib/cluster/parallel.sh "$PWD/games.pgn" "$PWD/parts" 64 > annotated.pgn
set -eu
games=$1 folder=$2 parts=$3 nodes=${4:-50000}

part() {
    local output status=0
    printf -v output '%s/part-%05d.pgn' "$2" "$4"
    saavedra analyse "$1" --nodes "$5" --threads 1 --shard "$4/$3" --resume -o "$output" || status=$?
    # 3: games with errors were left out; the log names them.
    [[ $status == 0 || $status == 3 ]]
}
export -f part
mkdir -p "$folder"
seq "$parts" | parallel ${SSH_LOGINS:+--sshlogin "$SSH_LOGINS"} --env part --retries 10 --delay 0.1 \
    --joblog "$folder/jobs.log" --results "$folder/logs/{}" --eta \
    part "$games" "$folder" "$parts" {} "$nodes" >/dev/null
cat "$folder"/part-*.pgn
