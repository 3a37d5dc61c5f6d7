#!/bin/bash
# verb_test.sh EMU CONFIG: emu scatter with right and wrong input.
emu=$(realpath "$1") config=$(realpath "$2")
. "$(dirname "$0")/../../lib.bash"
verb=(scatter)
target=$config/seismic-grid-16.toml
grid=(--target "$target" --items 817101 --item-bytes 64 --item-seconds 9.288ms)

# Wrong input.
expect 2 '--target is missing' --items 5 --item-bytes 1 --item-seconds 1
expect 2 '--items is missing' --target "$target" --item-bytes 1 --item-seconds 1
expect 2 'the cost of an item is missing' --target "$target" --items 5 --item-bytes 1
expect 2 'or given twice' "${grid[@]}" --trace t
for items in '' -1 x 1e5 1000000000000001; do
  expect 2 '--items: invalid value: .* (expected a whole number from 0 to' --target "$target" --items "$items" --item-bytes 1 --item-seconds 1
done
for time in -1 x nan inf 5000 '3 parsec'; do
  expect 2 '--item-seconds: invalid value: .* (expected a time from 0 to 3600 s' --target "$target" --items 5 --item-bytes 1 --item-seconds "$time"
done
expect 2 '--item-bytes: ' --target "$target" --items 5 --item-bytes -4 --item-seconds 1
expect 2 '--item-bytes: ' --target "$target" --items 5 --item-bytes much --item-seconds 1
expect 2 '--root: invalid rank: 16 (expected 0 to 15)' "${grid[@]}" --root 16
expect 2 '--root: invalid value: worst (expected a rank, from 0, or best)' "${grid[@]}" --root worst
expect 2 '--data-at: invalid rank: 99' "${grid[@]}" --root best --data-at 99
expect 2 '--order: invalid value: random (expected given or bandwidth)' "${grid[@]}" --order random
expect 2 '--method: invalid value: good (expected exact, heuristic, closed or uniform)' "${grid[@]}" --method good
expect 2 '17 ranks are more than the 16 slots' "${grid[@]}" -n 17
expect 2 'a file name that ends in .png or .svg' "${grid[@]}" --picture picture.gif
expect 2 '--task-items needs --trace' "${grid[@]}" --task-items 2
expect 2 '--json: nowhere/x cannot be written' "${grid[@]}" --json nowhere/x
expect 2 'nowhere' --target "$target" --items 5 --item-bytes 1 --trace nowhere
expect 2 'take longer than 640 hours' --target "$target" --items 1000000000000 --item-bytes 1 --item-seconds 1
expect 2 'the closed form is for linear costs' "${grid[@]}" --method closed
said=(out)
expect 0 'Usage: emu scatter' --help
expect 0 'The last rank finishes after 0 s' --target "$target" --items 0 --item-bytes 64 --item-seconds 1
expect 0 'The last rank finishes after 2 s' --target "$target" -n 1 --items 2 --item-bytes 64 --item-seconds 1
expect 0 'The last rank finishes after 0 s' --target "$target" --items 5 --item-bytes 0 --item-seconds 0
expect 0 'The least makespan in this order is .* misses it by 1' "${grid[@]}" --method uniform
expect 0 'The heuristic guarantees at most' "${grid[@]}" --method heuristic

# The experiment of the paper with all methods: properties of the answers, alone and compared.
for method in exact heuristic uniform; do
  expect 0 '' "${grid[@]}" --order bandwidth --method $method --json $method.json
done
expect 0 '' "${grid[@]}" --order bandwidth --json
cmp -s out exact.json || fail '--json writes something else to standard output'
expect 0 '' "${grid[@]}" --json given.json
expect 0 '' "${grid[@]}" --root best --order bandwidth --json best.json
expect 0 '' "${grid[@]}" --root best --data-at 0 --order bandwidth --json moved.json
expect 0 '' --target "$target" --items 1000000000000 --item-bytes 1 --item-seconds 1us --method heuristic --json many.json
python3 - <<'END2' || fail 'the answers'
import json
def read(name): return json.load(open(name + '.json'))
exact, heuristic, uniform, given = (read(n) for n in ('exact', 'heuristic', 'uniform', 'given'))
for a in (exact, heuristic, uniform, given, read('many')):
    assert sum(a['counts']) == a['items'], a['method']
    assert abs(max(a['finish_seconds']) - a['makespan_seconds']) < 1e-9
    assert a['lower_bound_seconds'] <= a['makespan_seconds']
    at = 0
    for rank in a['order'] if a in (exact, heuristic, uniform) else range(16):  # by rank, where that is the order
        assert a['displacements'][rank] == at, (a['method'], rank)
        at += a['counts'][rank]
assert exact['order'][-1] == 0 and exact['order'][0] == 2, exact['order']  # the root; caseb
assert exact['lower_bound_seconds'] == exact['makespan_seconds'] == uniform['lower_bound_seconds']
assert heuristic['makespan_seconds'] - exact['makespan_seconds'] <= heuristic['guarantee_seconds']
assert uniform['makespan_seconds'] > 1.9 * exact['makespan_seconds']
assert max(exact['finish_seconds']) - min(exact['finish_seconds']) < 0.01 * exact['makespan_seconds']
assert exact['makespan_seconds'] < given['makespan_seconds']
best, moved = read('best'), read('moved')
assert best['makespan_seconds'] <= exact['makespan_seconds'] + 1e-9 and best['moved_seconds'] == 0
assert moved['moved_seconds'] + moved['makespan_seconds'] <= exact['makespan_seconds'] + 1e-9
END2

if command -v gnuplot >/dev/null; then
  expect 0 '' "${grid[@]}" --picture picture.png
  [ "$(head -c 4 picture.png | tail -c 3)" = PNG ] || fail 'no picture'
fi
conclude
