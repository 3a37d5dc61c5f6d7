#!/bin/bash
# plan_test.sh EMU MASE CONFIG: emu plan with right and wrong input.
emu=$(realpath "$1") mase=$(realpath "$2") config=$(realpath "$3")
. "$(dirname "$0")/../../lib.bash"
verb=(plan)
printf '#!/bin/sh\ntouch %s/ran\n' "$folder" >marker
chmod +x marker
fast=(--target "$config/fast-ethernet-64.toml")
sed 's/^count = 64/count = 100000/' "$config/fast-ethernet-64.toml" >large.toml

# Wrong input: nothing runs.
expect 2 '--ranks is missing' "${fast[@]}" --messages 5
expect 2 '--target is missing' --ranks 5 --messages 5
for ranks in '' 0 x 1e5 -3; do expect 2 '--ranks: invalid value: .* (expected a whole number' "${fast[@]}" --ranks "$ranks" --messages 5; done
expect 2 '--messages is missing (expected --messages N, or a PROGRAM' "${fast[@]}" --ranks 5
expect 2 '100000 ranks are more than the 64 slots' "${fast[@]}" --ranks 100000 ./marker
expect 2 '--messages: invalid value: many (expected a number' "${fast[@]}" --ranks 5 --messages many
for n in 0 0.5 -1 nan; do expect 2 '--messages: invalid value: .* (expected a number' "${fast[@]}" --ranks 5 --messages $n; done
expect 2 '--host-memory: ' "${fast[@]}" --ranks 5 --messages 5 --host-memory 5
expect 2 '--host-memory: invalid amount of memory: 0B' "${fast[@]}" --ranks 5 --messages 5 --host-memory 0B
expect 2 '--host-cores: invalid value: 0 (expected' "${fast[@]}" --ranks 5 --messages 5 --host-cores 0
for pilot in 4 16,4 4,4 1,4 x,4; do expect 2 '--pilot: invalid value: .* (expected two numbers' "${fast[@]}" --ranks 5 --pilot $pilot ./marker; done
expect 2 '65 ranks are more than the 64 slots' "${fast[@]}" --ranks 5 --pilot 4,65 ./marker
expect 2 'no such program' "${fast[@]}" --ranks 5 ./nowhere
expect 2 'nowhere.json: cannot be read' "${fast[@]}" --ranks 5 --messages 5 --costs nowhere.json
expect 2 'large.toml: not JSON' "${fast[@]}" --ranks 5 --messages 5 --costs large.toml
expect 2 '--costs replaces the pilots' "${fast[@]}" --ranks 5 --costs x ./marker
expect 2 '/nowhere/x cannot be written' "${fast[@]}" --ranks 5 --messages 5 --json /nowhere/x
expect 2 'not even one rank fits' "${fast[@]}" --ranks 5 --messages 5 --host-memory 1MiB --memory-per-rank 2MiB
expect 1 'the pilot with 4 ranks: .*exit code' "${fast[@]}" --ranks 5 "$mase" --size x
expect 0 '' --help

# 115 GiB usable on each host; 100000 ranks of 10 MiB, 8 bytes in each for each rank, and the table of bounds, 660 bytes
# for each.
large=(--target large.toml --ranks 100000 --host-memory 128GiB --host-cores 50)
expect 0 '' "${large[@]}" --messages 1e9 --messages-per-second 1e6 --memory-per-rank 10MiB
grep -q 'hosts *10 with 128 GiB of memory and 50 cores each; 10000 ranks on a host' out || fail 'hosts'

# With pilots: the measured costs lead to an equal plan.
expect 0 '' "${large[@]}" --json plan.json "$mase" --size 128 --cost-per-pixel 795us
grep -q 'measured here with 4 and 16 ranks' out || fail 'pilots'
python3 - <<'END' || fail 'what the pilots measured'
import json
p = json.load(open('plan.json'))
c = p['costs']
assert p['messages'] >= 2 * 128 * 128, p  # a task and a result each
assert 1 << 17 < c['bytes_per_rank'] < 100 << 20, p
assert c['cpu_seconds_per_rank'] + 1000 * c['cpu_seconds_per_message'] > 1e-4, p
assert p['ranks_per_host'] * p['hosts'] >= 100000, p
assert p['memory_bytes_per_host'] <= p['host']['memory_bytes'], p
END
# On one host the ranks are forked, and share more memory.
expect 0 '' "${fast[@]}" --ranks 5 --json small.json "$mase" --size 16 --cost-per-pixel 795us
python3 -c "
import json
one, many = (json.load(open(name))['costs']['bytes_per_rank'] for name in ('small.json', 'plan.json'))
assert one < many, (one, many)" || fail 'pilots are not started as the ranks will be'
messages=$(sed -n 's/^  "messages": \(.*\),/\1/p' plan.json)
expect 0 '' "${large[@]}" --costs plan.json --messages "$messages" --json -
cmp -s out plan.json || fail '--costs gives another need'
# A full disk: the previous contents remain.
cp plan.json kept.json
(trap '' XFSZ; ulimit -f 0; "$emu" plan "${large[@]}" --costs plan.json --messages 1 --json kept.json >/dev/null 2>&1)
[ $? = 1 ] && cmp -s plan.json kept.json && [ "$(ls kept.json*)" = kept.json ] || fail 'a full disk costs the older file'
conclude
