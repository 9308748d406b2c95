#!/bin/sh
# The shares of a picture: which samples and what file each is; rendered whole or not at all; merged (docs/guide/cluster.md).
#   shares.sh render  FOLDER SAMPLES SHARES INDEX SCENE [OPTIONS of raywarp render]   a share, unless it is there
#   shares.sh missing FOLDER SAMPLES SHARES                                           indices of those that are not: 3,7
#   shares.sh merge   FOLDER SAMPLES SHARES -o FILE [OPTIONS of raywarp merge]        all of them to a picture
# Indices count from 0. RAYWARP names the program where it is not `raywarp` on PATH. Statuses are raywarp's.
set -eu
raywarp=${RAYWARP:-raywarp}

wrong() {
    echo "shares.sh: $*" >&2
    exit 2
}

# Sets first, end and share: samples and file of share $1.
place() {
    first=$((samples * $1 / shares))
    end=$((samples * ($1 + 1) / shares))
    share=$folder/$(printf '%06d-%06d.exr' "$first" "$end")
}

[ $# -ge 4 ] || wrong "too few arguments; its first lines say which"
verb=$1 folder=$2 samples=$3 shares=$4
shift 4
for number in "$samples" "$shares"; do
    case $number in '' | 0* | *[!0-9]*) wrong "SAMPLES and SHARES are whole numbers from 1 on, not '$number'" ;; esac
done
[ "$shares" -le "$samples" ] || wrong "$samples samples cannot be split into $shares shares"

case $verb in
render)
    [ $# -ge 2 ] || wrong "render needs INDEX and SCENE"
    index=$1
    shift
    case $index in *[!0-9]* | '') wrong "INDEX is a whole number, not '$index'" ;; esac
    [ "$index" -lt "$shares" ] || wrong "share $index of $shares: the last is $((shares - 1))"
    place "$index"
    [ ! -e "$share" ] || exit 0
    mkdir -p "$folder"
    # An interrupted render writes the samples that it has, which are fewer: such a file never gets a share's name.
    # Two pods of one index may run at once, and have one host name and process id.
    part=$folder/.part-$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n').exr
    status=0
    "$raywarp" render "$@" --samples "$first..$end" -o "$part" >/dev/null || status=$?
    if [ $status != 0 ]; then
        rm -f "$part"
        exit $status
    fi
    mv "$part" "$share"
    echo "wrote $share"
    ;;
missing)
    list= index=0
    while [ $index -lt "$shares" ]; do
        place $index
        [ -e "$share" ] || list=$list,$index
        index=$((index + 1))
    done
    echo "${list#,}"
    ;;
merge)
    # All by name: one that is not there is an error, where raywarp would only note a gap.
    index=$shares
    while [ "$index" -gt 0 ]; do
        index=$((index - 1))
        place $index
        set -- "$share" "$@"
    done
    exec "$raywarp" merge "$@"
    ;;
*) wrong "there is no '$verb': render, missing, merge" ;;
esac
