#!/bin/bash
# intervals_test.sh EMU PROGRAM CONFIG: what emu run says of a prediction whose target has intervals, held against runs at
# the ends of these intervals; and emu study, against studies there.
emu=$(realpath "$1") program=$(realpath "$2") config=$(realpath "$3")
. "$(dirname "$0")/../lib.bash"
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
  # From the other values one at a time, and all that make it longer, or shorter.
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

# Where the optimum can lie, to first order; at the ends of the intervals it does move.
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
assert least <= found[1] <= most and least < most, (least, most, found)
assert found[0] < found[2], found
assert study["optimum_interval_seconds"][0] < study["optimum_seconds"] < study["optimum_interval_seconds"][1]
END

conclude
