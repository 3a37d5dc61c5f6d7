#!/bin/bash
# files_test.sh EMU PROGRAM CONFIG: outputs that would replace an input or each other, and inputs without an end, are
# refused by every verb, and nothing is lost.
emu=$(realpath "$1") program=$(realpath "$2") config=$(realpath "$3")
. "$(dirname "$0")/../../lib.bash"

cp "$config/fast-ethernet-64.toml" target.toml
printf 'ranks,seconds\n2,0.1\n' >measured.csv
printf 'seconds\n0.5\n' >costs.csv
printf 'kind,bytes,seconds\nhalf_roundtrip,0,0.0001\n' >times.csv
printf 'num_ranks 1\nrank 0 {\nl1: calc 5\n}\n' >one.goal
expect 0 '' run --target target.toml -n 2 --trace trace "$program"
cp -r . "$folder.before"
trap 'rm -rf "$folder" "$folder.before"' EXIT

# lost ARGUMENTS...: the output at the end of the message would replace something.
lost() {
  local pattern=$1
  shift
  expect 2 "$pattern (expected another name)" "$@"
}
target='target.toml would replace the target'
ln -s target.toml link.toml
for option in --json --report; do
  lost "$option: target.toml would replace the target" run --target target.toml $option target.toml "$program"
  lost "$option: link.toml would replace the target" run --target target.toml $option link.toml "$program"
  lost "$option: .* would replace the program" run --target target.toml $option "$program" "$program"
done
lost '--report: ./x would replace the file of --json' run --target target.toml --json x --report ./x "$program"
lost '--json: one.goal would replace the schedule' run --target target.toml --json one.goal one.goal
lost "--html: $target" study --target target.toml --ranks 2 --html target.toml "$program"
lost '--json: measured.csv would replace the measured times' study --target target.toml --measured measured.csv --json measured.csv "$program"
lost '--html: x would replace the file of --json' study --target target.toml --ranks 2 --json x --html x "$program"
lost '--json: costs.csv would replace the costs' farm --target target.toml --csv costs.csv --json costs.csv
lost "--json: $target" farm --target target.toml --tasks 4 --task-seconds 1ms --json target.toml
lost "--json: $target" plan --target target.toml --ranks 4 --messages 4 --json target.toml
lost "--json: $target" scatter --target target.toml --items 4 --item-bytes 4 --item-seconds 1ms --json target.toml
lost "--json: $target" target --json target.toml target.toml
lost '-o: times.csv would replace a file of --from' calibrate --from times.csv -o times.csv
lost '--output: trace/rank.1 would replace a file of the trace' report trace -o trace/rank.1
lost '--goal: x would replace the file of --perfetto' trace trace --perfetto x --goal x
lost '-o: one.goal would replace an input' skeleton build -o one.goal one.goal
rm link.toml
diff -r -x out -x err -x changes "$folder.before" . >changes || fail "something was lost: $(cat changes)"
expect 0 '' run --target target.toml -n 2 --json /dev/null --report /dev/null "$program"

# Pictures have the format that their name says.
for option in --picture --heat-map; do
  expect 2 "$option: invalid value: x (expected a file name that ends in .png or .svg)" farm --target target.toml --tasks 4 --task-seconds 1ms $option x
done
expect 2 '--picture: invalid value: - (expected a file name that ends in .png or .svg)' study --target target.toml --ranks 2 --picture - "$program"
expect 2 '--reports: invalid value: - (expected the name of a folder' study --target target.toml --ranks 2 --reports - "$program"
expect 2 '-o: invalid value: - (expected the name of a folder' skeleton record -n 2 -o - "$program"
expect 2 '--picture: invalid value: x.gif (expected' study --target target.toml --ranks 2 --picture x.gif "$program"

# One output goes to standard output, without the table for readers.
expect 2 '--html: the output of --json goes to standard output (expected a file)' study --target target.toml --ranks 2 --json - --html - "$program"
for words in 'study --target target.toml --ranks 2 --html -' 'report trace -o -'; do
  # shellcheck disable=SC2086
  [[ $words = study* ]] && set -- "$program" || set --
  # shellcheck disable=SC2086
  "$emu" $words "$@" >page 2>err || fail "emu $words: exit code $?: $(cat err)"
  [[ $(head -n 1 page) = '<!'[dD]* && $(tail -n 1 page) = *'</html>' ]] || fail "emu $words: $(head -n 3 page)"
done

# A full disk behind the standard output; a reader that goes away is no error.
for words in '--help' 'target target.toml' 'farm --target target.toml --tasks 4 --task-seconds 1ms --ranks 2..4'; do
  # shellcheck disable=SC2086
  "$emu" $words >/dev/full 2>err
  code=$?
  [ $code = 1 ] && grep -q 'standard output: cannot be written: No space left on device' err || fail "emu $words on a full disk: exit code $code"
  # shellcheck disable=SC2086
  { "$emu" $words 2>err; echo $? >code; } | true
  [ "$(cat code)" = 0 ] && [ ! -s err ] || fail "emu $words without a reader: exit code $(cat code)"
done

# Inputs
seconds=20
for file in /dev/zero temporary; do
  what=device && [ $file = temporary ] && what=directory
  expect 2 "--csv: $file is a $what (expected a file)" farm --target target.toml --csv $file
  expect 2 "--from: $file is a $what (expected a file)" calibrate --from $file -o new.toml
  expect 2 "--measured: $file is a $what (expected a file)" study --target target.toml --measured $file "$program"
  expect 2 "--costs: $file is a $what (expected a file)" plan --target target.toml --ranks 4 --messages 4 --costs $file
done
head -c 100 "$emu" >binary
iconv -f UTF-8 -t UTF-16 measured.csv >utf-16
for file in binary utf-16; do
  expect 2 "--csv: $file is not a text file (expected UTF-8)" farm --target target.toml --csv $file
  expect 2 "--from: $file is not a text file (expected UTF-8)" calibrate --from $file -o new.toml
  expect 2 "--measured: $file is not a text file (expected UTF-8)" study --target target.toml --measured $file "$program"
  expect 2 "--costs: $file is not a text file (expected UTF-8)" plan --target target.toml --ranks 4 --messages 4 --costs $file
done
scatter=(scatter --target target.toml --items 4 --item-bytes 4)
for option in --json --draw; do expect 2 "$option: the file name is empty" target target.toml $option ''; done
expect 2 '--route: the nodes are missing (expected FROM,TO)' target target.toml --route ''
for option in --json --picture; do expect 2 "$option: the file name is empty" "${scatter[@]}" --item-seconds 1ms $option ''; done
expect 2 '--trace: the file name is empty' "${scatter[@]}" --trace ''
expect 0 '' farm --target target.toml --ranks 2 --csv <(cat costs.csv) # a pipe has an end

conclude
