#!/usr/bin/env bash
# raytrace: the same answer however the rays are dealt, native and emulated; parts and times as emu scatter says.
# Usage: raytrace_test.sh MPIRUN EMU RAYTRACE
set -euo pipefail
mpirun=$1
emu=$2
raytrace=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() { echo "FAILED: $*"; exit 1; }

# Four speeds and three links; what is not a part of the plan, such as the barrier before, takes next to nothing.
cat >"$dir/four.toml" <<'END2'
name = "four"
compute = "declared"
[network]
latency = "1ns"
gap_per_byte = "0us"
eager_limit = "unlimited"
[network.send]
fixed = "0us"
per_process = "0us"
per_byte = "1us"
[network.receive]
fixed = "0us"
per_process = "0us"
per_byte = "0us"
[[node]]
name = "root"
count = 1
[[node]]
name = "fast"
count = 1
speed = 3.0
[[node]]
name = "far"
count = 1
speed = 4.0
[[node]]
name = "slow"
count = 1
speed = 0.5
[[link]]
from = "root"
to = "far"
latency = "5us"
[link.send]
per_byte = "4us"
[[link]]
from = "fast"
to = "far"
[link.send]
per_byte = "2us"
END2
sed 's/^compute.*/&\n[collectives]\nscatter = "uniform"/' "$dir/four.toml" >"$dir/uniform.toml"
sed 's/"unlimited"/"64B"/' "$dir/four.toml" >"$dir/handshake.toml"

rays=(--rays 2000 --shells 30 --ray-seconds 1ms)
"$mpirun" -n 1 "$raytrace" "${rays[@]}" >"$dir/one" 2>"$dir/err"
grep -q '^2000 rays, travel time' "$dir/one" || fail "$(cat "$dir/one")"
# Natively nothing is known of the machine: equal parts.
for kind in uniform balanced dynamic; do
  "$mpirun" -n 3 "$raytrace" "${rays[@]}" --distribution $kind >"$dir/out" 2>"$dir/err"
  cmp "$dir/one" "$dir/out" || fail "$kind: another answer"
  [ $kind = dynamic ] || grep -q 'rank 0: 667 rays' "$dir/err" || fail "$kind: $(cat "$dir/err")"
done

# emulate TARGET OPTIONS...: the ranks' lines go to $dir/done, "rays seconds".
emulate() {
  local target=$1
  shift
  "$emu" run -n 4 --target "$dir/$target.toml" "$raytrace" "${rays[@]}" "$@" >"$dir/out" 2>"$dir/err" || fail "$(cat "$dir/err")"
  cmp "$dir/one" "$dir/out" || fail "another answer when emulated: $*"
  sed -nE 's/^raytrace: rank [0-9]+: ([0-9]+) rays, done after ([0-9.]+) s/\1 \2/p' "$dir/err" >"$dir/done"
}
# as_planned WITHIN EMU_SCATTER_OPTIONS...: the ranks had the parts of the plan, and were done when it says.
as_planned() {
  local within=$1
  shift
  "$emu" scatter --items 2000 --item-bytes 64 --item-seconds 1ms --json "$@" >"$dir/plan" || fail "emu scatter $*"
  python3 - "$dir/plan" "$dir/done" "$within" <<'END2' || fail "not as planned: $*"
import json, sys
plan = json.load(open(sys.argv[1]))
done = [line.split() for line in open(sys.argv[2])]
assert len(done) == 4, done
for rank, (rays, seconds) in enumerate(done):
    assert int(rays) == plan['counts'][rank], (rank, rays, plan['counts'])
    assert abs(float(seconds) - plan['finish_seconds'][rank]) <= float(sys.argv[3]), (rank, seconds, plan['finish_seconds'])
END2
}
# To a microsecond, as far as it is printed; ranks leave the barrier within 20 us.
for root in 0 1; do
  emulate four --distribution balanced --root $root
  as_planned 2e-5 --target "$dir/four.toml" --root $root
  emulate four --distribution balanced --order descending --root $root
  as_planned 2e-5 --target "$dir/four.toml" --root $root --order bandwidth
  emulate four --distribution uniform --root $root
  as_planned 2e-5 --target "$dir/four.toml" --root $root --method uniform
done
emulate uniform --distribution balanced
as_planned 2e-5 --target "$dir/four.toml" --method uniform
emulate handshake --distribution balanced
# The root sends in the order of the answers, which is not in the plan: parts as planned, and the end to 2 %.
as_planned 1 --target "$dir/handshake.toml"
awk -v end="$(sed -nE 's/.*"makespan_seconds": ([0-9.]+).*/\1/p' "$dir/plan")" \
  '$2 > last { last = $2 } END { exit !(last < 1.02 * end && last > 0.98 * end) }' "$dir/done" || fail "with handshakes: $(cat "$dir/done")"
emulate four --distribution dynamic --chunk 10

# Costs from a recorded run: of equal parts, and of tasks.
"$emu" run -n 4 --target "$dir/four.toml" --trace "$dir/parts" "$raytrace" "${rays[@]}" >"$dir/out" 2>"$dir/err"
"$emu" run -n 4 --target "$dir/four.toml" --trace "$dir/tasks" "$raytrace" "${rays[@]}" --distribution dynamic --chunk 10 \
  >"$dir/out" 2>"$dir/err"
for from in "--trace $dir/parts" "--trace $dir/tasks --task-items 10"; do
  # shellcheck disable=SC2086 # options
  "$emu" scatter --target "$dir/four.toml" --items 2000 --item-bytes 64 $from --json >"$dir/from"
  "$emu" scatter --target "$dir/four.toml" --items 2000 --item-bytes 64 --item-seconds 1ms --json >"$dir/plan"
  python3 - "$dir/plan" "$dir/from" <<'END2' || fail "costs from a run: $from"
import json, sys
plan, other = (json.load(open(f)) for f in sys.argv[1:])
for a, b in zip(plan['item_seconds'], other['item_seconds']):
    assert abs(a - b) < 1e-9, (plan['item_seconds'], other['item_seconds'])
END2
done

# refused TEXT COMMAND...: exit code 2, and TEXT.
refused() {
  local text=$1 code=0
  shift
  "$@" >"$dir/out" 2>"$dir/err" || code=$?
  [ "$code" = 2 ] || fail "exit code $code, not 2: $*"
  grep -qe "$text" "$dir/err" || fail "no '$text': $(cat "$dir/err")"
}
refused "--distribution 'fair': expected uniform, balanced" "$mpirun" -n 2 "$raytrace" --distribution fair
refused "--root '2'" "$mpirun" -n 2 "$raytrace" --root 2
refused "--rays '-1'" "$mpirun" -n 2 "$raytrace" --rays -1
refused "--order is not for --distribution dynamic" "$mpirun" -n 2 "$raytrace" --distribution dynamic --order given
sed 's/"uniform"/"fair"/' "$dir/uniform.toml" >"$dir/fair.toml"
refused 'fair.toml:[0-9]*: collectives.scatter' "$emu" run -n 4 --target "$dir/fair.toml" "$raytrace"
echo ok
