// Cards, memories and links that messages share: how busy they are over time, and a table.
function loadOf(r, t) {
  const i = Math.floor(t / r.stretch);
  return i < 0 || i >= r.load.length ? 0 : Math.min(1, r.load[i] / Math.min(r.stretch, Math.max(1, view.end - i * r.stretch)));
}

function resources() {
  const all = data.resources, parent = $("resources");
  if (!all || !all.length) return;
  make("h2", parent, "Cards, memory and links");
  make("p", parent, "What messages share. The darker a row, the more of that time the resource was busy. The busiest are on top.");
  const drawn = all.filter(r => r.load), height = 16, label = 190;
  const canvas = make("canvas", parent);
  canvas.id = "resources-load";
  chart(canvas, drawn.length * height + 22, (context, x, columns) => {
    clip(context, columns, drawn.length * height);
    drawn.forEach((r, row) => {
      const y = row * height, first = Math.max(0, Math.floor(view.from / r.stretch));
      for (let i = first; i < r.load.length && i * r.stretch < view.until; ++i) {
        context.fillStyle = "rgba(47,111,143," + loadOf(r, i * r.stretch) + ")";
        context.fillRect(x(i * r.stretch), y + 1, x((i + 1) * r.stretch) - x(i * r.stretch), height - 2);
      }
      const w = Math.min(label, context.measureText(r.name).width);
      context.fillStyle = "rgba(255,255,255,0.75)";
      context.fillRect(left + 2, y + 2, w + 6, height - 4);
      context.fillStyle = "#1c2530";
      context.fillText(r.name, left + 5, y + height - 5, label);
    });
  }, (t, y) => {
    const r = drawn[Math.floor(y / height)];
    return r ? r.name + " at " + time(t, 6) + "\nbusy " + percent(loadOf(r, t)) + " of " + time(r.stretch) : "";
  });
  const t = longTable(parent, all, ["card, memory or link", "bytes", "messages", "busy", "of the time", "most at once", "mostly from"],
    r => [r.name, count(r.bytes), count(r.messages), time(r.busy), percent(r.busy / view.end),
      r.most_messages_at_once || "-", r.most_bytes_from_rank === undefined ? "-" : "rank " + r.most_bytes_from_rank], 12, "resources");
  t.id = "resources-table";
}
