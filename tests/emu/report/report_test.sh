#!/bin/bash
# report_test.sh EMU PROGRAM TARGET CHECK EXPORTS OTF2 SYSTEM: emu run --trace and --report, emu report and emu trace,
# with good and bad input. PROGRAM is phases.c, CHECK is check_report.py, EXPORTS is check_exports.py, OTF2 is
# check_otf2.py, SYSTEM is system.c.
emu=$(realpath "$1") program=$(realpath "$2") target=$(realpath "$3") check=$(realpath "$4") exports=$(realpath "$5") otf2=$(realpath "$6") system=$(realpath "$7")
. "$(dirname "$0")/../../lib.bash"

expect 0 'critical path: ' run -n 4 --target "$target" --trace t --report run.html --json run.json "$program"
expect 0 '' report t -o page.html --json report.json
[ ! -s err ] || fail 'a good trace is warned of'
grep -q '^    solve  *80 ' out || fail 'the table lacks an interval'
cmp -s run.html page.html || fail 'emu run --report is not emu report'
[ "$(wc -c <page.html)" -lt 1000000 ] || fail 'the page is large'
grep -q 'https\?://' page.html && fail 'the page refers to the network'
python3 -B "$check" run.json report.json || failures=$((failures + 1))
expect 0 '' report --json - t
diff out report.json >difference || fail '--json - is not --json FILE'

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -n "$browser" ]; then
  timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-background-networking --no-first-run \
    --user-data-dir="$folder/browser" --virtual-time-budget=5000 --dump-dom "file://$folder/page.html" >dom.html 2>err
  grep -q 'Uncaught' err && fail 'the page has a script error'
  python3 -B "$check" run.json report.json dom.html || failures=$((failures + 1))
else
  echo 'Chromium is not installed: the page was not looked at.'
fi

# Other formats
expect 0 '' trace t --perfetto p.json
[ -s out ] && fail 'emu trace says something'
python3 -B "$exports" report.json p.json || failures=$((failures + 1))
if "$emu" trace t --otf2 o 2>err; then
  expect 0 '' trace t --otf2 o # again, in place of the older one
  expect 2 '--otf2: the folder t holds other files (' trace t --otf2 t
  expect 2 '--otf2: run.json: not a folder' trace t --otf2 run.json
  expect 1 '/dev/null/x: cannot be made' trace t --otf2 /dev/null/x
  (trap '' XFSZ && ulimit -f 2 && timeout 60 "$emu" trace t --otf2 full) 2>err
  [ $? = 1 ] || fail 'emu trace --otf2 on a full disk does not end with 1'
  grep -q 'full: cannot be written: ' err || fail 'emu trace --otf2 does not tell that the disk is full'
  if command -v otf2-print >/dev/null; then
    otf2-print --silent --warnings-as-errors o/traces.otf2 >out 2>err || fail 'otf2-print does not like the archive'
    otf2-print o/traces.otf2 >events && otf2-print --show-global-defs o/traces.otf2 >definitions
    python3 -B "$otf2" report.json events definitions || failures=$((failures + 1))
  else
    echo 'otf2-print is not installed (package otf2-tools): the OTF2 archive was not read.'
  fi
else
  grep -q 'built without OTF2; install' err || fail 'emu trace --otf2 fails and does not say that it is not there'
  echo 'This emu was built without OTF2 (package libopen-trace-format2-dev): no archive was written.'
fi
# Nodes that are down: rank 3's while it computes, 0's while it waits, 1's while it sends.
{ cat "$target"; printf '[[event]]\nkind = "fail"\nnode = %d\nat = "%sus"\nuntil = "%sus"\n' 3 500 2500 0 1400 2200 1 2050 2200; } >down.toml
expect 0 'critical path: .*node down 2 ms' run -n 4 --target down.toml --trace d --json run-d.json "$program"
expect 0 '' report d -o page.html --json report-d.json
[ "$(grep -o '"node_down_seconds": 0.00[0-9]*' run-d.json | tr -d '\n')" = '"node_down_seconds": 0.0008"node_down_seconds": 0.00015"node_down_seconds": 0.002' ] ||
  fail 'the time that nodes are down'
python3 -B "$check" run-d.json report-d.json || failures=$((failures + 1))
expect 0 '' trace d --perfetto p.json
python3 -B "$exports" report-d.json p.json || failures=$((failures + 1))
if [ -d o ] && command -v otf2-print >/dev/null; then
  expect 0 '' trace d --otf2 o
  otf2-print o/traces.otf2 >events && otf2-print --show-global-defs o/traces.otf2 >definitions
  python3 -B "$otf2" report-d.json events definitions || failures=$((failures + 1))
fi
expect 2 'the format is missing' trace t
expect 2 'name one TRACE' trace --perfetto x
expect 2 'nowhere: no such trace' trace nowhere --perfetto x
expect 2 '-perfetto: /nowhere/x cannot be written' trace t --perfetto /nowhere/x
expect 1 '/dev/full: cannot be written' trace t --perfetto /dev/full
expect 2 '--otf2: invalid value: - (expected the name of a folder' trace t --otf2 -
expect 0 '' trace t --perfetto t.json
expect 0 '' trace t --perfetto -
cmp out t.json || fail 'trace --perfetto - is not trace --perfetto FILE'
expect 0 '' trace t --goal t.goal
expect 0 '' trace t --goal -
diff <(tail -n +2 out) <(tail -n +2 t.goal) >/dev/null || fail 'trace --goal - is not trace --goal FILE'
[ ! -e ./- ] || fail 'a file of the name -'

# Measured compute: the system's part of it, by ticks of the host's clock. Declared compute has none.
sed 's/^compute = .*/compute = "measured"/' "$target" >measured.toml
expect 0 '' run -n 2 --host-clocks --target measured.toml --trace m "$system"
expect 0 '' report m --json m.json
python3 - m.json report.json <<'END' || fail 'system time'
import json
import sys

measured, declared = (json.load(open(name))["intervals"] for name in sys.argv[1:])
inside = {i["name"]: i["sum"] for i in measured["inside"]}
share = {name: i["system"] / i["productive"] for name, i in inside.items()}
print(share)
whole = measured["sum"]["system"] >= sum(i["system"] for i in inside.values())
sys.exit(0 if whole and 0.5 < share["system"] <= 1 and 0 <= share["own"] < 0.3 and declared["sum"]["system"] == 0 else 1)
END

# Invalid ends of intervals.
expect 0 'rank 3: the end of interval "never begun" does not count: none has begun' \
  run -n 4 --target "$target" --report odd.html "$program" odd
# Text on the page may contain anything.
ln -s "$program" 'odd<script>name'
expect 0 '' run -n 2 --target "$target" --report odd.html './odd<script>name'
[ "$(grep -o '<script' odd.html | wc -l)" = "$(grep -o '<script' page.html | wc -l)" ] || fail 'a name ends the script'

# Bad input
expect 2 'name one TRACE' report
expect 2 'name one TRACE' report t t
expect 2 "unrecognised option '--walk'" report --walk t
expect 2 'nowhere: no such trace' report nowhere
expect 2 'run.json: not a trace (expected a folder' report run.json
expect 2 'temporary/rank.0: the trace cannot be read: No such file' report temporary
expect 2 '-o: /nowhere/x cannot be written\|--output: /nowhere/x cannot be written' report t -o /nowhere/x
expect 1 '/dev/full: cannot be written' report t --json /dev/full
cp -r t cut && truncate -s -7 cut/rank.2
expect 0 'warning: cut/rank.2: position [0-9]*: the trace is cut off' report cut --json cut.json
grep -q '"complete": false' cut.json || fail 'a trace that was cut off is called complete'
rm cut/rank.3
expect 2 'cut/rank.3: the trace cannot be read' report cut
cp t/rank.1 cut/rank.3
expect 2 'cut/rank.3: belongs to another trace' report cut
cp -r t bad && printf '\7' | dd of=bad/rank.1 bs=1 seek=8 conv=notrunc status=none
expect 2 'bad/rank.1: position 8: the trace has version [0-9]*; this emu reads version' report bad
cp t/rank.1 bad/rank.1 && printf '\377\377' | dd of=bad/rank.1 bs=1 seek=400 conv=notrunc status=none
expect 2 "bad/rank.1: position [0-9]*: the trace is damaged: a block's checksum is wrong" report bad

conclude
