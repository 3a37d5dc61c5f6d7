#!/bin/bash
# package_test.sh SOURCES BUILD: installs the packages of scripts/package into clean roots, from the packages of this
# machine, and runs the example of README.md there: from the Debian package as root, from the archive as nobody, without
# the libraries that it contains.
sources=$1 build=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export EMU_IS_BUILT=1 DPKG_DEB_COMPRESSOR_LEVEL=0  # the best compression takes most of the time

python3 "$sources/scripts/experiments/package.py" --build "$build" --output "$work/packages" || exit 1
ls "$work"/packages/libemu_*.deb "$work"/packages/libemu-*.tar.gz >/dev/null || exit 1

# A root is this machine's, below a layer in memory: changes disappear
# with it. The sources, the build tree and homes are not visible.
cat >"$work/in_root" <<'END'
work=$1 sources=$2 build=$3 what=$4
mount --make-rprivate / && mount -t tmpfs tmpfs "$work/root" && mkdir "$work"/root/{upper,work,merged} || exit 77
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/root/upper,workdir=$work/root/work" "$work/root/merged" 2>/dev/null || exit 77
root=$work/root/merged
for folder in proc dev dev/shm; do mount --rbind "/$folder" "$root/$folder" || exit 77; done
cp -r "$work/packages" "$work/$what" "$root/opt/" || exit 77
for hidden in "$sources" "$build" /root /home /tmp; do
  [ ! -d "$root$hidden" ] || mount -t tmpfs tmpfs "$root$hidden" || exit 77
done
chmod 1777 "$root/tmp"
# mpirun looks for its own host.
exec env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/tmp chroot "$root" /bin/bash "/opt/$what"
END

cat >"$work/example" <<'END'
cd /tmp && export HOME=/tmp
fail() { echo "FAILED: $*"; exit 1; }
cat >app.c <<'C'
#include <emu/emu.h>
#include <mpi.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  emu_compute(1e-3);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
C
emucc -O2 app.c -o app || fail emucc
emu check ./app >out 2>&1 || fail "emu check: $(cat out)"
emu run -n 16 --target fast-ethernet-64 ./app >out 2>&1 || fail "emu run: $(cat out)"
grep -q '^emu: predicted .* on 16 ranks' out || fail "emu run says: $(cat out)"
mpirun -n 2 ./app || fail 'natively'
emu study --target fast-ethernet-64 --ranks 2..64 --search "$(command -v mase)" --size 64 --cost-per-pixel 795us >out 2>err ||
  fail "emu study: $(tail -n 3 err)"
grep -q '^Optimum: 28 ranks, 147.76 ms; within 2 % of it: 28 to 29 ranks.' out || fail "emu study says: $(grep Optimum out)"
emu target --list | grep -q fast-ethernet-64 || fail 'emu target --list'
python3 - <<'PYTHON' || fail 'the Python module'
import emu
assert emu.run("./app", ranks=4, target=emu.Target.load("fast-ethernet-64")).predicted_seconds > 1e-3
print("module of", emu.__file__)
PYTHON
END

cat >"$work/debian" <<'END'
dpkg -i /opt/packages/libemu_*.deb >/tmp/log 2>&1 || { cat /tmp/log; exit 1; }
[ "$(dpkg-query -W -f '${Version}' libemu)" = "$(emu --version | grep -o '[0-9.]*$')" ] || { echo 'FAILED: versions differ'; exit 1; }
for file in man/man1/emu-run.1 bash-completion/completions/emu doc/libemu/copyright libemu/fast-ethernet-64.toml; do
  ls /usr/share/$file* >/dev/null || exit 1
done
END
cat "$work/example" >>"$work/debian"
cat >>"$work/debian" <<'END'
cd / && dpkg -r libemu >/dev/null || fail 'dpkg -r'
[ ! -e /usr/bin/emu ] && [ ! -e /usr/include/emu ] && [ ! -e /usr/share/libemu ] || fail 'something stays behind'
END

cat >"$work/archive" <<'END'
mkdir -p "/srv/some where" && cd "/srv/some where" && tar -xzf /opt/packages/libemu-*.tar.gz && chown -R nobody . || exit 1
place=$(echo "/srv/some where"/libemu-*)
for library in boost_program_options spdlog fmt tomlplusplus gsl otf2 glpk; do rm -f /usr/lib/*/lib$library.so*; done
cp /opt/example /tmp/example && chmod 644 /tmp/example
export PATH="$place/bin:$PATH" PYTHONPATH
PYTHONPATH=$(echo "$place"/lib/python3/dist-packages)
exec setpriv --reuid nobody --regid nogroup --clear-groups /bin/bash /tmp/example
END

code=0
for what in debian archive; do
  mkdir -p "$work/root"
  cp "$work/example" "$work/packages/example"
  sed -i 's|/opt/example|/opt/packages/example|' "$work/archive"
  unshare --mount --fork /bin/bash "$work/in_root" "$work" "$sources" "$build" "$what" ||
    { last=$?; [ $last = 77 ] && { echo "no clean root can be made here: needs root, mounts and an overlay"; exit 77; }; code=1; echo "FAILED: $what"; }
done
exit $code
