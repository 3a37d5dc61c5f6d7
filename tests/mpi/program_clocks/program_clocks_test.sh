#!/usr/bin/env bash
# The program's clocks, and the time that is charged as work.
# Usage: program_clocks_test.sh MPIRUN EMU LIBEMU TARGET FOLDER, with the programs in FOLDER.
set -euo pipefail
mpirun=$1 emu=$2 libemu=$3 target=$4 folder=$5
dir=$(mktemp -d)
hogs=()
trap 'rm -rf "$dir"; for hog in "${hogs[@]}"; do kill "$hog" 2>/dev/null || true; done' EXIT
unset EMU_TARGET EMU_RECORD EMU_STATUS EMU_HOST_CLOCKS
fail() { echo "FAILED: $*"; exit 1; }
good() { timeout 60 "$@" >"$dir/out" 2>&1 </dev/null || { cat "$dir/out"; fail "exit code $? of $*"; }; }

# Clocks show virtual time, or the host's time by an option or by the environment.
for ranks in 1 2; do EMU_TARGET=$target good "$mpirun" -n $ranks "$folder/clocks"; done
good "$emu" run -n 2 --target "$target" "$folder/clocks"
good "$emu" run -n 2 --target "$target" --host-clocks "$folder/clocks" host
EMU_HOST_CLOCKS=1 EMU_TARGET=$target good "$mpirun" -n 1 "$folder/clocks" host
EMU_HOST_CLOCKS=0 EMU_TARGET=$target good "$mpirun" -n 1 "$folder/clocks"
EMU_TARGET=$target good "$mpirun" -n 1 "$folder/clocks_cxx"

# In signal handlers, in threads that never call MPI, and after MPI_Finalize.
for ranks in 1 3; do EMU_TARGET=$target good "$mpirun" -n $ranks "$folder/clocks_outside"; done

# measured NAME HOST_SPEED SPEED PROGRAM WORK DECLARED: the charge per second of work, and at the end, its minimum and
# maximum. A sleep takes its nominal time, at any speed.
measured() {
  sed -e 's/^compute = .*/compute = "measured"/' -e "s/^host_speed = .*/host_speed = $2/" -e "s/^speed = .*/speed = $3/" \
    "$target" >"$dir/measured.toml"
  EMU_TARGET=$dir/measured.toml good "$mpirun" -n 1 "$folder/$4"
  awk -v work="$5" -v least="$6" -v most="$7" -v out="$(cat "$dir/out")" 'BEGIN {
    split(out, x, " ")
    if (x[1] < work * 0.8 || x[1] > work * 1.3) { print "work is charged as " x[1] ", not " work; bad = 1 }
    if (x[2] < 0.3 || x[2] > 0.3 + 0.05 * work) { print "a sleep of 0.3 s takes " x[2]; bad = 1 }
    if (x[3] < least || x[3] > most) { print "the last part takes " x[3] " and not " least " to " most; bad = 1 }
    exit bad }' || fail "$1"
}
measured 'measured' 1.0 1.0 measured 1 0.08 0.5
measured 'a host twice as fast as the reference' 2.0 1.0 measured 2 0.16 1
measured 'a target four times as fast' 1.0 4.0 measured 0.25 0.02 0.125
measured 'declared in place of measured' 1.0 1.0 measured_declares 1 50 50.001
measured 'declared, on a faster target' 1.0 4.0 measured_declares 0.25 12.5 12.501

sed -e 's/^compute = .*/compute = "measured"/' "$target" >"$dir/measured.toml"

# The CPU time of other processes counts when the program waits for them. If two ran at once, the longer one counts, or
# on one core their sum. A sleep of the program between two polls by waitpid counts, too.
children() {
  sed -e 's/^compute = .*/compute = "measured"/' -e 's/^host_speed = .*/host_speed = 2.0/' -e 's/^speed = .*/speed = 4.0/' \
    -e "s/^count = .*/&\n$1/" "$target" >"$dir/children.toml"
  EMU_TARGET=$dir/children.toml good "$mpirun" -n 1 "$folder/children"
  awk -v share="$2" '
    { least = 0.5 * $3; most = 0.5 * ($3 + $4) * 1.1 + 1e-3; ++lines }
    $1 == "both" { least *= share; most = share < 1 ? 0.9 * most : most }
    $1 == "waitpid" { most = 1e9 }
    $2 < least - 1e-6 || $2 > most { print $1 ": charged are " $2 " s for " $3 " s of CPU time, and not " least " to " most; bad = 1 }
    END { exit bad || lines != 10 }' "$dir/out" || fail "processes, $1"
}
children '' 0.5
children 'cores = 1' 1

# Declared work replaces measured work: until then no rank acts as if the working rank had advanced.
for program in replaced replaced_exporting; do
  good "$emu" run -n 3 --target "$dir/measured.toml" "$folder/$program"
  grep -q '^\(02 \)\{19\}02$' "$dir/out" || fail "$program: work that is replaced was counted on: $(cat "$dir/out")"
done

# Known work in pieces between calls: the charge equals the time without calls, also with more ranks than cores, and
# with other processes that use all free time. The meter's own time exceeds the shortest pieces here.
# The loop of empty calls has code of its own: some 20 ns for each poll of 1 us, by the host.
pieces() {
  good "$emu" run -n "$1" --target "$dir/measured.toml" "$folder/pieces"
  awk -v ranks="$1" '
    BEGIN { percent[1] = 10; percent[10] = 3; percent[100] = 1 }
    $1 == "empty" { if ($2 < -1e-9 || $2 > 0.04) { print "a loop of empty calls is work for " $2 " of its time"; bad = 1 }; next }
    { off = 100 * ($2 - 1); if (off < 0) off = -off; ++lines }
    !($1 in percent) || off > percent[$1] { print "pieces of " $1 " us on " ranks " ranks: charged are " $2 " of their time"; bad = 1 }
    END { exit bad || lines != 3 }' <(grep -v '^emu:' "$dir/out") || fail "pieces of work, $1 ranks"
}
pieces 1
pieces 64
for _ in 1 2; do
  while :; do :; done &
  hogs+=($!)
done
pieces 4
kill "${hogs[@]}"
hogs=()

# The same source without libemu, natively with it, and preloaded.
for language in c cxx; do
  good "$mpirun" -n 1 "$folder/plain_$language"
  grep -qx 'active 0, time passed 0' "$dir/out" || fail "without libemu: $(cat "$dir/out")"
  EMU_TARGET=$target good "$mpirun" -n 1 -genv LD_PRELOAD "$libemu" "$folder/plain_$language"
  grep -qx 'active 1, time passed 1' "$dir/out" || fail "emulated: $(cat "$dir/out")"
  good "$mpirun" -n 1 -genv LD_PRELOAD "$libemu" "$folder/plain_$language"
  grep -qx 'active 0, time passed 0' "$dir/out" || fail "with libemu, without target: $(cat "$dir/out")"
done
echo ok
