#!/bin/bash
# masters_test.sh EMU MASE TARGET CHECK: masters and slaves in emu report, with all strategies of mase. CHECK is
# check_masters.py.
emu=$(realpath "$1") mase=$(realpath "$2") target=$(realpath "$3") check=$(realpath "$4")
. "$(dirname "$0")/../../lib.bash"
verb=(report)
export XDG_CACHE_HOME=$folder/cache
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  echo 'Chromium is not installed: the pages were not looked at.'

# masters KIND RANKS EDGE COST OPTIONS...: mase with EDGE x EDGE tasks.
masters() {
  local kind=$1 ranks=$2 edge=$3 cost=$4
  shift 4
  timeout 100 "$emu" run -n "$ranks" --target "$target" --trace "$kind" --json "$kind.run.json" \
    "$mase" --size "$edge" --cost-per-pixel "$cost" --strategy "$kind" "$@" >out 2>err || fail "mase --strategy $kind"
  "$emu" report "$kind" -o "$kind.html" --study study.json --json "$kind.json" --tasks "$kind.csv" >table 2>err || fail "emu report $kind"
  grep -q '^master  *tasks' table || fail "emu report $kind: no table of masters"
  python3 -B "$check" "$kind" "$kind.run.json" "$kind.json" "$kind.csv" $((edge * edge)) || failures=$((failures + 1))
  [ "$(wc -c <"$kind.html")" -lt 5000000 ] || fail "$kind.html is large"
  [ -n "$browser" ] || return
  timeout 60 "$browser" --headless --no-sandbox --disable-gpu --disable-background-networking --no-first-run \
    --user-data-dir="$folder/browser" --virtual-time-budget=5000 --dump-dom "file://$folder/$kind.html" >dom.html 2>err
  grep -q 'Uncaught' err && fail "$kind.html has a script error"
  python3 -B "$check" "$kind" "$kind.run.json" "$kind.json" "$kind.csv" $((edge * edge)) dom.html study.json ||
    failures=$((failures + 1))
}

"$emu" study --target "$target" --ranks 2,4,8 --json study.json "$mase" --size 16 --cost-per-pixel 795us >out 2>err ||
  fail 'emu study'
masters ml 8 32 200us --masters 2
masters dy 24 64 200us
masters si 64 150 795us  # more tasks than the page shows one by one

# The totals of a study and the messages of a trace lead to one result about the master.
timeout 100 "$emu" run -n 8 --target "$target" --trace one "$mase" --size 16 --cost-per-pixel 795us >out 2>err &&
  "$emu" report one --json one.json >out 2>err || fail 'one run of the study'
python3 - study.json one.json <<'END' || fail 'the study has another master than the trace'
import json, re, sys
study, report = (json.load(open(name)) for name in sys.argv[1:])
master = re.search(r"the master \(rank (\d+)\)", " ".join(study["bottleneck_why"]))
sys.exit([int(master[1])] != [m["rank"] for m in report["master_slave"]["masters"]])
END

# Nearly as long as virtual time; the sum over all processors exceeds 64 bits.
timeout 100 "$emu" run -n 5 --target "$target" --trace long --json long.run.json "$mase" --size 16 --cost-per-pixel 16h \
  >out 2>err && "$emu" report long -o long.html --json long.json >table 2>err || fail "42 days: $(tail -n 1 err)"
python3 - long.run.json long.json <<'END' || fail 'sums of 42 days'
import json, math, sys
run, report = (json.load(open(name)) for name in sys.argv[1:])
finish, hours, program = run["predicted_picoseconds"], 3600 * 10**12, report["intervals"]
def near(what, got, wanted):
    if not math.isclose(got, wanted, rel_tol=1e-9):
        sys.exit(f"{what}: {got}, not {wanted}")
near("total", program["total"], 5 * finish)
near("productive", program["sum"]["productive"], 256 * 16 * hours)
near("lost", program["lost"], 5 * finish - 256 * 16 * hours)
near("work", report["master_slave"]["masters"][0]["work"], 256 * 16 * hours)
near("efficiency", program["efficiency"], 256 * 16 * hours / (5 * finish))
if not finish > 1024 * hours or program["execution"] != finish:
    sys.exit(f"it ended at {finish}, executed {program['execution']}")
END
[ "$(grep -c '^[1-4] .* 1024 h ' table)" = 4 ] || fail "the table of 42 days: $(cat table)"

# A study in which nothing took time.
sed -E 's/("(predicted|optimum|master_bound|slave_bound)_seconds": )[0-9.e-]+/\10.0/' study.json >nothing.json
expect 0 '' si --study nothing.json -o nothing.html
if [ -n "$browser" ]; then
  timeout 60 "$browser" --headless --no-sandbox --disable-gpu --disable-background-networking --no-first-run \
    --user-data-dir="$folder/browser" --virtual-time-budget=5000 --dump-dom "file://$folder/nothing.html" >dom.html 2>err
  grep -q 'data-ready="yes"' dom.html || fail "the page of a study in which nothing took time: $(grep -o 'data-error="[^"]*"' dom.html)"
fi

# Records that end anywhere: the existing part is shown, and causes may be missing.
for rank in 0 7; do
  size=$(wc -c <dy/rank.$rank)
  for bytes in $(seq 40 $((size / 6 + 13)) "$size"); do
    rm -rf cut && cp -r dy cut && truncate -s "$bytes" cut/rank.$rank
    "$emu" report cut -o cut.html --json cut.json --tasks cut.csv >out 2>err
    code=$?
    [ $code = 0 ] || [ $code = 2 ] || fail "a record of $bytes bytes: exit code $code"
    grep -q "cut/rank.$rank: position [0-9]*: the trace" err || fail "a record of $bytes bytes: no word of that"
  done
done

# Invalid studies.
expect 2 '--study is shown on the page: name one with -o FILE' si --study study.json
expect 2 '--study: nowhere: cannot be read: No such file' si -o x --study nowhere
expect 2 '--study: \.: is a folder' si -o x --study .
for text in '' '{' '[]' '{"points": 1}' '{"points": [{"ranks": 2}], "target": "t"}' '{"variations": []}' \
  '{"points": [], "target": "t", "optimum_ranks": 2}' '{"points": [{"ranks": "2"}], "target": "t", "optimum_ranks": null}'; do
  printf %s "$text" >none.json
  expect 2 '--study: none.json: not a study (emu study --json FILE writes one)' si -o x --study none.json
done
[ ! -e x ] || fail 'a page is written in spite of bad input'
expect 1 '/dev/full: cannot be written' si --tasks /dev/full

conclude
