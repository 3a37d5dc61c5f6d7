#!/usr/bin/env bash
# Every emulated function is called by a program whose results are compared natively and emulated, except the functions
# named here, which other tests cover.
# Usage: called_functions_test.sh FUNCTIONS PROGRAM...      FUNCTIONS: a line for each, with its class
set -euo pipefail
list=$1
shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C
failed=0

# It writes no results: tests/host/robust.
echo MPI_Abort >"$dir/elsewhere"

awk '$2 == "emulated" { print $1 }' "$list" | sort >"$dir/emulated"
# Functions may be called by either of their names.
nm -D --undefined-only "$@" | sed -n 's/^ *U P\?\(MPIX\?_[A-Za-z0-9_]*\)$/\1/p' | sort -u | comm -12 - "$dir/emulated" >"$dir/called"
comm -23 "$dir/emulated" "$dir/called" >"$dir/uncalled"
echo "$(wc -l <"$dir/called") of $(wc -l <"$dir/emulated") emulated functions are called"
sed 's/^/not called: /' "$dir/uncalled"
[ "$(wc -l <"$dir/called")" -ge 350 ] || { echo 'FAILED: fewer than 350'; failed=1; }
comm -23 "$dir/uncalled" "$dir/elsewhere" | sed 's/^/FAILED: no program calls /' >"$dir/missing"
comm -13 "$dir/uncalled" "$dir/elsewhere" | sed 's/^/FAILED: tested elsewhere, but called here as well: /' >>"$dir/missing"
cat "$dir/missing"
[ ! -s "$dir/missing" ] || failed=1
exit $failed
