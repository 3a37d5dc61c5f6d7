#!/bin/bash
# study_test.sh EMU MASE PROGRAM CONFIG GOLDEN: emu study with right and wrong input.
. "$(dirname "$0")/../../golden.sh"
emu=$(realpath "$1") mase=$(realpath "$2") program=$(realpath "$3") config=$(realpath "$4") golden=$(realpath "$5")
. "$(dirname "$0")/../../lib.bash"
verb=(study) said=(out err)
export XDG_CACHE_HOME=$folder/cache
ln -s "$mase" mase && ln -s "$program" program
fast="--target $config/fast-ethernet-64.toml"

runs() { grep -c '[0-9] [a-z]* here' err; }

# Wrong input: nothing runs.
expect 2 '--target is missing' ./program
expect 2 'PROGRAM to study is missing' $fast
for ranks in '' 0 x 2..x 64..2 2..64:0 2..64:x '2..64*1' '2..64*' 2...4 ,2 -1; do
  expect 2 '--ranks' $fast --ranks "$ranks" ./program
done
expect 2 '"8..2" is empty: it ends before it begins' $fast --ranks 8..2 ./program 1 1
expect 2 '65 ranks are more than the 64 slots of the target' $fast --ranks 2..65 ./program 1 1
expect 2 '--step: invalid number: 0 ' $fast --step 0 ./program
expect 2 '--repeat: invalid number: x ' $fast --repeat x ./program
expect 2 'no such program' $fast ./nowhere
expect 2 '--json: /nowhere/x cannot be written' $fast --json /nowhere/x ./program 1 1
expect 2 '--report: /nowhere/x cannot be written' $fast --report /nowhere/x ./program 1 1
expect 2 '--report: the file name is empty' $fast --report '' ./program 1 1
expect 2 '--html: /nowhere/x cannot be written' $fast --html /nowhere/x ./program 1 1
expect 2 'expected KEY=VALUE' $fast --vary latency ./program 1 1
expect 2 'with network.latenzy=1us: network.latenzy' $fast --vary network.latenzy=1us ./program 1 1
expect 2 'with network.latency=fast: network.latency' $fast --vary network.latency=1us,fast ./program 1 1
expect 2 'with node.count=8: node: 9 ranks are more than the 8 slots' $fast --vary node.count=16,8 --ranks 9 ./program 1 1
expect 2 '--measured: /nowhere/x cannot be read: No such file' $fast --measured /nowhere/x ./program 1 1
printf 'ranks,seconds\n4,fast\n' >wrong.csv
expect 2 "wrong.csv:2: invalid time: '4,fast'" $fast --measured wrong.csv ./program 1 1
expect 0 'emu study --target FILE' --help
[ ! -e cache ] || fail 'bad input leaves something in the cache'

# Powers of two.
expect 0 '16 ranks' $fast --ranks '2..16*2' ./program 100 100
[ "$(runs)" = 4 ] || fail "$(runs) runs for 2..16*2"

# With measured times: their numbers of ranks run, and the JSON has both.
printf 'ranks,seconds\n2,1\n4,0.5\n8,0.25\n' >measured.csv
expect 0 'No measured number of ranks was predicted' $fast --ranks 3,5 --measured measured.csv ./program 100 100
expect 0 'Measured beside predicted' $fast --measured measured.csv --json measured.json ./program 100 100
python3 - <<'END' || fail 'measured times in the JSON'
import json
study = json.load(open("measured.json"))
assert [point["measured_seconds"] for point in study["points"]] == [1, 0.5, 0.25], study["points"]
rows = study["measured"]["points"]
assert [row["ranks"] for row in rows] == [2, 4, 8] and all(row["predicted_seconds"] > 0 for row in rows), rows
assert study["measured"]["median_error"] > 0
END

# A search: its output equals the golden file, also when it is called again. With --reuse nothing runs then.
search="--ranks 2..12 --search --json search.json --html search.html"
expect 0 'Optimum: 10 ranks' $fast $search ./program 100 100
same "$golden/search.txt" out
same "$golden/search.json" search.json
first=$(runs)
cp search.json before.json
expect 0 'Optimum: 10 ranks' $fast $search ./program 100 100
[ "$(runs)" = "$first" ] || fail 'a finished study does not run again'
expect 0 'Optimum: 10 ranks' $fast --reuse $search ./program 100 100
[ "$(runs)" = 0 ] && [ "$(grep -c 'known already, [0-9.]* m*s old' err)" = "$first" ] || fail '--reuse runs again, or does not say how old'
cmp search.json before.json || fail 'another JSON the second time'
expect 0 'Optimum: 10 ranks' $fast --fresh $search ./program 100 100
[ "$(runs)" = "$first" ] || fail '--fresh does not run everything'
expect 2 '--fresh and --reuse' $fast --fresh --reuse $search ./program 100 100
# The page contains the unchanged JSON, and nothing from other places.
sed -n '/<script type=.application.json/,/<\/script>/p' search.html | sed "s/^<script[^>]*>//; /^<\/script>/d" | cmp - search.json ||
  fail 'the page has other numbers than the JSON'
grep -q '<svg' search.html || fail 'the page has no picture'
! grep -qiE "(src|href) *= *['\"][^#]|https?:" search.html || fail 'the page needs the network'

# The page of the optimum contains the study; the rest of it belongs to that run.
expect 0 'Optimum: 10 ranks' $fast --reuse $search --report report.html ./program 100 100
sed -n 's/.*id="data">\(.*\)<\/script>.*/\1/p' report.html >report.json
python3 - search.json report.json <<'END' || fail 'the page of the optimum'
import json, sys
study, page = (json.load(open(name)) for name in sys.argv[1:])
sys.exit(page["study"] != study or page["ranks"] != 10 or page["predicted_picoseconds"] / 1e12 != study["optimum_seconds"])
END

# The curve as a separate picture.
expect 0 '' $fast --reuse --search --ranks 2..12 --picture curve.png ./program 100 100
[ "$(head -c 4 curve.png | tail -c 3)" = PNG ] || fail '--picture draws none'
expect 1 'curve.png: no picture: nothing that ran took time' $fast --ranks 1 --picture curve.png ./program 0 0
expect 2 '--picture: /nowhere/x.png cannot be written' $fast --picture /nowhere/x.png ./program 1 1

# The whole sweep has the same optimum and flat region; it runs only points that the search has not run.
expect 0 'Optimum: 10 ranks' $fast --reuse --ranks 2..12 --json sweep.json ./program 100 100
[ "$(runs)" = $((11 - first)) ] || fail "the sweep runs $(runs), after a search of $first"
for key in optimum_ranks optimum_seconds bottleneck; do
  [ "$(grep "\"$key\"" sweep.json)" = "$(grep "\"$key\"" search.json)" ] || fail "the sweep has another $key"
done
[ "$(grep -A 3 flat_region sweep.json)" = "$(grep -A 3 flat_region search.json)" ] || fail 'another flat region'

# Stored results are not used for other input: a file that no argument names, the environment, the folder.
predicted() { grep -o '"predicted_seconds": [0-9.e-]*' "$1"; }
expect 0 '' $fast --ranks 4 --json - ./program 50 100
predicted out >argument
expect 0 '' $fast --ranks 4 --json - ./program 100 100
predicted out >more
! cmp -s argument more || fail 'the number of tasks makes no difference'
echo 50 >tasks
expect 0 '' $fast --ranks 4 --json - ./program 100 100
predicted out | cmp - argument || fail 'the curve is that of an older input file'
rm tasks
STUDY_TASKS=50 expect 0 '' $fast --reuse --ranks 4 --json - ./program 100 100
predicted out | cmp - argument || fail '--reuse takes the curve of another environment'
mkdir elsewhere && echo 50 >elsewhere/tasks && ln -s ../program elsewhere/program
(cd elsewhere && timeout 60 "$emu" study $fast --reuse --ranks 4 --json - ./program 100 100 2>/dev/null) | grep -o '"predicted_seconds": [0-9.e-]*' |
  cmp - argument || fail '--reuse takes the curve of another folder'

# Ranges, steps, {P}, repeats, JSON alone on standard output.
expect 0 '' $fast --ranks 2..6 --step 2 --json - ./program 10 100 ranks {P}
[ "$(grep -c '"ranks":' out)" = 3 ] && [ "$(head -c 1 out)" = '{' ] || fail '--json -'
expect 0 '2 runs each: .* (95 %)' $fast --ranks 2,3 --repeat 2 ./program 10 100
sed 's/"declared"/"measured"/' "$config/fast-ethernet-64.toml" >measured.toml
expect 0 '3 runs each' --target measured.toml --ranks 3 ./program 10 100

expect 0 'Nothing holds it up in this range' $fast --ranks 1 ./program 0 0
expect 0 'no rank computed, since this target counts only' $fast --ranks 2 ./program 5 0
expect 0 '' $fast --ranks 2 ./program 5 1
grep -q 'no rank computed' out && fail 'it says that nobody computes where somebody does'

# Two targets; the target's own value was run before.
expect 0 '' $fast --ranks 4,8 --vary network.latency=50us,1ms --json vary.json ./program 100 100
same "$golden/vary.txt" out
same "$golden/vary.json" vary.json
expect 0 '' $fast --ranks 4,8 --vary network.latency=1ms,50us --report vary.html ./program 100 100
grep -q '"predicted_picoseconds":3938380400,' vary.html || fail 'the page is of another run than the best'

# A varied target that names a file: the file is found relative to the target's own folder.
mkdir targets && cp "$config/fast-ethernet-64.toml" targets/loaded.toml
printf '[[availability]]\nnodes = [0]\nfile = "../slow.txt"\n' >>targets/loaded.toml
printf '0 0.5\n' >slow.txt
expect 0 'network.latency=1ms' --target targets/loaded.toml --vary network.latency=50us,1ms --ranks 2 ./program 1 1
! grep -qi warning err || fail 'gnuplot warns of one number of ranks'

# It fails with 3 ranks: this is reported, and the rest is kept.
expect 1 'With 3 ranks it failed: ./program ended with exit code 9 before MPI_Finalize' $fast --ranks 2..4 --json fail.json \
  ./program 10 100 fail 3
grep -q 'no good with 3 ranks' out || fail 'what the program said is lost'
[ "$(grep -c predicted_seconds fail.json)" = 2 ] && grep -q '"failure"' fail.json || fail 'the rest is not kept'
expect 1 'there is no optimum' $fast --ranks 3 ./program 10 100 fail 3
expect 1 'With 3 ranks it failed: ./program ended with exit code 0 before MPI_Finalize' $fast --ranks 3 ./program 10 100 give-up 3
expect 1 '--report: no page was written, since no run was good' $fast --ranks 3 --report x.html ./program 10 100 fail 3
expect 1 'ran without libemu' $fast --ranks 2 /bin/true

expect 2 '--jobs: invalid number: 0 ' $fast --jobs 0 ./program

# Several runs at a time give the same study. A stop ends all of them.
for search in '' --search; do
  for jobs in 1 2; do
    expect 0 Optimum $fast --fresh --jobs $jobs --ranks 2..12 $search --json jobs.$jobs.json ./program 40 100
    cp out jobs.$jobs.out
  done
  cmp jobs.1.out jobs.2.out && cmp jobs.1.json jobs.2.json || fail "other results with two runs at a time"
done
for signal in INT TERM; do
  rm -rf cache
  timeout 60 "$emu" study $fast --jobs 2 --ranks 2..5 ./program 10 100 sleep never >out 2>err &
  runner=$!
  sleep 1
  kill -$signal "$(pgrep -P $runner)"
  wait $runner
  code=$?
  [ $code = $((128 + $(kill -l $signal))) ] || fail "SIG$signal: exit code $code of two runs at a time"
  [ -z "$(ls temporary)" ] || fail "SIG$signal leaves $(ls temporary) of two runs behind"
done

# Stopped while 4 ranks run: the next call continues from there.
fast="$fast --jobs 1"
for signal in INT TERM; do
  rm -rf cache waiting
  timeout 60 "$emu" study $fast --ranks 2..5 ./program 10 100 sleep waiting >out 2>err &
  runner=$!
  for _ in $(seq 100); do [ -e waiting ] && break; sleep 0.1; done
  kill -$signal "$(pgrep -P $runner)"
  wait $runner
  code=$?
  [ $code = $((128 + $(kill -l $signal))) ] || fail "SIG$signal: exit code $code"
  grep -q 'the same command continues from here' err || fail "SIG$signal: does not say how to continue"
  [ "$(runs)" = 2 ] || fail "SIG$signal: $(runs) runs before it"
  [ -z "$(ls temporary)" ] || fail "SIG$signal leaves $(ls temporary) behind"
done
cp -a cache stopped
expect 0 'continues a study that was stopped' $fast --ranks 2,3,5 ./program 10 100 sleep waiting
[ "$(runs)" = 1 ] && [ "$(grep -c 'known already' err)" = 2 ] || fail 'a stopped study begins anew'
# A truncated record, and a file that is newer than the stored results, cause new runs.
rm -rf cache && cp -a stopped cache
for record in cache/emu/study-*/2-0.record; do head -c 40 "$record" >cut && mv cut "$record"; done
expect 0 '' $fast --ranks 2,3 ./program 10 100 sleep waiting
[ "$(runs)" = 1 ] || fail 'a damaged record is used, or all are lost'
# The file "waiting" is one that a run wrote; "input" is not.
for runs in 2 0; do
  expect 0 '' $fast --reuse --ranks 2,3 ./program 10 100 input input
  [ "$(runs)" = $runs ] || fail "$(runs) runs, not $runs"
done
sleep 0.01 && touch input
expect 0 '' $fast --reuse --ranks 2,3 ./program 10 100 input input
[ "$(runs)" = 2 ] || fail 'a run is used that is older than its input'
# Stored results of a stopped study are also used with several targets; after all have finished, they are not.
rm -rf cache waiting
vary="--vary network.latency=10us,50us --ranks 2,4"
timeout 60 "$emu" study $fast $vary ./program 10 100 sleep waiting >out 2>err &
runner=$!
for _ in $(seq 100); do [ -e waiting ] && break; sleep 0.1; done
kill -INT "$(pgrep -P $runner)"
wait $runner
timeout 60 "$emu" study $fast --vary network.latency=10us,50us --ranks 2,3 ./program 10 100 sleep waiting >out 2>err
[ "$(runs)" = 3 ] || fail "$(runs) runs of two curves, not 3"
timeout 60 "$emu" study $fast --vary network.latency=10us,50us --ranks 2,3 ./program 10 100 sleep waiting >out 2>err
[ "$(runs)" = 4 ] || fail "$(runs) runs of two finished curves, not 4"

# The master/slave program, with its closed form.
expect 0 "master's receive and send overhead" $fast --ranks 26,28,30 ./mase --size 32 --cost-per-pixel 795us
same "$golden/mase.txt" out
XDG_CACHE_HOME=/dev/null/x expect 0 'cannot be written, so this study cannot be continued' $fast --ranks 2 ./program 1 1

conclude
