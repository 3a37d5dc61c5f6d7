#!/usr/bin/env bash
# queries_test.sh EMU QUERIES: several threads may query MPI's internal state concurrently.
# shellcheck source=tests/start.bash
. "$(dirname "$0")/../../start.bash"
emu=$1 queries=$2
small_target 4 declared 50us 0us 1us 2us '' >"$dir/target.toml"
timeout 100 "$emu" run -n 4 --target "$dir/target.toml" ${IN_FRONT:-} "$queries" >"$dir/out" 2>"$dir/err" || { cat "$dir/err"; exit 1; }
printf 'right\n%.0s' 1 2 3 4 | diff - "$dir/out"
echo ok
