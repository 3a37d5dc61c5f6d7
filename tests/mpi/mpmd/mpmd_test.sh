#!/usr/bin/env bash
# mpmd_test.sh WHOLE PLAIN: jobs of two programs, only one of which shows its features by its symbols, take exactly as
# long as jobs of one program, for any start of their ranks and any division into nodes.
# shellcheck source=tests/start.bash
. "$(dirname "$0")/../../start.bash"
whole=$1 plain=$2
mpirun=$(command -v mpirun.mpich || command -v mpirun)
small_target 8 declared 50us 0us 100us 1us >"$dir/target.toml"
export EMU_TARGET=$dir/target.toml

# job NAME WORD...: runs mpirun with these words, and writes the ranks' output in order to the file NAME.
job() {
  local name=$1
  shift
  env "${variables[@]}" timeout 60 "$mpirun" "${options[@]}" "$@" >"$dir/out" 2>"$dir/err" </dev/null ||
    fail "${variables[*]} ${options[*]} $*: exit code $?: $(cat "$dir/err")"
  sort "$dir/out" >"$dir/$name"
}

for variant in 'A=' 'EMU_NODES=2' 'EMU_NODES=ranks EMU_JITTER=50' 'A= -launcher fork -hosts part0:2,part1:1'; do
  variables=() options=()
  for word in $variant; do
    if [[ $word = *=* ]]; then variables+=("$word"); else options+=("$word"); fi
  done

  job one -n 3 "$whole" windows
  job two -n 2 "$whole" windows : -n 1 "$plain" windows
  cmp "$dir/one" "$dir/two" || fail "$variant: windows: $(cat "$dir/two")"
  grep -q '^message 0 is from 1$' "$dir/two" || fail "$variant: the test says nothing about windows: $(cat "$dir/two")"

  for first in 1 2; do
    job one -n 3 "$whole" pointer "$dir/file"
    job two -n $first "$plain" pointer "$dir/file" : -n $((3 - first)) "$whole" pointer "$dir/file"
    cmp "$dir/one" "$dir/two" || fail "$variant: shared pointer: $(cat "$dir/two")"
    [ ! -e "$dir/file" ] || fail "$variant: the file is still there"
  done
  grep -q '^rank 0: 2 behind the others, 16 bytes$' "$dir/two" || fail "$variant: shared pointer: $(cat "$dir/two")"

  job one -n 3 "$whole" cancel
  job two -n 2 "$plain" cancel : -n 1 "$whole" cancel
  cmp "$dir/one" "$dir/two" || fail "$variant: taking back: $(cat "$dir/two")"
  grep -q '^taken back: 1$' "$dir/two" || fail "$variant: taking back: $(cat "$dir/two")"

  # The program of each rank, also with a file for mpirun.
  job two -n 1 "$plain" which x : -n 2 "$whole" which y
  printf '%s\n' "-n 1 $plain which x" "-n 2 $whole which y" >"$dir/programs"
  job three -configfile "$dir/programs"
  for by in two three; do
    cmp <(sed '/done/d' "$dir/$by") - <<'TEXT' || fail "$variant: $by: $(cat "$dir/$by")"
rank 0 of 3 is of program 0, with x
rank 1 of 3 is of program 1, with y
rank 2 of 3 is of program 1, with y
TEXT
  done
done
echo ok
