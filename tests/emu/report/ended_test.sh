#!/bin/bash
# ended_test.sh EMU PROGRAM TARGET: the trace of a run with a full disk, or of a killed run,
# is a front of the whole that all verbs can read, and report as such. PROGRAM is ended.c.
emu=$(realpath "$1") program=$(realpath "$2") target=$(realpath "$3")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
unset EMU_LOG EMU_TARGET EMU_TRACE
failures=0

fail() {
  echo "FAIL: $*"
  sed 's/^/  stderr: /' err
  failures=$((failures + 1))
}

# run CODE PATTERN ARGUMENTS...: expects exit code CODE, and PATTERN on stderr.
run() {
  local code=$1 pattern=$2
  shift 2
  timeout 100 "$emu" "$@" >out 2>err </dev/null
  local got=$?
  [ $got = "$code" ] || fail "emu $*: exit code $got, not $code"
  [ -z "$pattern" ] || grep -q -e "$pattern" err || fail "emu $*: stderr lacks: $pattern"
}

run 0 'predicted' run -n 3 --target "$target" --trace whole "$program"
run 0 '' report whole --json whole.json
run 1 'error: rank 1: .*full/rank.1: the trace cannot be written: File too large; it ends at virtual time [0-9.]* s' \
  run -n 3 --target "$target" --trace full --json run.json "$program" full
grep -q 'full: the trace is incomplete: 3 of 3 ranks could not write it to its end' err || fail 'a trace that is cut off is no error'
grep -q '"predicted_seconds"' run.json || fail 'a full disk takes the prediction away'
timeout 100 "$emu" run -n 3 --target "$target" --trace killed "$program" killed >out 2>err </dev/null && fail 'a killed run succeeds'
for how in full killed; do
  run 0 "warning: $how/rank.[0-2]: position [0-9]*: the trace \(is cut off\|ends before the program did; it was killed, or the disk was full\)" \
    report $how --json $how.json
  run 0 "warning: $how/rank.1: position" trace $how --perfetto $how.perfetto
  python3 - whole.json $how.json $how.perfetto <<'END' || fail "$how: what is read of it"
import json
import sys

whole, front = (json.load(open(name)) for name in sys.argv[1:3])
json.load(open(sys.argv[3]))
good = not front["complete"] and len(front["notes"]) > 0
for rank, (all_of_it, part) in enumerate(zip(whole["per_rank"], front["per_rank"])):
    cut = any(f"rank.{rank}:" in note for note in front["notes"])
    good = good and (part["finish"] < all_of_it["finish"] if cut else part["finish"] == all_of_it["finish"])
    good = good and all_of_it["finish"] / 10 < part["finish"]
    good = good and sum(part[key] for key in ("compute", "send_overhead", "receive_overhead", "handshake", "poll", "wait",
                                              "node_down")) == part["finish"]
    r = front["intervals"]["per_rank"][rank]
    good = good and r["execution"] == part["finish"]
    good = good and r["productive"] + r["insufficient_parallelism"] + r["communication"] + r["node_down"] == r["execution"]
sys.exit(0 if good else 1)
END
done

# Rank 1's node fails while it waits, and rank 0 waits until it knows: no rank computes.
{ echo 'on_failure = "error"' && cat "$target" && printf '[[event]]\nkind = "fail"\nnode = 1\nat = "5ms"\n'; } >fails.toml
run 0 '1 rank failed' run -n 2 --target fails.toml --trace waits "$program" waits
run 0 '' report waits --json waits.json
python3 - waits.json <<'END' || fail 'waiting for a failure'
import json
import sys

ranks = json.load(open(sys.argv[1]))["per_rank"]
print(ranks)
sys.exit(0 if ranks[1]["finish"] == 5 * 10**9 < ranks[0]["finish"] and all(r["compute"] == 0 and r["wait"] > 0 for r in ranks) else 1)
END
run 0 '' trace waits --perfetto waits.perfetto

# Rank 1 computes until its failure. Rank 0 knows of it 50 us later and computes 1 ms: its path begins with the failure,
# set by the target; no node was down before. If rank 0 does not wait, it ends first, and rank 1's work is no
# prediction.
for how in computes alone; do
  run 0 '1 rank failed' run -n 2 --target fails.toml --trace $how --json $how.run.json "$program" $how
  words='until a node failed 5 ms (82.6 %), compute 1 ms (16.5 %), latency 50 us (0.826 %)'
  [ $how = computes ] || words='compute 1 ms (100 %)'
  grep -q "critical path: $words\$" err || fail "$how: the path in words"
  run 0 '' report $how --json $how.json -o $how.html
  python3 - $how $how.json $how.run.json <<'END' || fail "$how: the path of a run with a failure"
import json
import sys

us = 10**6
how, report, run = sys.argv[1], *(json.load(open(name)) for name in sys.argv[2:])
path, ranks = report["critical_path"], report["per_rank"]
begins, finish, latency = ({"rank": 1, "picoseconds": 5000 * us}, 6050 * us, 50 * us) if how == "computes" else (None, 1000 * us, 0)
expected = {"compute": 1000 * us, "latency": latency, "until_failure": 5000 * us if begins else 0}
good = report["predicted_picoseconds"] == run["predicted_picoseconds"] == finish and path["ends_at_rank"] == 0
good = good and path.get("begins_with_failure") == begins and path["pieces"] == (2 if begins else 1)
good = good and path["compute"] == 1000 * us and path["between_ranks"] == latency and path["on_rank"] == [1000 * us, 0]
good = good and {cause: n for cause, n in path["causes"].items() if n > 0} == {c: n for c, n in expected.items() if n > 0}
good = good and path["causes"] == run["critical_path"]["picoseconds"] and all(n == 0 for n in (
    *(r["node_down"] for r in ranks), *(r["node_down_seconds"] for r in run["per_rank"])))
good = good and ranks[1]["finish"] == ranks[1]["compute"] == 5000 * us and ranks[1]["wait"] == 0
print(json.dumps(path), ranks)
sys.exit(0 if good else 1)
END
done

[ $failures = 0 ] || { echo "$failures failures"; exit 1; }
