#!/bin/sh
# Counts of every instruction of the kernels on a GPU of compute capability 9.0, with Nsight Compute (docs/guide/gpu.md,
# "Instruction costs"). SCENES holds views.toml, sibenik/sibenik.ply.gz and conference/conference.ply.gz.
#
#   bench/instruction_counts.sh SCENES FOLDER [VARIANT ...]
#   cargo xtask kernels --verify FOLDER && cargo xtask kernels
#
# INSTRUCTION_COUNTS names the example where it is built elsewhere.
set -eu
scenes=$1 folder=$2
shift 2
if [ -z "${INSTRUCTION_COUNTS:-}" ]; then
    cargo build --release --package raywarp-bench --example instruction_counts
    INSTRUCTION_COUNTS=$(cargo metadata --format-version 1 --no-deps |
        sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/release/examples/instruction_counts
fi
mkdir -p "$folder"
if [ $# -eq 0 ]; then
    # One variant a line; none has a space.
    set -- $("$INSTRUCTION_COUNTS" --list)
fi
part=0
while [ $# -gt 0 ]; do
    # Reports of a few variants at a time are turned into text while the next ones are counted.
    some=""
    for _ in 1 2 3 4 5 6; do
        [ $# -eq 0 ] || { some="$some $1"; shift; }
    done
    report=$folder/report.$part
    # shellcheck disable=SC2086
    ncu --clock-control none --metrics inst_executed -f -o "$report" \
        "$INSTRUCTION_COUNTS" "$scenes" "$folder/events.$part.csv" $some >"$folder/log.$part" 2>&1
    { ncu --import "$report.ncu-rep" --page source --csv >"$folder/counts.$part.csv" && rm "$report.ncu-rep"; } &
    part=$((part + 1))
done
wait
