# Start of tests, to be sourced: a temporary folder $dir, which is removed at the end, no variables of emu from outside,
# and small_target.
# shellcheck shell=bash
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset EMU_TARGET EMU_NODES EMU_JITTER EMU_HOST_CLOCKS EMU_CANCEL_SENDS EMU_ONE_SIDED
unset EMU_LOG EMU_TRACE EMU_RECORD EMU_STATUS
fail() { echo "FAILED: $*"; exit 1; }
# shellcheck source=tests/small_target.bash
. "$(dirname "${BASH_SOURCE[0]}")/small_target.bash"
