#!/bin/bash
# verb_test.sh EMU CONFIG: emu farm with good and bad input.
emu=$(realpath "$1") config=$(realpath "$2")
. "$(dirname "$0")/../../lib.bash"
verb=(farm)
fast=(--target "$config/fast-ethernet-64.toml")
farm=("${fast[@]}" --tasks 500 --task-seconds 0.8ms)

# Bad input.
expect 2 '--target is missing' --tasks 5 --task-seconds 1
expect 2 'the tasks are missing, or given twice' "${fast[@]}"
expect 2 'the tasks are missing, or given twice' "${farm[@]}" --csv costs
expect 2 '--tasks is missing' "${fast[@]}" --task-seconds 1
expect 2 '--task-seconds is missing' "${fast[@]}" --tasks 1
for tasks in '' 0 -1 x 1e5 100000001; do
  expect 2 '--tasks: invalid number: .* (expected 1 to 100000000)' "${fast[@]}" --tasks "$tasks" --task-seconds 1
done
for time in '' -1 x nan 3601 '3 parsec' uniform:2..1 uniform:1 normal:1 normal:1,x exponential: even:1; do
  expect 2 '--task-seconds: invalid value: .* (expected ' "${fast[@]}" --tasks 5 --task-seconds "$time"
done
for ranks in '' 0 2..x 64..2; do expect 2 '--ranks' "${farm[@]}" --ranks "$ranks"; done
expect 2 '65 ranks are more than the 64 slots' "${farm[@]}" --ranks 2..65
for chunk in '' 0 1,x 1,; do expect 2 '--chunk: invalid number: .* (expected 1 to' "${farm[@]}" --chunk "$chunk"; done
sed '/^eager_limit/i send_returns = "sent"' "$config/fast-ethernet-64.toml" >whole.toml
expect 2 'whole.toml: send_returns: "sent" (expected "copied"' --target whole.toml --tasks 5 --task-seconds 1
expect 2 '--rule fsc needs --overhead and --deviation' "${farm[@]}" --rule fsc --overhead 1ms
expect 2 '--overhead: is an option of --rule fsc' "${farm[@]}" --overhead 1ms
expect 2 '--rule: invalid value: best (expected static, self, guided,.* or advised)' "${farm[@]}" --rule self,best
expect 2 '--rule weighted: needs the slaves. times' "${farm[@]}" --rule weighted
expect 2 '--protocol: invalid value: ask (expected deal or request)' "${farm[@]}" --protocol ask
expect 2 '--prefetch 2: expected 1 with --protocol request' "${farm[@]}" --protocol request --prefetch 2
expect 2 '--masters 2: expected 1 with --protocol request' "${farm[@]}" --protocol request --masters 2
expect 2 '--masters 3: expected at most the number of ranks, 2' "${farm[@]}" --masters 3
expect 2 '--dealing: is an option of --masters 2 and more' "${farm[@]}" --dealing block
expect 2 '--probe: is an option of --rule weighted' "${farm[@]}" --probe 1ms
expect 2 '--probe: invalid value: 0 (expected a time above 0)' "${farm[@]}" --protocol request --rule weighted --probe 0
expect 2 '--prefetch 2: tasks of .* are longer than network.eager_limit' "${farm[@]}" --prefetch 2 --input-bytes 1MiB
for size in -1 x 2GiB 1.5; do expect 2 '--result-bytes: invalid value' "${farm[@]}" --result-bytes "$size"; done
expect 2 '--master-seconds: invalid value: soon (expected a time' "${farm[@]}" --master-seconds soon
expect 2 '--seed: invalid value: -1' "${farm[@]}" --seed -1
expect 2 '--column: is an option of --csv' "${farm[@]}" --column 2
expect 2 '--csv: nowhere cannot be read' "${fast[@]}" --csv nowhere
expect 2 '--csv: \. is a directory' "${fast[@]}" --csv .
printf 'cost\n1ms\nlong\n' >costs.csv
expect 2 '--csv: costs.csv: line 3: invalid time of a task: long (expected' "${fast[@]}" --csv costs.csv
expect 2 '--column: no column "2" in costs.csv (expected 1 to 1, or one of: cost)' "${fast[@]}" --csv costs.csv --column 2
for table in 'cost;x\r\n0.001;3\r\n0.002;4' '\xef\xbb\xbfcost\tx\n0.001\t3\n0.002\t4\n' '"x","cost"\n3,"0.001"\n4," 0.002"\n'; do
  printf "$table" >table
  expect 0 '' "${fast[@]}" --csv table --column cost --ranks 2
  grep -q '^2 tasks of 1.5 ms on average' out || fail "costs in $table"
done
printf 'cost;x\n0,001;3\n0,002;4\n' >table
expect 2 'table: line 2: invalid time of a task: 0,001' "${fast[@]}" --csv table --column cost
iconv -f UTF-8 -t UTF-16 costs.csv >table
expect 2 '--csv: table is not a text file (expected UTF-8)' "${fast[@]}" --csv table
for option in --csv --trace --json; do expect 2 "$option: the file name is empty" "${fast[@]}" $option ''; done
expect 2 '--column: the name is empty (expected the title of a column' "${fast[@]}" --csv costs.csv --column ''
for picture in --picture --heat-map; do expect 2 "$picture: invalid value: - (expected a file name that ends in .png or .svg)" "${farm[@]}" $picture -; done
expect 2 'nowhere' "${fast[@]}" --trace nowhere
expect 2 '--json: /nowhere/x cannot be written' "${farm[@]}" --json /nowhere/x
expect 2 '--heat-map: /nowhere/x.png cannot be written' "${farm[@]}" --heat-map /nowhere/x.png
expect 2 'unexpected word "./program"' "${farm[@]}" ./program
expect 2 "unrecognised option '--walk'" "${farm[@]}" --walk
cp "$config/fast-ethernet-64.toml" fails.toml
printf '[[event]]\nnode = 9\nkind = "fail"\nat = "1s"\n' >>fails.toml
expect 2 'fails.toml: \[\[event\]\] of kind "fail": node 9 fails at 1 s (expected a target whose nodes do not fail' \
  --target fails.toml --tasks 5 --task-seconds 1
cp "$config/fast-ethernet-64.toml" still.toml
printf '[[event]]\nnode = 3\nat = "1ms"\nspeed = 0\n' >>still.toml
sed 's/^count = 64/count = 1999/' "$config/fast-ethernet-64.toml" >large.toml
expect 2 '--ranks: 5996997 ranks in all numbers of ranks together (expected at most 5000000' --target large.toml --tasks 5 --task-seconds 1 --chunk 1,2,3
said=(out)
expect 0 'Optimum: 1624 ranks' --target large.toml --tasks 2000 --task-seconds 1 --search
expect 0 'Usage: emu farm' --help
expect 0 'Optimum: 9 ranks' --target fails.toml --tasks 500 --task-seconds 0.8ms --ranks 2..9
expect 1 'With 5 ranks it failed: rank 3: the work that it begins at .* stays 0' --target still.toml --tasks 500 \
  --task-seconds 0.8ms --ranks 3,5

expect 1 '100000000 tasks of 1 s on average on the reference CPU, 27778 h in all' "${fast[@]}" --tasks 100000000 --task-seconds 1s \
  --ranks 2 --chunk 100000000

# The output is equal in every call, and equal with a search.
expect 0 'Best: chunks of 4 tasks' "${farm[@]}" --ranks 2..64 --chunk 1,4 --json all.json
grep -q 'The master is saturated from [0-9]* ranks on' out || fail 'no saturation'
expect 0 'Best: chunks of 4 tasks' "${farm[@]}" --ranks 2..64 --chunk 1,4 --json again.json
cmp all.json again.json || fail 'another answer the second time'
expect 0 'Best: chunks of 4 tasks' "${farm[@]}" --ranks 2..64 --chunk 1,4 --search --json search.json
expect 0 '' "${farm[@]}" --ranks 2..64 --chunk 1,4 --json -
cmp out all.json || fail '--json - writes something else to standard output'
expect 0 'Optimum: ' "${farm[@]}" --ranks 2..16 --rule self,guided,factoring --json rules.json --picture curves.png --heat-map heat.png
for picture in curves heat; do [ "$(head -c 4 $picture.png | tail -c 3)" = PNG ] || fail "no picture $picture.png"; done
expect 0 'Optimum: ' "${farm[@]}" --ranks 8 --heat-map one.svg
grep -q '<svg' one.svg || fail 'no heat map of one farm'
! grep -qi warning err || fail 'gnuplot warns'
expect 0 'Optimum: ' "${farm[@]}" --ranks 8 --protocol request --rule weighted,adaptive
expect 0 'Optimum: ' "${farm[@]}" --ranks 16 --masters 1,2 --prefetch 1,2
expect 0 '500 tasks of .* on average' "${fast[@]}" --tasks 500 --task-seconds exponential:1ms --seed 3 --ranks 8
python3 - <<'PYTHON' || fail 'the answers'
import json
def read(name): return json.load(open(name + '.json'))
full, search, rules = read('all'), read('search'), read('rules')
points = {(p['ranks'], p['chunk'], p['rule']): p for p in full['points']}
assert len(points) == len(full['points']) == 2 * 63
least = min(full['points'], key=lambda p: p['predicted_picoseconds'])
assert full['optimum_ranks'] == least['ranks'] and full['optimum_chunk'] == least['chunk'] == 4
assert full['optimum_seconds'] == least['predicted_seconds'] and full['optimum_rule'] == 'self'
assert abs(least['predicted_seconds'] - least['predicted_picoseconds'] * 1e-12) < 1e-12
assert "master's" in full['bottleneck'], full['bottleneck']
assert full['flat_region'][0] <= full['optimum_ranks'] <= full['flat_region'][1]
for p in search['points']:
    q = points[p['ranks'], p['chunk'], p['rule']]
    assert p == q, (p, q)
assert search['optimum_ranks'] == full['optimum_ranks'] and len(search['points']) < len(full['points'])
assert all(type(p[key]) is int for p in rules['points'] for key in ('ranks', 'chunk', 'masters', 'prefetch', 'predicted_picoseconds'))
assert {p['rule'] for p in rules['points']} == {'self', 'guided', 'factoring'}
PYTHON
conclude
