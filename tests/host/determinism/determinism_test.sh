#!/bin/bash
# determinism_test.sh EMU PROGRAM SUMS TARGET MPIRUN: equal picoseconds and an equal order of messages on any host.
# PROGRAM is dynamic.cc with libemu; SUMS checks a record.
emu=$(realpath "$1") program=$(realpath "$2") sums=$(realpath "$3") target=$(realpath "$4")
folder=$(mktemp -d) || exit 1
hogs=()
end_hogs() {
  [ ${#hogs[@]} = 0 ] || kill "${hogs[@]}" 2>/dev/null
  wait "${hogs[@]}" 2>/dev/null
  hogs=()
}
trap 'end_hogs; rm -rf "$folder"' EXIT
cd "$folder" || exit 1
unset EMU_LOG EMU_TARGET EMU_JITTER MPIR_CVAR_NUM_CLIQUES
ranks=6
tasks=60
failures=0
runs=0

# same WHAT COMMAND...: runs the program under `COMMAND emu run` and compares with the first run.
same() {
  local what=$1
  shift
  if ! timeout 60 "$@" "$emu" run -n $ranks --target "$target" --json result.json "$program" $tasks >digest 2>err; then
    echo "FAIL: $what: the run fails"
    cat err
    failures=$((failures + 1))
    return
  fi
  # All virtual values: everything but the time on this host.
  grep -v host_seconds result.json | cat - digest >virtual
  [ $runs -gt 0 ] || cp virtual first
  runs=$((runs + 1))
  diff first virtual >difference && return
  echo "FAIL: $what: differs from the first run:"
  head -20 difference
  failures=$((failures + 1))
}

# The cores that this process may use.
cores=$(taskset -cp $$ | sed 's/.*: //')
one=${cores%%[,-]*}

for round in 1 2 3; do
  same "round $round" env
  same "round $round, one core" taskset -c "$one"
  same "round $round, real delays" env EMU_JITTER=200
  for cliques in 2 4; do same "round $round, $cliques cliques" env MPIR_CVAR_NUM_CLIQUES=$cliques; done
  for _ in 1 2; do
    (while :; do :; done) &
    hogs+=($!)
  done
  same "round $round, two processes that take all they get" env
  same "round $round, the same on one core" taskset -c "$one"
  end_hogs
done

EMU_TARGET=$target EMU_RECORD=record timeout 60 "$5" -n $ranks "$program" $tasks >digest && "$sums" record ||
  { echo 'FAIL: the intervals do not add up'; failures=$((failures + 1)); }

# The comparison must be able to fail: another program must give another record.
tasks=$((tasks + 1))
timeout 60 "$emu" run -n $ranks --target "$target" --json result.json "$program" $tasks >digest 2>err
grep -v host_seconds result.json | cat - digest >virtual
diff -q first virtual >/dev/null && { echo 'FAIL: another program gives the same record'; failures=$((failures + 1)); }

[ $failures = 0 ] || { echo "$failures of $runs runs failed"; exit 1; }
echo "$runs runs agree"
