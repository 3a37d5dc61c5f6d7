"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const make = (tag, parent, text, style) => {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  if (style) e.style.cssText = style;
  if (parent) parent.appendChild(e);
  return e;
};
const words = name => name.replace(/_/g, " ");
function time(ps, digits = 4) {
  if (ps === 0) return "0 s";
  const s = Math.abs(ps) / 1e12;
  for (const [unit, factor] of [["s", 1], ["ms", 1e-3], ["us", 1e-6], ["ns", 1e-9], ["ps", 1e-12]])
    if (s >= factor || unit === "ps") return Number((ps / 1e12 / factor).toPrecision(digits)) + " " + unit;
}
const percent = x => (100 * x).toFixed(1) + " %";
const count = n => n.toLocaleString("en-US");

function tip(event, text) {
  const t = $("tip");
  t.style.display = text ? "block" : "none";
  if (!text) return;
  t.textContent = text;
  t.style.left = Math.min(event.clientX + 14, innerWidth - t.offsetWidth - 8) + "px";
  t.style.top = event.clientY + 16 + "px";
}

// parts: [[name, value, color]]
function bar(element, parts, whole) {
  for (const [name, value, color] of parts) {
    if (!(value > 0)) continue;
    const piece = make("i", element, undefined, "width:" + 100 * value / whole + "%;background:" + color);
    piece.onmousemove = e => tip(e, name + ": " + time(value) + " (" + percent(value / whole) + ")");
    piece.onmouseleave = e => tip(e, "");
  }
}
function key(element, parts) {
  for (const [name, color, text] of parts) {
    const entry = make("span", element);
    make("i", entry, undefined, "background:" + color);
    entry.appendChild(document.createTextNode(name + (text ? " " + text : "")));
  }
}

function head() {
  document.title = data.program + ": where the time goes";
  $("title").textContent = data.program;
  $("target").textContent = "predicted for " + data.target;
  for (const note of data.notes) make("div", $("notes"), note, "").className = "note";
  const fact = (name, value, id) => {
    const d = make("div", $("facts"));
    make("span", d, name);
    const v = make("b", d, value);
    v.className = "big";
    v.id = id;
  };
  fact("predicted", time(data.predicted_picoseconds, 6), "predicted");
  fact("ranks", count(data.ranks), "rank-count");
  fact("messages", count(data.messages), "message-count");
  fact("efficiency", percent(data.intervals.efficiency), "efficiency");
  const causes = Object.entries(data.critical_path.causes)
    .map(([n, v]) => [data.causes[n].words, v, data.causes[n].color]);
  const whole = data.predicted_picoseconds || 1;
  bar($("causes"), causes, whole);
  key($("causes-key"), causes.filter(c => c[1] > 0).sort((a, b) => b[1] - a[1])
    .map(([n, v, c]) => [n, c, time(v) + " (" + percent(v / whole) + ")"]));
  const failure = data.critical_path.begins_with_failure;
  if (failure)
    $("causes-begin").textContent = "It begins where the node of rank " + failure.rank + " fails, at " +
      time(failure.picoseconds) + ": whatever was before that, the target sets that instant.";
}

function cells(row, values, tag = "td") { for (const v of values) make(tag, row, v); }

function measures(parent, interval) {
  const kinds = Object.entries(interval.sum.by_kind);
  if (kinds.length) {
    const t = make("table", parent);
    cells(make("tr", t), ["communication, all ranks", "operations", "time", "of it synchronisation", "variation of the end"], "th");
    for (const [name, c] of kinds)
      cells(make("tr", t), [words(name), count(c.operations), time(c.time), time(c.synchronisation), time(c.variation)]);
  }
  make("div", parent, "received while computing (overlap): " + time(interval.sum.overlap) + "; load imbalance: " +
    time(interval.imbalance) + (interval.sum.system ? "; system time, of the productive: " + time(interval.sum.system) : "") +
    (interval.sum.node_down ? "; node down: " + time(interval.sum.node_down) : "")).className = "small";
  const inner = make("details", parent);
  make("summary", inner, "per rank").className = "small";
  inner.ontoggle = () => {
    if (inner.querySelector("table")) return;
    const t = make("table", inner);
    cells(make("tr", t), ["rank", "execution", "productive", "unshared", "communication", "idle", "overlap"], "th");
    interval.per_rank.forEach((m, rank) => cells(make("tr", t), [rank, time(m.execution), time(m.productive),
      time(m.insufficient_parallelism), time(m.communication), time(m.idle), time(m.overlap)]));
  };
}

function intervals(parent, interval, depth) {
  const d = make("details", parent);
  d.open = depth < 2;
  if (!depth) d.className = "root";
  const s = make("summary", d);
  make("b", s, interval.name);
  const total = interval.total || 1;
  s.appendChild(document.createTextNode("  " + time(interval.execution) + (interval.instances > interval.per_rank.length ?
    " in " + count(interval.instances) + " instances" : "") + ", efficiency " + percent(interval.efficiency)));
  const b = make("div", d);
  b.className = "bar";
  b.style.height = "12px";
  const m = interval.sum;
  bar(b, [["productive", m.productive, "#3f8f5b"], ["unshared", m.insufficient_parallelism, "#c7b23a"],
    ["communication", m.communication, "#d8592f"], ["node down", m.node_down, "#39424e"], ["idle", m.idle, "#cfd6df"]], total);
  const t = make("table", d);
  t.dataset.interval = interval.name;
  cells(make("tr", t), ["", "productive", "unshared", "communication", "idle", "total"], "th");
  const values = [m.productive, m.insufficient_parallelism, m.communication, m.idle, interval.total];
  cells(make("tr", t), ["all ranks"].concat(values.map(v => time(v))));
  cells(make("tr", t), ["share"].concat(values.map(v => percent(v / total))));
  measures(d, interval);
  for (const inside of interval.inside) intervals(d, inside, depth + 1);
}

function ranks() {
  key($("states-key"), data.timeline.states.map(s => [s.words, s.color]));
  for (const r of data.per_rank) {
    make("span", $("ranks"), "rank " + r.rank);
    const b = make("div", $("ranks"));
    b.className = "bar";
    bar(b, data.timeline.states.map(s => [s.words, r[s.name], s.color]), data.predicted_picoseconds || 1);
    const v = make("span", $("ranks"), time(r.finish));
    v.className = "r";
    v.dataset.finish = r.finish;
  }
}

