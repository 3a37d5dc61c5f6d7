# Common parts of the tests of the command emu. To be sourced when all paths that a test was given are absolute: enters
# a temporary folder, which is removed at the end.
# shellcheck shell=bash

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
mkdir temporary
export TMPDIR=$folder/temporary  # to find files that remain
unset EMU_LOG EMU_TARGET EMU_TRACE EMU_RECORD EMU_JITTER
failures=0
verb=()      # verb of emu, if expect is about one
seconds=120  # time limit of a command of expect
said=(err)   # files in which expect looks for the pattern: out, err

fail() {
  echo "FAIL: $*"
  sed 's/^/  stdout: /' out
  sed 's/^/  stderr: /' err
  failures=$((failures + 1))
}

# expect CODE PATTERN ARGUMENTS...: $emu ends with CODE, prints PATTERN (a basic regular expression), leaves no
# temporary file, and with CODE 2 has not run the program "marker", which would have made the file "ran".
expect() {
  local code=$1 pattern=$2
  shift 2
  local what="emu ${verb[*]:+${verb[*]} }$*"
  timeout "$seconds" "$emu" "${verb[@]}" "$@" >out 2>err </dev/null
  local got=$?
  [ $got = "$code" ] || fail "$what: exit code $got, not $code"
  [ -z "$pattern" ] || grep -q -e "$pattern" "${said[@]}" || fail "$what: ${said[*]} lacks: $pattern"
  [ -z "$(ls temporary)" ] || fail "$what: leaves $(ls temporary) behind"
  [ "$code" != 2 ] || [ ! -e ran ] || fail "$what: ran the program"
}

# For runs that scripts/sanitize has to omit: libemu preloaded into a program without the sanitizer's runtime, such as a
# shell. UCX's constructor asks libemu for the time before the runtime begins.
expect_unsanitized() {
  [ -n "${SANITIZED:-}" ] || expect "$@"
}

# The test's last line.
conclude() {
  [ $failures = 0 ] || { echo "$failures failures"; exit 1; }
}
