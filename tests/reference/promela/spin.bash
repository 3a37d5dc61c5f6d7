# Start of the tests of models, to be sourced with $model and $compiler: a temporary folder, and Spin's verifier of the
# model in it.
# shellcheck shell=bash
set -euo pipefail
model=$(realpath "$model")
command -v spin >/dev/null || { echo "skipped: spin is not installed (scripts/install-dependencies --tests)"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# build C-OPTIONS MODEL-OPTIONS...: the verifier pan.
build() {
  local options=$1
  shift
  spin -a "$@" "$model" >spin.log || { cat spin.log; exit 1; }
  # shellcheck disable=SC2086
  $compiler -w -DNOBOUNDCHECK $options -c pan.c
  $compiler -o pan pan.o
}
# True if the verifier did not visit all states.
incomplete() { grep -q -E 'too small|interrupted|out of memory|not completed' pan.log; }
