#!/bin/bash
# large_test.sh EMU PROGRAM TARGET: 256 ranks run to their end, on a target of 256 nodes made from TARGET.
# PROGRAM is dynamic.cc with libemu. Most of the time here is the start of the processes.
# RANKS in the environment: another number of them, a power of two up to 256.
emu=$(realpath "$1") program=$(realpath "$2") target=$(realpath "$3")
self=$(realpath "$0")
ranks=${RANKS:-256} tasks=300
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
unset EMU_LOG EMU_TARGET EMU_JITTER

sed 's/^count = .*/count = 256/' "$target" >target.toml
"$emu" run -n $ranks --target target.toml --json result.json "$program" $tasks >digest || exit 1

failures=0
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }
[ -s digest ] || fail 'no answer'
[ "$(grep -c finish_picoseconds result.json)" = $ranks ] || fail 'not all ranks are in the record'
# In each of four rounds: tasks and results, an end for every slave, and messages between all ranks; plus the
# collectives.
least=$((4 * (2 * tasks + ranks - 1 + ranks * ranks)))
messages=$(sed -n 's/^ *"messages": \([0-9]*\),$/\1/p' result.json)
[ "${messages:-0}" -gt $least ] || fail "$messages messages, expected more than $least"
# Times: sums that hold for any run, and the costs of messages, which do not depend on their order.
source_folder=$(dirname "$self")
python3 "$source_folder/../../apps/check_measured.py" result.json || fail 'sums of times'
python3 "$source_folder/check_times.py" result.json target.toml $tasks || fail 'what messages cost'
exit $failures
