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
    # The program of a run that was killed may still write the part.
    [[ ! -e $output.part ]] || flock "$output.part" true
    saavedra analyse "$1" --nodes "$5" --threads 1 --shard "$4/$3" --resume -o "$output" || status=$?
    # 3: games with errors were left out; the log names them.
    [[ $status == 0 || $status == 3 ]]
}
export -f part
mkdir -p "$folder"
[[ -r $games ]] || { echo "$games: cannot be read" >&2; exit 2; }
if ! seq "$parts" | parallel ${SSH_LOGINS:+--sshlogin "$SSH_LOGINS"} --env part --retries 10 --delay 0.1 \
    --joblog "$folder/jobs.log" --results "$folder/logs/{}" --eta \
    part "$games" "$folder" "$parts" {} "$nodes" >/dev/null; then
    echo "parts failed; the last lines of their logs:" >&2
    awk 'NR > 1 && $7 != 0 { print $1 }' "$folder/jobs.log" | sort -nu | while read -r part; do
        tail -qn 1 "$folder/logs/$part.err" >&2 || true
    done
    exit 2
fi
cat "$folder"/part-*.pgn
