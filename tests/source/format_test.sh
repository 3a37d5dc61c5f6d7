#!/usr/bin/env bash
# format_test.sh ROOT: all C and C++ stands in the project's own format (scripts/format makes it so).
set -u
# Other versions lay out the same settings differently; Debian 12 has this one.
clang-format --version 2>/dev/null | grep -q 'version 14\.' || { echo "skipped: no clang-format 14"; exit 77; }
exec "$1/scripts/format" --check
