const curveColors = ["#1f6fb4", "#d9601a", "#2a8a4a", "#a33a8c", "#7a6a1f", "#c02a3a"];

// A round step of which about `n` fit into `range`.
function step(range, n) {
  const power = Math.pow(10, Math.floor(Math.log10(range / n)));
  return power * ([1, 2, 5].find(f => range / n <= f * power) || 10);
}

// Where a number of ranks and a time are in the picture; times that are far apart on a logarithmic axis.
function frameOf(curves) {
  const points = curves.flatMap(c => c.good), seconds = points.map(p => p.predicted_seconds), ranks = points.map(p => p.ranks);
  const first = Math.min(...ranks), last = Math.max(first + 1, ...ranks), low = Math.min(...seconds), high = Math.max(...seconds) * 1.05 || 1;
  const logarithmic = low > 0 && high > 12 * low, least = logarithmic ? low * 0.9 : 0;
  const y = s => 300 - 280 * (logarithmic ? Math.log(Math.max(s, least) / least) / Math.log(high / least) : Math.min(s, high) / high);
  const ticks = [];
  if (logarithmic) {
    for (let p = Math.pow(10, Math.floor(Math.log10(least))); p < high; p *= 10)
      for (const f of [1, 2, 5]) if (f * p >= least && f * p <= high) ticks.push(f * p);
  } else for (let i = 0, s = step(high, 6); i * s <= high; ++i) ticks.push(i * s);
  const right = Math.max(1, step(last - first, 12)), columns = [];
  for (let p = Math.ceil(first / right) * right; p <= last; p += right) columns.push(p);
  return { x: p => 70 + 1000 * (p - first) / (last - first), y, ticks, columns, least, high };
}

function drawing(parent) {
  const box = make("div", parent);
  box.innerHTML = '<svg viewBox="0 0 1100 350" style="width:100%;font:12px system-ui,sans-serif"></svg>';
  const svg = box.firstChild;
  return (tag, attributes, text) => {
    const e = document.createElementNS(svg.namespaceURI, tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    if (text !== undefined) e.textContent = text;
    svg.appendChild(e);
    return e;
  };
}

function picture(parent, curves) {
  const { x, y, ticks, columns, least, high } = frameOf(curves), put = drawing(parent), grid = { stroke: "#dde", fill: "none" };
  for (const s of ticks) {
    put("path", { d: `M70 ${y(s)}H1070`, ...grid });
    put("text", { x: 62, y: y(s) + 4, "text-anchor": "end", fill: "#556" }, time(s * 1e12, 3));
  }
  for (const p of columns) {
    put("path", { d: `M${x(p)} 20V300`, ...grid });
    put("text", { x: x(p), y: 316, "text-anchor": "middle", fill: "#556" }, p);
  }
  put("text", { x: 570, y: 338, "text-anchor": "middle", fill: "#556" }, "ranks");
  const line = (points, key, look) => put("polyline", { fill: "none", ...look,
    points: points.filter(p => p[key] >= least && p[key] <= high).map(p => x(p.ranks) + "," + y(p[key])).join(" ") });
  if (curves.length === 1) {
    const c = curves[0];
    if (c.flat_region) put("rect", { x: x(c.flat_region[0]) - 3, y: 20, height: 280, fill: "#2a7", "fill-opacity": 0.12,
      width: x(c.flat_region[1]) - x(c.flat_region[0]) + 6 });
    line(c.good, "master_bound_seconds", { stroke: "#b33", "stroke-dasharray": "5 4" });
    line(c.good, "slave_bound_seconds", { stroke: "#383", "stroke-dasharray": "5 4" });
  }
  curves.forEach((c, i) => {
    const color = curveColors[i % curveColors.length];
    line(c.good, "predicted_seconds", { stroke: color, "stroke-width": 2 });
    for (const p of c.good) {
      if (p.interval_seconds) put("path", { d: `M${x(p.ranks)} ${y(p.interval_seconds[0])}V${y(p.interval_seconds[1])}`, stroke: color });
      const dot = put("circle", { cx: x(p.ranks), cy: y(p.predicted_seconds), r: p.ranks === data.ranks ? 6 : 4, fill: color,
        stroke: p.ranks === data.ranks ? "#111" : "none" });
      dot.dataset.seconds = p.predicted_seconds;
      dot.onmousemove = e => tip(e, p.ranks + " ranks: " + time(p.predicted_seconds * 1e12, 6));
      dot.onmouseleave = e => tip(e, "");
    }
  });
}

function study() {
  const s = data.study, parent = $("study");
  if (!s) return;
  make("h2", parent, "How many ranks");
  const curves = (s.variations || [s]).map(c => ({ ...c, good: c.points.filter(p => p.predicted_seconds !== undefined) }));
  make("p", parent, "Predicted for " + curves[0].target + (curves.length > 1 ? ", and with other values" : "") + ". " +
    (curves.length === 1 ? "Dashed, where there is a master: the closed form of the master alone (red) and of the slaves alone (green). " +
    "Shaded: within 2 % of the optimum. " : "") + "A frame: as many ranks as in the run that the rest of this page shows.");
  if (curves.some(c => c.good.length)) picture(parent, curves);
  curves.forEach((c, i) => {
    const label = c.values ? Object.entries(c.values).map(([k, v]) => k + "=" + v).join(", ") + ": " : "";
    const verdict = make("p", parent);
    if (label) make("i", verdict, undefined, "display:inline-block;width:11px;height:11px;margin-right:5px;background:" +
      curveColors[i % curveColors.length]);
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
