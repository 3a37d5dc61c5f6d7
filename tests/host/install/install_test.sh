#!/bin/sh
# An installation, also after a move, compiles and runs a program: with its emucc, and with pkg-config.
#   install_test.sh BUILD SOURCES MPIRUN TARGET PREFIX BINDIR LIBDIR
set -u
build=$1 sources=$2 mpirun=$3 target=$4 prefix=$5 bindir=$6 libdir=$7
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
failed=0
# Meson sets the path to the libraries of the build tree; programs have to find libemu without it.
unset EMU_TARGET EMU_RECORD LD_PRELOAD LD_LIBRARY_PATH
fail() { echo "FAILED: $*"; failed=1; }

DESTDIR=$work/stage meson install -C "$build" --no-rebuild --quiet || exit 1
mv "$work/stage$prefix" "$work/moved" || exit 1
cd "$work" || exit 1

runs() {
  native=$("$mpirun" -n 2 "$@" 2>&1) || fail "$*: native: $native"
  emulated=$(EMU_TARGET=$target EMU_RECORD=$work/record "$mpirun" -n 2 "$@" 2>&1) || fail "$*: emulated: $emulated"
  [ "$native" = "$emulated" ] || fail "$*: natively '$native', emulated '$emulated'"
  [ -s record ] || fail "$*: not emulated: no record"
  rm -f record
}

for name in emucc emucxx emu; do [ -x "moved/$bindir/$name" ] || fail "$name is not installed"; done
[ -f moved/include/emu/emu.h ] || fail 'emu/emu.h is not installed'
for file in man/man1/emu-run.1 bash-completion/completions/emu fish/vendor_completions.d/emu.fish zsh/site-functions/_emu; do
  [ -f "moved/share/$file" ] || fail "share/$file is not installed"
done

"moved/$bindir/emucxx" "$sources/hello.cc" -o by_wrapper || fail 'the installed emucxx'
runs ./by_wrapper
export PKG_CONFIG_PATH="$work/moved/$libdir/pkgconfig"
c++ ${CXXFLAGS:-} "$sources/hello.cc" -o by_pkg_config $(pkg-config --cflags --libs emu) || fail 'pkg-config emu'
runs ./by_pkg_config
case $(readelf -d by_pkg_config | grep 'NEEDED.*lib\(emu\|mpi\)' | head -n 1) in
  *libemu.so*) ;;
  *) fail 'pkg-config: libemu.so does not stand before the MPI library' ;;
esac
# Meson rearranges the words of pkg-config's answer that it knows.
mkdir project && cp "$sources/hello.cc" project/ && cat >project/meson.build <<'END'
project('user', 'cpp')
executable('by_meson', 'hello.cc', dependencies: dependency('emu'))
END
{ meson setup project/build project && meson compile -C project/build; } >meson.log 2>&1 || { cat meson.log; fail 'Meson with pkg-config'; }
runs project/build/by_meson
runs env "LD_PRELOAD=$work/moved/$libdir/libemu.so" ./by_wrapper
exit $failed
