#!/bin/bash
# intervals_test.sh EMU PROGRAM KINKED CONFIG: compares emu run's prediction for a target
# with intervals with runs at the ends of these intervals; and emu study with studies there.
emu=$(realpath "$1") program=$(realpath "$2") kinked=$(realpath "$3") config=$(realpath "$4")
. "$(dirname "$0")/../../lib.bash"
export XDG_CACHE_HOME=$folder/cache
ln -s "$program" program

# target FILE LATENCY GAP_PER_BYTE SEND RECEIVE POLL SPEED
target() {
  sed -E "s/^latency = .*/latency = \"$2\"/; s/^gap_per_byte = .*/gap_per_byte = \"$3\"/; s/^speed = .*/speed = $7/
    /^.network.send/,/^.network.receive/s/^fixed = .*/fixed = \"$4\"/; /^.network.receive/,/^.network.poll/s/^fixed = .*/fixed = \"$5\"/
    /^.network.poll/,/^..node/s/^fixed = .*/fixed = \"$6\"/" "$config/fast-ethernet-64.toml" >"$1"
}
run() { expect 0 "$2" run -n 4 --target "$1" --json "${1%.toml}.json" ./program 12 500; }

target known.toml '50us +- 0.5us' '0.0268us +- 1%' '12.1us +- 0.1us' '12.1us ± 0.2us' '1us +- 0.5us' '"1.0 +- 0.001"'
target exact.toml 50us 0.0268us 12.1us 12.1us 1us 1.0
run exact.toml 'predicted 2.73923 ms on 4 ranks'
run known.toml 'predicted 2.73923 ms +- [0-9.]* us on 4 ranks of'
for end in low high; do
  # Changes the values one at a time, and all that make the run longer, or shorter.
  case $end in
    low) values=(49.5us 0.026532us 12us 11.9us 0.5us 1.001) ;;
    high) values=(50.5us 0.027068us 12.2us 12.3us 1.5us 0.999) ;;
  esac
  target all-$end.toml "${values[@]}" && run all-$end.toml predicted
  for i in 0 1 2 3 5; do
    one=(50us 0.0268us 12.1us 12.1us 1us 1.0)
    one[$i]=${values[$i]}
    target "$i-$end.toml" "${one[@]}" && run "$i-$end.toml" predicted
  done
done
python3 - <<'END' || fail 'the interval is not that of runs at its ends'
import json, math
def load(name): return json.load(open(name + ".json"))
known, exact = load("known"), load("exact")
time = lambda name: load(name)["predicted_seconds"]
base, parts = time("known"), known["interval_parts_seconds"]
assert base == exact["predicted_seconds"] and not any("interval" in key or "worst" in key for key in exact)
keys = {0: "network.latency", 1: "network.gap_per_byte", 2: "network.send.fixed", 3: "network.receive.fixed", 5: "node.speed"}
assert set(parts) == set(keys.values()), parts  # it never polls
near = lambda a, b: abs(a - b) < 2e-3 * abs(b) + 1e-11
squares = 0
for i, key in keys.items():
    low, high = base - time(f"{i}-low"), time(f"{i}-high") - base
    assert near(low, abs(parts[key])) and near(high, abs(parts[key])), (key, low, high, parts[key])
    squares += high ** 2
half = (known["predicted_interval_seconds"][1] - known["predicted_interval_seconds"][0]) / 2
assert near(half, math.sqrt(squares)), (half, squares)
for end, corner in zip(("low", "high"), known["predicted_worst_seconds"]):
    assert near(time("all-" + end) - base, corner - base), (end, time("all-" + end), corner)
END

# Possible places of the optimum, which moves at the ends of the intervals.
target study.toml '50us +- 45us' '0.0268us' '12.1us +- 4us' '12.1us +- 4us' '1us' '1.0'
study() {
  expect 0 '' study --target "$1" --ranks 4..12 --json "${1%.toml}.json" ./program 100 100
  grep -q "$2" out || fail "emu study --target $1: out lacks: $2"
}
study study.toml "the target's values as well as known: .* (95 %); the optimum can lie from [0-9]* to [0-9]* ranks"
target near.toml 5us 0.0268us 16.1us 16.1us 1us 1.0 && study near.toml Optimum
target far.toml 95us 0.0268us 8.1us 8.1us 1us 1.0 && study far.toml Optimum
python3 - <<'END' || fail 'the optimum lies elsewhere than the study says'
import json
study, near, far = (json.load(open(name + ".json")) for name in ("study", "near", "far"))
least, most = study["optimum_interval_ranks"]
found = [near["optimum_ranks"], study["optimum_ranks"], far["optimum_ranks"]]
assert least <= min(found) and max(found) <= most and least < most, (least, most, found)
assert study["optimum_interval_found_by"] == "runs at the ends", study
assert found[0] < found[2], found
assert study["optimum_interval_seconds"][0] < study["optimum_seconds"] < study["optimum_interval_seconds"][1]
END

# The optimum of kinked is 4 ranks, with 50 us; 5 ranks take 6 us more. Both have nearly as many latencies, so to first
# order 0.5 us more latency changes nothing. But then other ranks finish last: 4 ranks take 60 us, and 5 ranks 58 us.
ln -s "$kinked" kinked
{
  printf 'name = "kinked"\ncompute = "declared"\n[network]\nlatency = "1us +- 0.5us"\ngap_per_byte = "0us"\neager_limit = "64KiB"\n'
  for side in send receive; do printf '[network.%s]\nfixed = "0us"\nper_process = "0us"\nper_byte = "0us"\n' $side; done
  printf '[[node]]\ncount = 6\n'
} >kinked.toml
sed 's/1us +- 0.5us/1.5us/' kinked.toml >later.toml
expect 0 '' study --target later.toml --ranks 4..6 ./kinked
grep -q 'Optimum: 5 ranks, 58 us' out || fail 'kinked with a longer latency'
expect 0 '' study --target kinked.toml --ranks 4..6 --first-order --json first.json ./kinked
grep -q 'Optimum: 4 ranks, 50 us' out || fail 'kinked'
! grep -q 'can lie' out || fail 'kinked to first order'
expect 0 'more ranks?. 4 ranks: 60 us' study --target kinked.toml --ranks 4..6 --json kinked.json ./kinked
grep -q 'the optimum can lie from 4 to 5 ranks (checked by 3 runs at the ends of .*; to first order from 4 to 4)' out ||
  fail 'kinked, checked'
grep -c '^emu: \[' err | grep -qx 6 || fail 'twice as many runs'
python3 - <<'END' || fail 'JSON of where the optimum can lie'
import json
first, checked = (json.load(open(name + ".json")) for name in ("first", "kinked"))
assert first["optimum_interval_found_by"] == "first order" and first["optimum_interval_ranks"] == [4, 4], first
assert "optimum_at_the_ends" not in first
assert checked["optimum_interval_ranks"] == [4, 5] and checked["optimum_first_order_ranks"] == [4, 4], checked
(corner,) = checked["optimum_at_the_ends"]
assert corner["towards"] == "more ranks" and corner["optimum_ranks"] == 5, corner
assert corner["moved_by"] == {"network.latency": 5e-7}, corner
assert [point["ranks"] for point in corner["points"]] == [4, 5, 6], corner
assert [round(point["predicted_seconds"] * 1e6, 6) for point in corner["points"]] == [60, 58, 94.5], corner
END

conclude
