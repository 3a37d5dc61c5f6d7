#!/usr/bin/env bash
# counter_test.sh EMU COUNTER CHECK: each of 63 ranks draws the numbers of the closed form from a shared counter, at the
# instants of the closed form, while the counter's owner computes for a virtual second; on any host.
# shellcheck source=tests/start.bash
. "$(dirname "$0")/../../start.bash"
emu=$1 counter=$2 check=$3

small_target 64 declared 50us 10ns 3us 2us >"$dir/target.toml"

run() { # NAME [VARIABLE=VALUE]...
  local name=$1
  shift
  env "$@" timeout 200 "$emu" run -n 64 --target "$dir/target.toml" "$counter" 1000 >"$dir/$name" 2>"$dir/err" ||
    fail "$name: $(cat "$dir/err")"
}
run plain
"$check" 1000 3000000 50000000 70000 <"$dir/plain" || fail "not the closed form"
run jitter EMU_JITTER=100
run nodes EMU_NODES=3 EMU_JITTER=50
for name in jitter nodes; do
  diff "$dir/plain" "$dir/$name" || fail "$name: other numbers, or other instants"
done
echo ok
