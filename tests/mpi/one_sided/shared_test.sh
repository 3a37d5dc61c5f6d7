#!/usr/bin/env bash
# shared_test.sh EMU SHARED: a call that gets a lock of shared memory returns with the lock, because loads and stores
# follow.
# shellcheck source=tests/start.bash
. "$(dirname "$0")/../../start.bash"
emu=$1 shared=$2

small_target 1 declared 50us 10ns 3us 2us 'slots = 8' >"$dir/target.toml"

says() { # EXPECTED RANKS WORDS...
  local expected=$1 ranks=$2 jitter
  shift 2
  for jitter in '' 60; do
    if [ -n "$jitter" ]; then export EMU_JITTER=$jitter; else unset EMU_JITTER; fi
    timeout 100 "$emu" run -n "$ranks" --target "$dir/target.toml" "$shared" "$@" >"$dir/out" 2>"$dir/err" || fail "$*: $(cat "$dir/err")"
    [ "$(cat "$dir/out")" = "$expected" ] || fail "$*, $ranks ranks, jitter '$jitter': $(cat "$dir/out"), not $expected"
  done
}

says 320 8 lock 40
! grep -q '^emu: warning' "$dir/err" || fail "a warning: $(cat "$dir/err")"
says 80 2 lock 40
says 0 5 pair 30
echo ok
