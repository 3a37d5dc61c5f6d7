#!/bin/bash
# without_fcl_test.sh SOURCE: without fcl, the setup of a build reports
# this and the package to install, and omits apps/roms, but nothing else.
source=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/packages"
IFS=: read -ra paths <<<"$(pkg-config --variable pc_path pkg-config)"
for path in "${paths[@]}"; do
  for file in "$path"/*.pc; do
    case $file in
      */fcl.pc | *'*.pc') ;;
      *) [ -e "$folder/packages/${file##*/}" ] || ln -s "$file" "$folder/packages" ;;
    esac
  done
done
export PKG_CONFIG_LIBDIR=$folder/packages
unset PKG_CONFIG_PATH

fail() {
  echo "FAIL: $1"
  tail -n 20 "$folder/log"
  exit 1
}
meson setup "$folder/build" "$source" >"$folder/log" 2>&1 || fail 'it cannot be set up'
grep -q 'WARNING: apps/roms is not built: fcl is missing (Debian: libfcl-dev)' "$folder/log" || fail 'it does not say what is missing'
ninja -C "$folder/build" -t targets all >"$folder/targets"
grep -q '^apps/mase/mase:' "$folder/targets" || fail 'mase is not built'
grep -q '^apps/roms/roms:\|^apps/roms/lib\|joint_test:' "$folder/targets" && fail 'roms is built'
exit 0
