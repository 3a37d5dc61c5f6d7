#!/usr/bin/env bash
# verbs_test.sh EMU WHOLE PLAIN NATIVE: several programs of a job on the command lines of
# emu run, emu study, emu check and emu plan. NATIVE is an MPI program without libemu.
emu=$(realpath "$1") whole=$(realpath "$2") plain=$(realpath "$3") native=$(realpath "$4")
# shellcheck source=tests/small_target.bash
. "$(dirname "$0")/../../small_target.bash"
# shellcheck source=tests/lib.bash
. "$(dirname "$0")/../../lib.bash"
export XDG_CACHE_HOME=$folder/cache
small_target 8 declared 50us 0us 100us 1us >eight.toml
small_target 3 declared 50us 0us 100us 1us >three.toml
printf '#!/bin/sh\ntouch %s/ran\n' "$folder" >marker
chmod +x marker
ln -s "$whole" whole && ln -s "$plain" plain && ln -s "$native" native

# ranks TEXT: checks the lines that the ranks print about themselves.
ranks() {
  grep '^rank .* is of ' out | sort | cmp -s - <(printf '%s\n' "$@") || fail "other ranks than $*"
}
one='rank 0 of 3 is of program 0, with x' two='rank 1 of 3 is of program 1, with y' three='rank 2 of 3 is of program 1, with y'

# --- emu run
verb=(run)
expect 0 'predicted .* on 3 ranks' --target eight.toml -n 1 ./plain which x : -n 2 ./whole which y
ranks "$one" "$two" "$three"
expect 0 '' -n 1 --target eight.toml --json run.json -- ./plain which x : -n2 ./whole which y
ranks "$one" "$two" "$three"
grep -q '"program": "./plain : ./whole"' run.json || fail 'JSON does not name the programs'
# Without -n: the rest of the target's ranks.
expect 0 '' --target three.toml -n 1 ./plain which x : ./whole which y
ranks "$one" "$two" "$three"
expect 0 '' --target three.toml ./plain which x : -np 2 ./whole which y
ranks "$one" "$two" "$three"
expect 0 '' --target three.toml -n 1 ./plain which x : -n 1 ./whole which y : ./plain which z
ranks "$one" "$two" 'rank 2 of 3 is of program 2, with z'
expect_unsanitized 0 '' --target three.toml --preload -n 1 ./native : ./plain which y
ranks "$two" "$three"
expect 0 '' --target three.toml --trace trace -n 1 ./plain which x : ./whole which y
(verb=() && expect 0 '' report trace --json report.json)
grep -q '"program": "plain : whole"' report.json || fail "the trace's report does not name the programs"

expect 2 'program 2 of those with ":" between them is missing' --target eight.toml -n 1 ./marker :
expect 2 'program 2 of those with ":" between them is missing' --target eight.toml -n 1 ./marker : -n 1
expect 2 'program 2 of those with ":" between them is missing' --target eight.toml -n 1 ./marker : : ./marker
expect 2 'program 1 of those with ":" between them is missing' --target eight.toml -n 1 : ./marker
expect 2 '-n: the number of ranks is missing' --target eight.toml -n 1 ./marker : -n
for n in 0 -1 x 1.5 ''; do expect 2 "-n: " --target eight.toml -n 1 ./marker : -n "$n" ./marker; done
expect 2 'invalid option of a program after ":": --preload (expected -n N' --target eight.toml -n 1 ./marker : --preload ./marker
expect 2 '2 of the 3 programs have no -n' --target eight.toml -n 1 ./marker : ./marker : ./marker
expect 2 '9 ranks are more than the 8 slots' --target eight.toml -n 4 ./marker : -n 5 ./marker
expect 2 'no rank is left for ./marker: the other programs have 8 of 8' --target eight.toml -n 8 whole : ./marker
expect 2 'nowhere: no such program' --target eight.toml -n 1 ./marker : -n 1 ./nowhere
expect 2 'native: libemu is not in this MPI program' --target eight.toml -n 1 ./marker : -n 1 ./native

# --- emu study
verb=(study)
expect 0 '' --target eight.toml --ranks 2..4 --json study.json -n 1 ./plain study : ./whole study
python3 - <<'END' || fail 'what emu study writes'
import json
study = json.load(open("study.json"))
assert study["program"] == "./plain" and study["arguments"] == ["study", ":", "./whole", "study"], study
assert [p["ranks"] for p in study["points"] if "predicted_seconds" in p] == [2, 3, 4], study
END
expect 0 '' --target eight.toml --ranks 3 ./plain study : -n 1 ./whole study '{P}'
expect 0 '' --target three.toml -n 2 ./plain study : ./whole study
[ "$(grep -c '[0-9] [a-z]* here' err)" = 1 ] || fail 'not the one number of ranks that leaves one for the second program'
expect 2 'every program has -n (expected one without' --target eight.toml -n 1 ./marker : -n 1 ./marker
expect 2 '-n needs several programs (expected --ranks for one)' --target eight.toml -n 1 ./marker
expect 2 '2 of the 2 programs have no -n' --target eight.toml ./marker : ./marker
expect 2 '--ranks: with 2 ranks no rank is left for ./whole: the other programs have 2 of 2' --target eight.toml --ranks 2..4 -n 2 ./plain : ./whole
expect 2 '-n: ' --target eight.toml -n x ./marker : ./marker

# --- emu check, emu plan, emu skeleton
verb=()
expect 0 '' check ./plain x : -n 1 ./whole y
[ "$(grep -c ': will run under libemu$' out)" = 2 ] || fail 'not both programs are looked at'
grep -q '^run them by: emu run -n N --target TARGET ./plain x : -n N ./whole y$' out || fail 'the command is not named'
expect 0 '' check ./native : ./whole
grep -q '^run them by: emu run --preload -n N --target TARGET ./native : -n N ./whole$' out || fail 'the command is not named, with --preload'
expect 2 'no such program' check ./plain : ./nowhere
expect 2 'program 2 of those with ":" between them is missing' check ./plain :
expect 0 '' plan --ranks 8 --target eight.toml --pilot 2,4 --host-memory 8GiB --host-cores 2 ./plain study : -n 1 ./whole study
expect 2 'several programs with ":" between them have no skeleton' skeleton record -n 2 -o folder ./marker : ./marker

conclude
