"""Draws the curve of README.md: the run time by the number of ranks, its optimum, and the closed form."""
import experiment
from experiment import FAST_ETHERNET, MASE

TEXT = """\
Installs what is missing, builds, and draws apps/mase/curve.png from the study that README.md shows: apps/mase, 64 x 64
pixels that all cost 795 us, on config/fast-ethernet-64.toml with 2 to 64 ranks.
"""
PICTURE = "apps/mase/curve.png"


def main():
    experiment.options_of("curve", TEXT)
    out = experiment.prepare("curve")
    study, said = experiment.study(f"{out}/study.json", range(2, 65), FAST_ETHERNET, MASE, "--size", "64",
                                   "--cost-per-pixel", "795us")
    points = study["points"]

    def curve(name, key):
        return experiment.block(name, [(point["ranks"], point[key] * 1e3) for point in points])

    best, least = study["optimum_ranks"], study["optimum_seconds"] * 1e3
    experiment.gnuplot(curve("predicted", "predicted_seconds") + curve("master", "master_bound_seconds")
                       + curve("slaves", "slave_bound_seconds") + f"""\
set xlabel 'ranks: one master, the others slaves'
set ylabel 'run time (ms)'
set xrange [8:64]
set yrange [0:600]
set grid lc rgb '#dddddd'
set border 3
set tics nomirror
set label 'optimum: {best} ranks, {least:.1f} ms' at {best + 1},{least + 90:.3f} left
set object circle at {best},{least:.3f} size 0.5 front fc rgb '#c00000' fs solid
plot $slaves using 1:2 with lines lw 1.5 dt 2 lc rgb '#888888' title 'closed form: the slaves alone', \\
     $master using 1:2 with lines lw 1.5 dt 4 lc rgb '#888888' title 'closed form: the master alone', \\
     $predicted using 1:2 with lines lw 2.5 lc rgb '#1060a0' title 'predicted by emu study'
""", [("pngcairo size 760,380 font 'sans,11'", PICTURE)])
    print(said[said.rindex("Optimum"):] + f"Picture: {PICTURE}")


main()
