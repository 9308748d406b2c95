#!/bin/sh
# A picture by the machines of a Slurm cluster: an array job renders shares, one after it merges them (docs/guide/cluster.md).
#   sh slurm.sh FOLDER SAMPLES SHARES SCENE [OPTIONS of raywarp render]
# FOLDER is one that all machines see; the picture is its picture.exr. The same line again does what is still missing.
# Partition, time and GPUs are asked for by sbatch's own variables: SBATCH_PARTITION, SBATCH_TIMELIMIT, SBATCH_GPUS, ...
#SBATCH --exclusive
#SBATCH --requeue
#SBATCH --open-mode=append
set -eu

if [ "${1:-}" != --task ]; then
    here=$(cd "$(dirname "$0")" && pwd)
    [ $# -ge 4 ] || { echo "slurm.sh: needs FOLDER SAMPLES SHARES SCENE" >&2; exit 2; }
    [ ! -e "$1/picture.exr" ] || { echo "slurm.sh: $1/picture.exr: is there already; move it away" >&2; exit 5; }
    missing=$(sh "$here/shares.sh" missing "$1" "$2" "$3")
    mkdir -p "$1"
    after=
    if [ -n "$missing" ]; then
        # slurmctld keeps a copy of this file alone, so the task is told where the other is.
        array=$(sbatch --parsable --job-name=shares --array="$missing" --output="$1/slurm-%a.log" \
            "$here/slurm.sh" --task "$here/shares.sh" "$@")
        after=--dependency=afterok:${array%%;*}
    fi
    # A merge whose shares have failed for good is cancelled.
    merge=$(sbatch --parsable --job-name=merge --kill-on-invalid-dep=yes $after --output="$1/slurm-merge.log" \
        "$here/shares.sh" merge "$1" "$2" "$3" -o "$1/picture.exr")
    echo "shares to render: ${missing:-none}; job ${merge%%;*} will merge to $1/picture.exr"
    exit
fi

shares_sh=$2 folder=$3 samples=$4 shares=$5
shift 5
status=0
sh "$shares_sh" render "$folder" "$samples" "$shares" "$SLURM_ARRAY_TASK_ID" "$@" || status=$?
# Wrong usage (2) stays wrong, and what was told to stop (130) stops; the rest has three more tries. Slurm itself does
# the shares of lost machines again. A requeued task keeps its number, for which the merge waits.
if [ $status != 0 ] && [ $status != 2 ] && [ $status != 130 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 3 ]; then
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
fi
exit $status
