#!/bin/bash
# sweep_test.sh EMU MASE PROGRAM CONFIG GOLDEN: emu study --sweep with right and wrong input.
. "$(dirname "$0")/../../golden.sh"
emu=$(realpath "$1") mase=$(realpath "$2") program=$(realpath "$3") config=$(realpath "$4") golden=$(realpath "$5")
. "$(dirname "$0")/../../lib.bash"
verb=(study) said=(out err)
export XDG_CACHE_HOME=$folder/cache
ln -s "$mase" mase && ln -s "$program" program
fast="--target $config/fast-ethernet-64.toml"

# Wrong input: one clear message, and nothing runs.
for sweep in T =1 T= T=1,,2 T=8..2 T=1..8*1 T=0..8*2 T=1.. T=1..x T=1..8:0 1T=2 P=2 T=1..20000; do
  expect 2 '--sweep' $fast --ranks 2 --sweep "$sweep" ./program 10 '{T}'
  [ "$(grep -c '' err)" = 2 ] || fail "--sweep $sweep: more than one message"
done
expect 2 'empty range of --sweep T: 8..2 (expected a last number of 8 or more)' $fast --ranks 2 --sweep T=8..2 ./program 10 '{T}'
expect 2 'duplicate --sweep T' $fast --ranks 2 --sweep T=1 --sweep T=2 ./program 10 '{T}'
expect 2 '--sweep U: {U} occurs neither' $fast --ranks 2 --sweep T=1 --sweep U=2 ./program 10 '{T}'
expect 2 "invalid name in the program's arguments: {X} (expected {P}, or --sweep X=..., or {{X}}" $fast --ranks 2 ./program 10 '{X}'
expect 2 "invalid name in the program's arguments: {X}" $fast --ranks 2 --sweep T=1 ./program '{T}' '{X}'
expect 2 'invalid expression of --metric: (' $fast --ranks 2 --metric '(' ./program 1 1
expect 2 '--metric: the expression is empty' $fast --ranks 2 --metric '' ./program 1 1
expect 2 '--heat-map: 1 of ranks and swept names have several values (expected 2)' $fast --ranks 2 --sweep T=1,2 --heat-map x.png \
  ./program 10 '{T}'
expect 2 '--heat-map: /nowhere/x.png cannot be written' $fast --ranks 2,3 --sweep T=1,2 --heat-map /nowhere/x.png ./program 10 '{T}'
[ ! -e cache ] || fail 'bad input leaves something in the cache'

# Task sizes and ranks: the output equals the golden file.
mase="./mase --size 16 --cost-per-pixel 795us --task {T}"
expect 0 'Optimum: .* with T=' $fast --ranks 2,8,16,32 --sweep T=1..16*4 --json pair.json --html pair.html --heat-map map.png $mase
same "$golden/sweep.txt" out
same "$golden/sweep.json" pair.json
[ "$(head -c 4 map.png | tail -c 3)" = PNG ] || fail '--heat-map draws none'
[ "$(grep -c '<svg' pair.html)" -ge 2 ] || fail 'the page has no heat map'
# Each point equals that of a study, and that of a run, with this argument.
python3 - pair.json "$emu" "$config/fast-ethernet-64.toml" <<'END' || fail 'points of a sweep'
import json, subprocess, sys
study, emu, target = json.load(open(sys.argv[1])), *sys.argv[2:]
assert len(study["points"]) == 12
best = min(study["points"], key=lambda point: point["predicted_seconds"])
assert (study["optimum_ranks"], study["optimum_sweep"]) == (best["ranks"], best["sweep"])
assert study["optimum_seconds"] == best["predicted_seconds"]
for point in study["points"][::5]:
    run = [emu, "run", "-n", str(point["ranks"]), "--target", target, "--json", "run.json", "./mase", "--size", "16",
           "--cost-per-pixel", "795us", "--task", str(point["sweep"]["T"])]
    subprocess.run(run, check=True, capture_output=True)
    assert json.load(open("run.json"))["predicted_seconds"] == point["predicted_seconds"]
END

# Names in the environment and in a longer word; a value with blanks, quotes and braces is one argument.
STUDY_TASKS='{T}' expect 0 '' $fast --ranks 4 --sweep T=20,10 --json env.json ./program 1 100
expect 0 '' $fast --ranks 4 --sweep T=10,20 --json arg.json ./program '{T}' 100
for file in env arg; do grep -o '"predicted_seconds": [0-9.e-]*' $file.json >$file.times; done
cmp env.times arg.times || fail 'the environment and an argument give other times'
[ "$(sort -u env.times | wc -l)" = 2 ] || fail 'the environment is not replaced'
cat >words.sh <<'END'
#!/bin/sh
printf '%s|\n' "$*" >>words
exec ./program 1 1
END
chmod +x words.sh
expect_unsanitized 0 '' $fast --ranks 2 --jobs 1 --fresh --sweep "W=a 'b' \"c\" \$d {T} {P},e" ./words.sh '<{W}>' '{{W}} {P}'
[ -n "${SANITIZED:-}" ] || [ "$(uniq words)" = "<a 'b' \"c\" \$d {T} {P}> {W} 2|
<e> {W} 2|" ] || fail "words: $(cat words)"

# One number of ranks: a curve over T. Words: the best of each. With --vary as well: each target has its own.
expect 0 'Optimum: 4 ranks with T=' $fast --ranks 4 --sweep T=1..16*2 ./mase --size 8 --cost-per-pixel 795us --task '{T}'
same "$golden/sweep-one.txt" out
expect 0 'The best of each:' $fast --ranks 3,4 --sweep s=si,ml ./mase --size 8 --cost-per-pixel 795us --strategy '{s}'
expect 0 '' $fast --ranks 3,4 --sweep T=1,4 --vary network.latency=50us,1ms --json vary.json $mase
python3 -c '
import json
study = json.load(open("vary.json"))
assert [len(each["points"]) for each in study["variations"]] == [4, 4]
assert all(each["optimum_sweep"]["T"] in (1, 4) for each in study["variations"])' || fail '--vary with --sweep'

# A search finds the optimum of the whole plane, and its certainty. The result does not depend on concurrency.
plane="--ranks 2..9 --sweep T=1..7"
for jobs in 1 2; do
  expect 0 'with 95 % confidence less than' $fast --jobs $jobs --fresh $plane --search --json search.$jobs.json ./mase --size 8 --cost-per-pixel 795us --task '{T}'
done
cmp search.1.json search.2.json || fail 'other results of a search with two runs at a time'
expect 0 '' $fast --reuse $plane --json whole.json ./mase --size 8 --cost-per-pixel 795us --task '{T}'
python3 -c '
import json
search, whole = (json.load(open(name)) for name in ("search.1.json", "whole.json"))
for key in "optimum_ranks optimum_sweep optimum_seconds".split():
    assert search[key] == whole[key], key
assert search["search"] == "local" and len(search["points"]) < len(whole["points"]) / 2
assert search["search_points"]["ran"] == len(search["points"]) and search["search_points"]["all"] == len(whole["points"])
assert 0 < search["search_better_share_below"] < 0.4' || fail 'a search and the whole plane'

# A metric from the output.
expect 0 'Metric image 8 x 8, (\[0-9\]+): least ' $fast --ranks 2 --sweep T=1,2 --metric 'image 8 x 8, ([0-9]+)' --json metric.json \
  ./mase --size 8 --cost-per-pixel 1us --task '{T}'
python3 -c '
import json
assert all(point["metric"] > 100 for point in json.load(open("metric.json"))["points"])' || fail 'no metric'
expect 0 '' $fast --ranks 2 --reuse --sweep T=1,2 --metric 'image 8 x 8, ([0-9]+)' --json again.json ./mase --size 8 --cost-per-pixel 1us --task '{T}'
cmp metric.json again.json || fail 'what is kept has another metric'
expect 0 'No line of the output matches nothing' $fast --ranks 2 --metric 'nothing' ./program 1 1

# A dry run prints the number of runs, and leaves its own runs for the study.
expect 0 '18 points, 18 runs; 4 of them ran for this answer' $fast --dry-run --ranks 2..7 --sweep T=1,2,4 ./mase --size 8 --cost-per-pixel 2us --task '{T}'
expect 0 'continues a study that was stopped, with its finished runs: 4 runs' $fast --ranks 2..7 --sweep T=1,2,4 ./mase --size 8 --cost-per-pixel 2us --task '{T}'

# A grid of the cluster.
for bad in '' nodes= nodes=0 slots=2 'nodes=2 nodes=3' 'nodes=2 cores=3' nodes=4..2; do
  expect 2 '--grid' $fast --grid "$bad" ./program 1 1
done
expect 2 '--grid: invalid number of nodes: 65 (expected at most 64, the target' $fast --grid nodes=65 ./program 1 1
expect 2 '--grid and --ranks exclude each other' $fast --grid nodes=2 --ranks 2 ./program 1 1
expect 2 'invalid name of --sweep: slots' $fast --grid nodes=2 --sweep slots=1 ./program 1 '{slots}'
for bad in 2.5 x/node/h 2/h -1/node/h; do expect 2 'invalid price: ' $fast --price "$bad" --ranks 2 ./program 1 1; done
sed 's/^count = 64/count = 64\nwatts = { idle = 100, busy = 200 }/' "$config/fast-ethernet-64.toml" >watts.toml
"$emu" target watts.toml >out && grep -q '100, 200' out || fail "emu target does not show the power: $(cat out)"
STUDY_TASKS='{threads}' expect 0 'the knee' --target watts.toml --grid nodes=1..3 slots=2,4 threads=10,20 --price 3.6/node/s --json grid.json ./program 1 1000
python3 - grid.json <<'END' || fail 'a grid'
import json, sys
study = json.load(open(sys.argv[1]))
points = study["points"]
assert len(points) == 12 and all(p["ranks"] == p["nodes"] * p["sweep"]["slots"] for p in points)
near = lambda a, b: abs(a - b) <= 1e-9 * abs(b)
for p in points:
    assert near(p["node_seconds"], p["nodes"] * p["predicted_seconds"]) and near(p["price"], 3.6 * p["node_seconds"])
    assert 100 * p["node_seconds"] <= p["joules"] <= 200 * p["node_seconds"]
    assert 0 < p["node_efficiency"] <= 1
# Twice the tasks by OMP_NUM_THREADS take about twice the time.
at = {(p["nodes"], p["sweep"]["slots"], p["sweep"]["threads"]): p for p in points}
assert 1.5 < at[1, 2, 20]["predicted_seconds"] / at[1, 2, 10]["predicted_seconds"] < 2.1
best = study["optimum_seconds"]
cheap = min((p for p in points if 0.9 * p["predicted_seconds"] <= best), key=lambda p: p["price"])
assert study["knee"]["price"] == cheap["price"] and study["least_price"]["price"] == min(p["price"] for p in points)
assert study["least_joules"]["joules"] == min(p["joules"] for p in points)
END
cat >threads.sh <<'END'
#!/bin/sh
echo "$OMP_NUM_THREADS" >>threads
exec ./program 1 1
END
chmod +x threads.sh
expect_unsanitized 0 '' $fast --jobs 1 --grid nodes=2 threads=3,5 --fresh ./threads.sh
[ -n "${SANITIZED:-}" ] || [ "$(uniq threads | tr '\n' ' ')" = '3 5 ' ] || fail "OMP_NUM_THREADS: $(cat threads)"

# A page for each point, and links to the pages.
expect 2 '--reports: watts.toml/x cannot be made' $fast --ranks 2 --reports watts.toml/x ./program 1 1
expect 0 '' $fast --ranks 2,3 --sweep T=10,20 --html links.html --reports pages ./program '{T}' 100
grep -o "<td><a href='[^']*'>[0-9.]*</a>" links.html | sed "s/.*href='\([^']*\)'.*/\1/" >links
[ "$(grep -c '^pages/' links)" = 4 ] || fail "links: $(cat links)"
while read -r page; do grep -q 'id="data"' "$page" || fail "$page is no report"; done <links

# Stopped: the next call continues from there.
rm -rf cache waiting
timeout 60 "$emu" study $fast --jobs 1 --ranks 2..4 --sweep T=10,20 ./program '{T}' 100 sleep waiting >out 2>err &
runner=$!
for _ in $(seq 100); do [ -e waiting ] && break; sleep 0.1; done
kill -INT "$(pgrep -P $runner)"
wait $runner
expect 0 'continues a study that was stopped, with its finished runs: 2 runs' $fast --ranks 2,3 --sweep T=10,20 ./program '{T}' 100 sleep waiting
[ "$(grep -c 'known already' err)" = 2 ] || fail 'a stopped sweep begins anew'

# It fails with some values: these are reported, and the rest is kept.
expect 1 'With 3 ranks and P3=3 it failed' $fast --ranks 3 --sweep P3=2,3 --json fail.json ./program 10 100 fail '{P3}'
[ "$(grep -c predicted_seconds fail.json)" -ge 1 ] || fail 'the rest is not kept'

conclude
