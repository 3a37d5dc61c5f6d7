# Files to start from. Sourced by fuzz_test.sh and scripts/fuzz.
# shellcheck shell=bash

# starting_files FOLDER SOURCE SEEDS EMU GOAL: makes FOLDER/READER for each reader, of files that it accepts or nearly.
# SEEDS is the program of this folder, EMU and GOAL those of the project; SOURCE its folder.
starting_files() {
  local folder=$1 source=$2 seeds=$3 emu=$4 goal=$5 kind file
  mkdir -p "$folder"/{goal,skeleton,trace} || return
  "$seeds" "$folder" 60 || return
  for file in "$source"/tests/oracle/programs/*.goal "$source/tests/apps/graph.goal"; do
    # The first operations of each rank are enough: files that are short are changed faster.
    awk '/^l[0-9]+/ { number = $1; gsub(/[^0-9]/, "", number); if (number > 6) next } { print }' "$file" \
      >"$folder/goal/$(basename "$file")"
  done
  cp "$source/tests/apps/graph.goal" "$folder/goal/"
  cp "$source"/config/*.toml "$folder/target/"
  for kind in availability goal skeleton target trace; do
    [ ! -d "$source/tests/fuzz/corpus/$kind" ] || cp "$source/tests/fuzz/corpus/$kind"/* "$folder/$kind/" || return
  done
  # Traces of real runs, so that they are of this version.
  "$emu" run -n 3 --target "$source/config/fast-ethernet-64.toml" --trace "$folder/trace/graph" \
    "$goal" "$source/tests/apps/graph.goal" --unit 1us >/dev/null || return
  "$emu" run -n 4 --target "$source/config/fast-ethernet-64.toml" --trace "$folder/trace/rnd" \
    "$goal" "$source/tests/oracle/programs/rnd0.goal" --unit 0.1ns >/dev/null || return
  for kind in graph rnd; do
    for file in "$folder/trace/$kind"/rank.*; do mv "$file" "$folder/trace/$kind-$(basename "$file")"; done
    rm -r "${folder:?}/trace/$kind"
  done
  "$emu" skeleton record -n 3 --target "$source/config/fast-ethernet-64.toml" -o "$folder/recording" \
    "$goal" "$source/tests/apps/graph.goal" --unit 1us >/dev/null 2>&1 || return
  "$emu" skeleton compress -o "$folder/skeleton/graph" "$folder/recording" >/dev/null 2>&1 || return
  for file in "$folder"/recording/rank.*; do mv "$file" "$folder/skeleton/graph-$(basename "$file")"; done
  rm -r "$folder/recording"
}
