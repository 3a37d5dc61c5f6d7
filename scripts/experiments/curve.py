"""Draws the curve of README.md: the run time by the number of ranks, its optimum, and the closed form."""
import experiment
from experiment import FAST_ETHERNET, MASE

TEXT = """\
Installs what is missing, builds, and draws apps/mase/curve.png: the curve of the study that README.md shows, apps/mase
with 64 x 64 pixels that all cost 795 us, on config/fast-ethernet-64.toml with 8 to 64 ranks.
"""
PICTURE = "apps/mase/curve.png"


def main():
    experiment.options_of("curve", TEXT)
    out = experiment.prepare("curve")
    _, said = experiment.study(f"{out}/study.json", range(8, 65), FAST_ETHERNET, MASE, "--size", "64",
                               "--cost-per-pixel", "795us", picture=PICTURE)
    print(said[said.rindex("Optimum"):] + f"Picture: {PICTURE}")


main()
