function timeline() {
  const line = data.timeline, n = data.ranks, states = line.states.length;
  const bins = line.rows.length ? line.rows[0].length / states : 0;
  // Sums over bins, so that the share of any stretch of a row is a difference of two sums.
  const sums = line.rows.map(row => {
    const s = new Float64Array((bins + 1) * states);
    for (let i = 0; i < bins * states; ++i) s[i + states] = s[i] + value[row[i]] / 61;
    return s;
  });
  const share = (rank, a, b, state) => {  // of the stretch of time [a, b)
    const at = t => {
      const x = Math.max(0, Math.min(bins, t / line.bin)), i = Math.min(bins - 1, Math.floor(x)), s = sums[rank];
      return s[i * states + state] + (x - i) * (s[(i + 1) * states + state] - s[i * states + state]);
    };
    return (at(b) - at(a)) * line.bin / (b - a);
  };
  function path(context, x, columns) {
    context.strokeStyle = "#111";
    context.lineWidth = 1.3;
    clip(context, columns, n * rowHeight);
    context.beginPath();
    let first = true;
    for (const [rank, a, b] of line.path) {
      if (b < view.from || a > view.until) { first = first || b < view.from; if (a > view.until) break; }
      const y = (rank + 0.5) * rowHeight;
      if (first) context.moveTo(x(a), y); else context.lineTo(x(a), y);
      context.lineTo(x(b), y);
      first = false;
    }
    context.stroke();
  }
  function paint(context, x, columns) {
    const at = column => view.from + (view.until - view.from) * column / columns;
    for (let rank = 0; rank < n; ++rank) {
      for (let column = 0; column < columns; ++column) {
        let top = rank * rowHeight;
        for (let state = 0; state < states; ++state) {
          const h = share(rank, at(column), at(column + 1), state) * (rowHeight - 1);
          if (h <= 0.01) continue;
          context.fillStyle = line.states[state].color;
          context.fillRect(left + column, top, 1, h);
          top += h;
        }
      }
      rowLabel(context, rank);
    }
    if ($("path").checked) path(context, x, columns);
    $("window").textContent = "showing " + time(view.until - view.from) + " from " + time(view.from);
  }
  function describe(t, y, width) {
    const rank = Math.floor(y / rowHeight);
    if (rank < 0 || rank >= n) return "";
    const parts = line.states.map((s, i) => [s.words, share(rank, t, t + width, i)]).filter(p => p[1] > 0.005);
    return "rank " + rank + " at " + time(t, 6) + parts.map(p => "\n" + p[0] + " " + percent(p[1])).join("");
  }
  view.shortest = line.bin / 8;
  chart($("timeline"), n * rowHeight + 22, paint, describe);
  $("whole").onclick = () => show(0, view.end);
  $("path").onchange = () => show(view.from, view.until);
}
