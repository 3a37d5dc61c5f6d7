#!/usr/bin/env bash
# format_test.sh ROOT: all C and C++ is in the project's format (scripts/format does this).
set -u
# Other versions of clang-format give other results; Debian 12 has this one.
clang-format --version 2>/dev/null | grep -q 'version 14\.' || { echo "skipped: no clang-format 14"; exit 77; }
exec "$1/scripts/format" --check
