# Seeds of the fuzz tests. Sourced by fuzz_test.sh and scripts/fuzz.
# shellcheck shell=bash

# short_targets SOURCE FOLDER: targets without comments, also those of FOLDER/target, and the examples of
# config/README.md. A long target is divided: each part (no more than two of a kind) with the required tables. Short
# files are changed faster, and scripts/fuzz cuts off everything after 1,500 bytes.
short_targets() {
  local source=$1 target=$2/target long=$2/long file short
  mv "$target" "$long" && mkdir "$target" || return
  cp "$source"/config/*.toml "$long/"
  awk -v start="$source/config/fast-ethernet-64.toml" -v folder="$long" '
    /^```toml/ { name = folder "/example-" ++n; while ((getline line < start) > 0) print line >name; close(start); next }
    /^```/ { name = "" }
    name != "" { print >name }' "$source/config/README.md" || return
  for file in "$long"/*; do
    short=$target/${file##*/}
    # A NUL precedes the text of the files that a target names; not all awks read a NUL.
    tr '\0' '\1' <"$file" | awk -v name="$short" '
      BEGIN { here = 0 }
      named || /\1/ {
        at = index($0, "\1")
        if (at) add(substr($0, 1, at - 1))
        if (named++ < 6) more = more substr($0, at + 1) "\n"
        next
      }
      { add($0) }
      function add(line) {
        sub(/[ \t]*#.*/, "", line)
        if (line == "") return
        if (line ~ /^\[/ && line !~ /^\[(network|link)\.[a-z]/) {
          here = line ~ /^\[(network\]|\[node\]|placement\])/ ? 0 : ++parts
          kind[here] = line
        }
        text[here] = text[here] line "\n"
        size += length(line) + 1
      }
      END {
        if (more != "") more = "\1" more
        if (size + length(more) <= 1500) {
          for (i = 0; i <= parts; ++i) printf "%s", text[i] >name
          printf "%s", more >name
        } else {
          for (i = 1; i <= parts; ++i)
            if (++of_kind[kind[i]] <= 2) printf "%s%s%s", text[0], text[i], more >(name "-" i)
        }
      }' || return
  done
  sed -i 's/\x01/\x00/g' "$target"/* && rm -r "$long"
}

# starting_files FOLDER SOURCE SEEDS EMU GOAL LOOPS: makes FOLDER/READER for each reader, of files that it accepts or
# nearly accepts. SEEDS is the program of this folder, EMU, GOAL and LOOPS are programs of the project; SOURCE is its
# folder.
starting_files() {
  local folder=$1 source=$2 seeds=$3 emu=$4 goal=$5 loops=$6 kind file
  mkdir -p "$folder"/{goal,skeleton,trace} || return
  "$seeds" "$folder" 60 || return
  for file in "$source"/tests/reference/oracle/programs/*.goal "$source/tests/apps/graph.goal"; do
    # The first operations of each rank are enough: short files are changed faster.
    awk '/^l[0-9]+/ { number = $1; gsub(/[^0-9]/, "", number); if (number + 0 > 4) next } { print }' "$file" \
      >"$folder/goal/$(basename "$file")"
  done
  cp "$source/tests/apps/graph.goal" "$folder/goal/"
  short_targets "$source" "$folder" || return
  for kind in availability frames goal skeleton target trace; do
    [ ! -d "$source/tests/unit/fuzz/corpus/$kind" ] || cp "$source/tests/unit/fuzz/corpus/$kind"/* "$folder/$kind/" || return
  done
  # Traces of real runs, so that they are of this version.
  "$emu" run -n 3 --target "$source/config/fast-ethernet-64.toml" --trace "$folder/trace/graph" \
    "$goal" "$source/tests/apps/graph.goal" --unit 1us >/dev/null || return
  "$emu" run -n 4 --target "$source/config/fast-ethernet-64.toml" --trace "$folder/trace/rnd" \
    "$goal" "$source/tests/reference/oracle/programs/rnd0.goal" --unit 0.1ns >/dev/null || return
  # One-sided operations.
  "$emu" run -n 3 --target "$source/config/fast-ethernet-64.toml" --trace "$folder/trace/counter" \
    "$loops" --counter one-sided --rule guided --iterations 20 >/dev/null || return
  for kind in counter graph rnd; do
    for file in "$folder/trace/$kind"/rank.*; do mv "$file" "$folder/trace/$kind-$(basename "$file")"; done
    rm -r "${folder:?}/trace/$kind"
  done
  "$emu" skeleton record -n 3 --target "$source/config/fast-ethernet-64.toml" -o "$folder/recording" \
    "$goal" "$source/tests/apps/graph.goal" --unit 1us >/dev/null 2>&1 || return
  "$emu" skeleton compress -o "$folder/skeleton/graph" "$folder/recording" >/dev/null 2>&1 || return
  for file in "$folder"/recording/rank.*; do mv "$file" "$folder/skeleton/graph-$(basename "$file")"; done
  rm -r "$folder/recording"
}
