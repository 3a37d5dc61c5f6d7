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
    const label = c.values ? Object.entries(c.values).map(([k, v]) => k + "=" + v).join(", ") + ": " : "";
    const verdict = make("p", parent);
    verdict.className = "verdict";
    make("b", verdict, label + (c.optimum_ranks ? "Optimum: " + c.optimum_ranks + " ranks, " + time(c.optimum_seconds * 1e12, 5) +
      (c.flat_region[0] === c.flat_region[1] ? "." : "; within 2 % of it: " + c.flat_region.join(" to ") + " ranks.") : "No run was good."));
    if (!c.optimum_ranks) return;
    const last = Math.max(...c.points.map(p => p.ranks)) === c.optimum_ranks, nothing = c.bottleneck === "none in this range";
    make("span", verdict, (last ? " More ranks than these were not asked for. " : " ") + (nothing ? "Nothing holds it up in this range." :
      (last ? "What holds it up: " : "Why more do not help: ") + c.bottleneck + "."));
    const why = make("ul", parent);
    why.className = "small";
    for (const sentence of c.bottleneck_why) make("li", why, sentence);
  });
}
