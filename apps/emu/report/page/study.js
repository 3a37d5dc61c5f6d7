function study() {
  const s = data.study, parent = $("study");
  if (!s) return;
  make("h2", parent, "How many ranks");
  const curves = s.variations || [s];
  make("p", parent, "Predicted for " + curves[0].target + (curves.length > 1 ? ", and with other values" : "") + ". " +
    (curves.length === 1 ? "Dashed, where there is a master: the closed form of the master alone (red) and of the slaves alone (green). " +
    "Shaded: within 2 % of the optimum. " : "") + "Dotted: as many ranks as in the run that the rest of this page shows.");
  make("div", parent).innerHTML = data.curve;
  curves.forEach(c => {
    const words = values => Object.entries(values).map(([k, v]) => k + "=" + v).join(" ");
    const label = c.values ? words(c.values) + ": " : "", point = p => p.ranks + " ranks" + (p.sweep ? " with " + words(p.sweep) : "");
    const verdict = make("p", parent), flat = c.flat_points;
    verdict.className = "verdict";
    const around = !c.optimum_ranks ? "" : flat ? (flat.length === 1 ? "; no other within 2 % of it." : "; within 2 % of it: " + flat.map(point).join(", ") + ".") :
      c.flat_region[0] === c.flat_region[1] ? "." : "; within 2 % of it: " + c.flat_region.join(" to ") + " ranks.";
    make("b", verdict, label + (c.optimum_ranks ? "Optimum: " + point({ranks: c.optimum_ranks, sweep: c.optimum_sweep}) + ", " +
      time(c.optimum_seconds * 1e12, 5) + around : "No run was good."));
    if (!c.optimum_ranks) return;
    const last = Math.max(...c.points.map(p => p.ranks)) === c.optimum_ranks && !c.sweep, nothing = c.bottleneck === "none in this range";
    make("span", verdict, (last ? " More ranks than these were not asked for. " : " ") + (nothing ? "Nothing holds it up in this range." :
      (last ? "What holds it up: " : "Why more do not help: ") + c.bottleneck + "."));
    const why = make("ul", parent);
    why.className = "small";
    for (const side of c.limits || [])
      if (side.ranks) make("li", why, side.side + ": " + point(side) + " take " + (100 * (side.predicted_seconds / c.optimum_seconds - 1)).toFixed(1) +
        " % longer; the critical path has " + time(side.cause_seconds * 1e12, 4) + " more of " + side.cause);
    for (const sentence of c.bottleneck_why) make("li", why, sentence);
  });
  make("h3", parent, "Runs");
  make("div", parent).innerHTML = data.runs;
}
