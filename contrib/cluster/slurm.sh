#!/bin/bash
# Reviews the games of a PGN in 64 parts, as an array of Slurm jobs, and joins them:
#   job=$(sbatch --parsable --array=1-64 contrib/cluster/slurm.sh games.pgn parts 64)
#   sbatch --dependency=afterok:$job --wrap 'cat parts/part-*.pgn > annotated.pgn'
# To run parts that failed again, name them: --array=7,12.
#SBATCH --job-name=saavedra
#SBATCH --cpus-per-task=1
#SBATCH --mem=256M
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --signal=B:TERM@60
#SBATCH --open-mode=append
#SBATCH --output=saavedra-%A_%a.log
set -u
games=$1 folder=$2 parts=$3 nodes=${4:-50000}

mkdir -p "$folder"
printf -v output '%s/part-%05d.pgn' "$folder" "$SLURM_ARRAY_TASK_ID"
saavedra analyse "$games" --nodes "$nodes" --threads 1 --shard "$SLURM_ARRAY_TASK_ID/$parts" \
    --resume -o "$output" &
analysis=$!
# A minute before the time limit, and when another job takes the node: keep the finished games.
trap 'kill -TERM "$analysis"' TERM
wait "$analysis"
status=$?
if ((status == 143)); then
    # The signal ended `wait`. Ask again: the analysis may have ended by now, but its status is kept.
    wait "$analysis"
    status=$?
fi
case $status in
    # 3: games with errors were left out; the log names them.
    0 | 3) exit 0 ;;
    # Interrupted, or ended by the signal before it began: go on later.
    130 | 143) scontrol requeue "$SLURM_JOB_ID" ;;
    *) exit "$status" ;;
esac
