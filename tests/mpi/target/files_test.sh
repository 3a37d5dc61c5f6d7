#!/bin/bash
# files_test.sh EMU GOAL PROGRAM: the costs of files equal the closed form of the target's storage: 5000 ps, and 2 ps a
# byte. PROGRAM is files.c.
program=$(realpath "$3")
. "$(dirname "$0")/closed_form.bash"

cat >expected <<'END'
open 5000
write 7000
write nothing 5000
two in the background 9000
computing less 7000
computing more 9000
write all 7000
in the background 6000
split 6000
ordered 5020
seek 0
position 0
read 7000
to the end 5000
less than asked for 5020
size 5000
sync 5000
view 0
close 5000
END

# says NAME RANKS: each of these ranks prints the expected lines.
says() {
  local rank
  rm -f file
  timeout 60 "$emu" run -n "$2" --target target.toml --trace trace --json run.json "$program" >out 2>err </dev/null
  code=$?
  for ((rank = 0; rank < $2; ++rank)); do
    grep "^$rank " out | cut -d' ' -f2- >got
    diff expected got >difference && [ $code = 0 ] && continue
    echo "FAIL: $1, rank $rank: exit code $code; < expected > got"
    sed 's/^/  /' difference err
    failures=$((failures + 1))
  done
}

storage='[storage]
latency = "5000ps"
bandwidth = "2ps"
'
target <<END
$storage
[[node]]
count = 4
END
for ranks in 1 2 4; do says "$ranks ranks" "$ranks"; done
grep -q warning err && { echo 'FAIL: a warning'; cat err; failures=$((failures + 1)); }
# Also in the record: 21 accesses of one rank, one of which had ended before the program asked for it.
says 'alone' 1
grep -q '"storage": 0' run.json && { echo 'FAIL: no time of the storage on the path'; failures=$((failures + 1)); }
timeout 60 "$emu" report trace --json report.json >/dev/null 2>err || { echo 'FAIL: no report'; sed 's/^/  /' err; failures=$((failures + 1)); }

# A target without a storage.
target <<'END'
[[node]]
count = 4
END
timeout 60 "$emu" run -n 2 --target target.toml "$program" >out 2>err </dev/null
for line in '0 write 1010000000' '1 close 1000000000'; do
  grep -qx "$line" out && continue
  echo "FAIL: no plain disk: not $line"
  failures=$((failures + 1))
done
grep -q 'used files, and the target has no .storage.' err ||
  { echo 'FAIL: no warning'; failures=$((failures + 1)); }

[ $failures = 0 ]
