#!/usr/bin/env bash
# advice_test.sh MPIRUN EMU ADVICE CONFIG: emu_advise natively and emulated, with good and bad arguments.
set -euo pipefail
mpirun=$1 emu=$2 advice=$3 config=$4

fail() {
  echo "FAILED: $*"
  exit 1
}
# is WANTED TEXT
is() { [ "$1" = "$2" ] || fail "'$2', not '$1'"; }

emulated() { "$emu" run -n 4 --target "$1" "$advice" mpi "${@:2}" 2>/dev/null; }
# Natively with and without MPI: 1000 ms for three workers; each asks for a chunk, at most 5 us, 5 us and 20 us a chunk,
# and to end.
native=$("$advice" plain)
is "$native" "$("$mpirun" -n 4 "$advice" mpi)"
seconds=${native##* }
awk -v s="$seconds" 'BEGIN { exit !(s >= 1 / 3 && s < 1 / 3 + 1e-3) }' || fail "natively $seconds s"
# On a target a message costs more: 50 us of latency, 12.8 us of overhead at either side.
slow=$(emulated "$config/fast-ethernet-64.toml")
awk -v s="${slow##* }" -v n="$seconds" 'BEGIN { exit !(s > n && s < n + 5e-3) }' || fail "emulated ${slow##* } s, natively $seconds s"
is "$slow" "$(emulated "$config/fast-ethernet-64.toml")"

is '1: invalid number of workers: 4 (expected at most 3, the ranks of MPI_COMM_WORLD without the master)' \
  "$(emulated "$config/fast-ethernet-64.toml" workers)"
is '1: invalid ranks[2]: 9 (expected 0 to 3)' "$(emulated "$config/fast-ethernet-64.toml" ranks)"
is '1: invalid number of iterations: -1 (expected 0 to 2147483647)
1 invalid' "$("$advice" plain cut)"
echo ok
