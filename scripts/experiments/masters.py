"""The best number of masters: a comparison of the strategies of apps/mase: one master, several, masters that split."""
import experiment
from experiment import FAST_ETHERNET, MASE

TEXT = """\
Installs what is missing, builds, and predicts the run time of apps/mase (an image of N x N pixels; one pixel per task;
795 us of work per pixel on average, as in scripts/demo) on config/fast-ethernet-64.toml with 64 processes under the
strategies SI, ML with 2 to 16 masters, and DY. Prints a table. The pictures are build/masters/masters.png (the curves)
and build/masters/map-*.png (the master of each pixel). 1024 x 1024 pixels take some minutes.
"""

RANKS = 64
MASTERS = [2, 3, 4, 5, 6, 7, 8, 10, 12, 16]
BLOCK_MASTERS = [2, 4, 8, 16]
CURVES = ["cyclic", "scattered", "block", "even"]


def table(si, si_even, curves, dy, dy_even):
    print(f"\n{'masters':10} {'cyclic (s)':>12} {'scattered (s)':>12} {'block (s)':>12} {'even (s)':>12}")
    print(f"{'1 (SI)':10} {si:12.3f} {'':12} {'':12} {si_even:12.3f}")
    for masters in MASTERS:
        cells = [f"{curves[name][masters]:12.3f}" if masters in curves[name] else " " * 12 for name in CURVES]
        print(f"{masters:<10} " + " ".join(cells))
    print(f"{'DY':10} {dy:12.3f} {'':12} {'':12} {dy_even:12.3f}")


def best(curve):
    masters = min(curve, key=curve.get)
    return f"{curve[masters]:.3f} s with {masters} masters"


def plot(size, out, si, dy, curves):
    titles = {"cyclic": "ML cyclic", "scattered": "ML scattered", "block": "ML block", "even": "ML, even tasks"}
    lines = ", ".join(f"${name} using 1:2 with linespoints lw 2 title '{title}'" for name, title in titles.items())
    experiment.gnuplot("".join(experiment.block(name, curves[name].items()) for name in CURVES) + f"""\
set title 'MASE with several masters, {size} x {size} pixels, T = 1, P = {RANKS}: predicted run time'
set xlabel 'masters P_m'
set ylabel 'seconds'
set xrange [1:17]
set yrange [0:*]
set grid
set key outside right top
plot {lines}, {si} with lines dashtype 2 lw 2 title 'SI', {dy} with lines dashtype 3 lw 2 title 'DY'
""", [("pngcairo size 1000,650", f"{out}/masters.png")])


def main():
    size = experiment.options_of("masters", TEXT, size=(1024, 1, 9999, "pixels of the image's edge")).size
    out = experiment.prepare("masters")
    mase = experiment.Mase(size)
    runs = experiment.Runs(4 + 3 * len(MASTERS) + len(BLOCK_MASTERS))

    def predict(name, label, *options):
        return runs.predict(f"{out}/{name}.json", label, RANKS, FAST_ETHERNET, MASE, *options)["predicted_seconds"]

    def curve(name, numbers, *options):
        return {masters: predict(f"{name}-{masters}", f"ML, {name:9} {masters:2} masters", "--strategy", "ml",
                                 "--masters", str(masters), "--map", f"{out}/map-{name}-{masters}.png", *options)
                for masters in numbers}

    si = predict("si", "SI, 1 master", *mase.uneven)
    si_even = predict("si-even", "SI, 1 master, even tasks", *mase.even)
    curves = {"cyclic": curve("cyclic", MASTERS, *mase.uneven, "--dealing", "cyclic"),
              "scattered": curve("scattered", MASTERS, *mase.uneven, "--dealing", "scattered"),
              "block": curve("block", BLOCK_MASTERS, *mase.uneven, "--dealing", "block"),
              "even": curve("even", MASTERS, *mase.even, "--dealing", "cyclic")}
    dy = predict("dy", "DY", "--strategy", "dy", "--map", f"{out}/map-dy.png", *mase.uneven)
    splits = [line[len("mase: "):] for line in experiment.read(f"{out}/dy.json.log").splitlines()
              if line.startswith("mase: ")]
    dy_even = predict("dy-even", "DY, even tasks", "--strategy", "dy", *mase.even)

    table(si, si_even, curves, dy, dy_even)
    print(f"""
cyclic     pixel i is dealt by master i mod the number of masters, all masters from top to bottom
scattered  the same pixels of a master, but neighbours far apart in time
block      every master has a strip of the image
even       every pixel costs the same
DY made {", ".join(splits)}.

Best: {best(curves["scattered"])} scattered, {best(curves["cyclic"])} cyclic, {best(curves["block"])} in blocks,
{best(curves["even"])} where all tasks cost the same.
Pictures: {out}/masters.png, {out}/map-dy.png, {out}/map-cyclic-8.png, {out}/map-block-8.png, ...""")
    plot(size, out, si, dy, curves)


main()
