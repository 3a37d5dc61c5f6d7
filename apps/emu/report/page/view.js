// Charts over time. All charts show the same stretch of time, and move together.
const left = 46;  // of every picture: the width of the names
const view = { from: 0, until: 1, end: Math.max(1, ...data.per_rank.map(r => r.finish)), shortest: 1, charts: [] };

function show(a, b) {
  const length = Math.max(view.shortest, Math.min(view.end, b - a));
  view.from = Math.max(0, Math.min(view.end - length, a));
  view.until = view.from + length;
  for (const draw of view.charts) draw();
}

// paint(context, x, columns): x maps an instant to its place; columns is the width of the time axis in points.
// describe(t, y, width): text for instant t, where a point is `width` of time wide; "" for none.
function chart(canvas, height, paint, describe) {
  const context = canvas.getContext("2d");
  canvas.style.height = height + "px";
  const draw = () => {
    const scale = devicePixelRatio || 1, width = canvas.clientWidth, columns = Math.floor(width - left);
    canvas.width = width * scale;
    canvas.height = height * scale;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = "11px system-ui, sans-serif";
    const x = t => left + columns * (t - view.from) / (view.until - view.from);
    context.save();
    paint(context, x, columns);
    context.restore();
    context.fillStyle = "#556";
    for (let i = 0; i <= 8; ++i) {
      const t = view.from + (view.until - view.from) * i / 8, label = time(t, 5), w = context.measureText(label).width;
      context.fillText(label, Math.min(width - w - 2, Math.max(left, x(t) - w / 2)), height - 6);
    }
  };
  const instant = e => {
    const box = canvas.getBoundingClientRect();
    return view.from + (view.until - view.from) * Math.max(0, e.clientX - box.left - left) / (box.width - left);
  };
  canvas.onwheel = e => {
    e.preventDefault();
    const t = instant(e), f = Math.exp(Math.sign(e.deltaY) * 0.25);
    show(t - (t - view.from) * f, t + (view.until - t) * f);
  };
  let grabbed = null;
  canvas.onpointerdown = e => {
    grabbed = { from: view.from, until: view.until, x: e.clientX };
    canvas.setPointerCapture(e.pointerId);
  };
  canvas.onpointerup = () => { grabbed = null; };
  canvas.onpointermove = e => {
    if (grabbed) {
      const d = (grabbed.x - e.clientX) / (canvas.clientWidth - left) * (grabbed.until - grabbed.from);
      show(grabbed.from + d, grabbed.until + d);
      return;
    }
    const t = instant(e), width = (view.until - view.from) / (canvas.clientWidth - left);
    tip(e, describe(t, e.clientY - canvas.getBoundingClientRect().top, width));
  };
  canvas.onpointerleave = e => tip(e, "");
  canvas.ondblclick = () => show(0, view.end);
  view.charts.push(draw);
}

// Height of a row of a rank, chosen so that all rows fit on a screen.
const rowHeight = Math.max(3, Math.min(22, Math.floor(640 / data.ranks)));
function rowLabel(context, rank) {
  if (rowHeight < 11 && rank % Math.ceil(12 / rowHeight) !== 0) return;
  context.fillStyle = "#556";
  context.fillText(rank, 6, rank * rowHeight + Math.max(rowHeight, 9) - 2);
}
function clip(context, columns, height) {
  context.beginPath();
  context.rect(left, 0, columns, height);
  context.clip();
}

// A letter in the rows of the data encodes a number from 0 to 61.
const value = {};
[..."0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"].forEach((c, i) => value[c] = i);
