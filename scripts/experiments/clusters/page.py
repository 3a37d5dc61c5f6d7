"""A page with predicted over measured times, a colour for each cluster, and a PNG of it by gnuplot."""
import html
import math
import os
import subprocess

COLORS = ["#3c78c3", "#d8592f", "#3f8f5b", "#9a62b8", "#e0912f", "#4f9a94", "#b0485f", "#8a6d4f", "#5fb0d6", "#777777"]
SIZE, MARGIN = 640, 60


def percent(value):
    return "-" if value is None else f"{100 * value:.1f} %"


class Scale:
    """Decades of seconds on SIZE pixels."""

    def __init__(self, values):
        self.low = math.floor(math.log10(min(values)))
        self.high = max(math.ceil(math.log10(max(values))), self.low + 1)

    def at(self, seconds):
        return (math.log10(seconds) - self.low) / (self.high - self.low) * SIZE

    def decades(self):
        return range(self.low, self.high + 1)


def in_words(decade):
    units = {-9: "ns", -6: "us", -3: "ms", 0: "s"}
    base = max((unit for unit in units if unit <= decade), default=-9)
    return f"{10 ** (decade - base)} {units[base]}"


def svg(rows, clusters):
    scale = Scale([t for row in rows for t in (row.measured, row.predicted)])
    parts = [f'<svg viewBox="0 0 {SIZE + 2 * MARGIN} {SIZE + 2 * MARGIN}" role="img" '
             'aria-label="predicted over measured times">', f'<g transform="translate({MARGIN},{MARGIN})">']
    for decade in scale.decades():
        at = scale.at(10.0 ** decade)
        parts.append(f'<path class="grid" d="M{at:.1f} 0V{SIZE}M0 {SIZE - at:.1f}H{SIZE}"/>'
                     f'<text x="{at:.1f}" y="{SIZE + 18}" text-anchor="middle">{in_words(decade)}</text>'
                     f'<text x="-6" y="{SIZE - at + 4:.1f}" text-anchor="end">{in_words(decade)}</text>')
    by = math.log10(1.2) / (scale.high - scale.low) * SIZE
    parts.append(f'<path class="same" d="M0 {SIZE}L{SIZE} 0"/>'
                 f'<path class="near" d="M0 {SIZE - by:.1f}L{SIZE - by:.1f} 0M{by:.1f} {SIZE}L{SIZE} {by:.1f}"/>')
    for row in rows:
        x, y = scale.at(row.measured), SIZE - scale.at(row.predicted)
        title = f"{row.name}: measured {row.measured:.4g} s, predicted {row.predicted:.4g} s ({100 * row.error:+.1f} %)"
        color = COLORS[clusters.index(row.cluster) % len(COLORS)]
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{color}">'
                     f"<title>{html.escape(title)}</title></circle>")
    parts.append(f'<text x="{SIZE / 2}" y="{SIZE + 42}" text-anchor="middle">measured</text>'
                 f'<text transform="translate(-48,{SIZE / 2})rotate(-90)" text-anchor="middle">predicted</text>'
                 "</g></svg>")
    return "".join(parts)


def table(summaries):
    heads = ("set", "rows", "median error", "90th percentile", "worst", "pairs in order", "inside the interval",
             "SMPI, median", "not predicted")
    lines = ["<tr>" + "".join(f"<th>{head}</th>" for head in heads) + "</tr>"]
    for name, s in summaries.items():
        if s is None:
            continue
        order = "-" if s["order_right"] is None else f"{percent(s['order_right'])} of {s['pairs']}"
        cells = (name, s["rows"], percent(s["median_error"]), percent(s["p90_error"]), percent(s["worst_error"]), order,
                 percent(s["inside_interval"]), percent(s["smpi_median_error"]), s["not_predicted"])
        lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return "<table>" + "".join(lines) + "</table>"


STYLE = """body{font:14px sans-serif;margin:2em auto;max-width:60em;color:#222}svg{width:100%;max-width:46em}
text{font-size:12px;fill:#444}.grid{stroke:#e4e4e4;fill:none}.same{stroke:#222;fill:none}.near{stroke:#999;fill:none;
stroke-dasharray:4 3}circle{fill-opacity:.6}table{border-collapse:collapse}th,td{padding:.2em .7em;text-align:right;
border-bottom:1px solid #ddd}th:first-child,td:first-child{text-align:left}
.key span{margin-right:1.2em;white-space:nowrap}"""


def write(path, all_rows, summaries):
    rows = [row for row in all_rows if row.predicted]
    if not rows:
        return
    clusters = sorted({row.cluster for row in rows})
    key = "".join(f'<span><b style="color:{COLORS[i % len(COLORS)]}">&#9679;</b> {html.escape(name)}</span>'
                  for i, name in enumerate(clusters))
    text = (f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Predicted and measured</title><style>{STYLE}'
            f"</style><h1>Predicted and measured</h1>{table(summaries)}<p>The lines beside the diagonal are 20 % off."
            f'</p><p class="key">{key}</p>{svg(rows, clusters)}</html>\n')
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    picture(os.path.splitext(path)[0] + ".png", rows, clusters)


def picture(path, rows, clusters):
    data = os.path.splitext(path)[0] + ".dat"
    with open(data, "w", encoding="utf-8") as file:
        for name in clusters:
            for row in rows:
                if row.cluster == name:
                    file.write(f"{row.measured:.9g} {row.predicted:.9g}\n")
            file.write("\n\n")
    plots = ["x with lines lc rgb '#222222' notitle", "1.2*x with lines dt 2 lc rgb '#999999' notitle",
             "x/1.2 with lines dt 2 lc rgb '#999999' notitle"]
    plots += [f"'{data}' index {i} with points pt 7 ps 0.5 lc rgb '{COLORS[i % len(COLORS)]}' title '{name}'"
              for i, name in enumerate(clusters)]
    script = (f"set terminal pngcairo size 800,700\nset output '{path}'\nset logscale xy\nset key top left noenhanced\n"
              "set xlabel 'measured (s)'\nset ylabel 'predicted (s)'\nset format xy '10^{%T}'\nset grid\nplot "
              + ", ".join(plots) + "\n")
    subprocess.run(["gnuplot"], input=script, text=True, check=False)
    os.remove(data)
