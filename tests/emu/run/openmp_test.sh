#!/bin/bash
# openmp_test.sh EMU OPENMP CONFIG: threads of OpenMP that wait rest, unless the user's environment says how they wait.
emu=$(realpath "$1") openmp=$(realpath "$2") config=$(realpath "$3")
. "$(dirname "$0")/../../lib.bash"
unset OMP_WAIT_POLICY GOMP_SPINCOUNT KMP_BLOCKTIME KMP_LIBRARY
export OMP_DISPLAY_ENV=verbose  # the library of OpenMP prints its settings

# waits SPINS: expects that threads spin so often before they rest. Ranks are forked by emu, then started by mpirun.
waits() {
  for start in '' '--mpirun -prepend-rank'; do
    expect 0 predicted run --target "$config/fast-ethernet-64.toml" -n 2 $start "$openmp"
    grep -q "GOMP_SPINCOUNT = '$1'" err out || fail "not $1 spins, with '$start': $(grep -h 'SPINCOUNT\|POLICY' err out)"
  done
}
waits 0
OMP_WAIT_POLICY=active waits '[0-9]*00000'
GOMP_SPINCOUNT=7 waits 7
conclude
