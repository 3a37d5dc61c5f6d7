const firstColors = ["#2f6fb0", "#d9601a", "#2a8a4a", "#a33a8c", "#8a7420", "#c02a3a", "#4aa3b8", "#7a5ad0", "#6f8f2a", "#b0557a"];
const masterColor = i => firstColors[i] || "hsl(" + Math.round(i * 137.5 % 360) + ",50%," + (i % 2 ? 38 : 52) + "%)";
const colorOf = rank => masterColor(data.task_map.masters.indexOf(rank));
const average = (sum, n) => n ? time(sum / n) : "-";

// A table that shows its first rows, and all rows when unfolded. `values` makes the cells of an entry.
function longTable(parent, entries, heads, values, shown, what) {
  const fill = (t, some) => {
    cells(make("tr", t), heads, "th");
    for (const entry of some) cells(make("tr", t), values(entry));
    return t;
  };
  const first = fill(make("table", parent), entries.slice(0, shown));
  if (entries.length > shown) {
    const all = make("details", parent);
    make("summary", all, "all " + count(entries.length) + " " + what).className = "small";
    all.ontoggle = () => { if (!all.querySelector("table")) fill(make("table", all), entries); };
  }
  return first;
}

// Explains the numbers of a master in words.
function masterWords(m) {
  const slaves = m.slaves === 1 ? "1 slave" : count(m.slaves) + " slaves", work = m.work / m.tasks;
  const changing = m.slaves_at_a_time < 0.9 * m.slaves ? " (" + m.slaves_at_a_time.toFixed(1) + " at a time)" : "";
  const busy = m.length ? m.busy / m.length : 0;
  let text = "Rank " + m.rank + " deals " + count(m.tasks) + " tasks of " + time(work) + " each on average to " + slaves + changing +
    ". It is busy for " + percent(busy) + " of that time.";
  if (m.saturating_work > 0)
    text += " Tasks of less than " + time(m.saturating_work) + " of work keep so many slaves waiting for it" +
      (work < m.saturating_work ? ": these do." : ": these are long enough.");
  if (m.break_even_work !== null)
    text += " It would do tasks of less than " + time(m.break_even_work) + " sooner itself.";
  return text;
}

function masterTables(parent, ms) {
  for (const m of [...ms.masters].sort((a, b) => b.tasks - a.tasks).slice(0, 3)) make("p", parent, masterWords(m));
  const t = longTable(parent, ms.masters, ["master", "tasks", "slaves", "dealt for", "busy", "service", "longest", "queued", "longest",
    "saturating work", "break-even work", "reigns"], m => [m.rank, count(m.tasks), m.slaves, time(m.length),
    percent(m.length ? m.busy / m.length : 0), average(m.service, m.tasks), time(m.longest_service), average(m.queued, m.answered),
    time(m.longest_queued), time(m.saturating_work), m.break_even_work === null ? "-" : time(m.break_even_work), m.reigns.length],
    8, "masters");
  t.id = "masters-table";
  make("div", parent, "service: from taking a request until the task has left. queued: what a request waits until it is taken. reigns: times " +
    "in which the rank deals, uninterrupted by tasks of its own.").className = "small";
}

const waitingParts = [["request travels", "request_travels", "#3c78c3"], ["queues at the master", "queue", "#c02a3a"],
  ["is served", "service", "#d8592f"], ["task travels", "task_travels", "#5fb0d6"], ["lies at the slave", "task_lies", "#b9a13c"]];
function waitingBar(parent, ms) {
  if (!ms.answered) return;
  make("p", parent, "From a slave's request (mostly the result before) until it takes the next task, on average " +
    average(ms.waiting.total, ms.answered) + ":");
  const b = make("div", parent);
  b.className = "bar";
  bar(b, waitingParts.map(([name, k, color]) => [name, ms.waiting[k], color]), ms.waiting.total || 1);
  const k = make("div", parent);
  k.className = "key";
  key(k, waitingParts.filter(p => ms.waiting[p[1]] > 0).map(([name, k, color]) =>
    [name, color, average(ms.waiting[k], ms.answered) + " (" + percent(ms.waiting[k] / ms.waiting.total) + ")"]));
}

function slaveTables(parent, ms) {
  const d = make("details", parent);
  d.open = ms.slaves.length <= 16;
  make("summary", d, "Slaves: " + count(ms.slaves.length));
  const t = make("table", d);
  t.id = "slaves-table";
  cells(make("tr", t), ["slave", "tasks", "work", "of a task", "longest", "idle", "before each", "longest", "masters"], "th");
  for (const s of ms.slaves)
    cells(make("tr", t), [s.rank, count(s.tasks), time(s.work), average(s.work, s.tasks), time(s.longest_work), time(s.idle),
      average(s.idle, s.tasks), time(s.longest_idle), s.masters.length > 8 ? s.masters.slice(0, 8).join(" ") + " ..." : s.masters.join(" ")]);
  const w = make("details", parent);
  make("summary", w, "Tasks that were waited for longest");
  longTable(w, data.task_map.longest_waits, ["slave", "master", "received at", "idle before it", "of it queued", "service", "work"], t =>
    [t.slave, t.master, time(t.received, 6), time(t.idle), t.queued === undefined ? "-" : time(t.queued), time(t.service), time(t.work)], 20);
}

function histogram(parent, title, classes, color) {
  const box = make("div", parent, undefined, "flex:1;min-width:320px");
  make("div", box, title).className = "small";
  const most = Math.max(...classes.map(c => c[1]));
  const rows = make("div", box);
  rows.className = "bars";
  rows.style.gridTemplateColumns = "90px 1fr 80px";
  for (const [bound, tasks] of classes) {
    make("span", rows, bound ? "to " + time(bound) : "none", "text-align:right");
    const b = make("div", make("div", rows));
    b.className = "bar";
    make("i", b, undefined, "width:" + 100 * tasks / most + "%;background:" + color);
    make("span", rows, count(tasks), "text-align:left");
  }
}

// Paints the tasks of each row, with their instants, and the idle time before each task as a lighter piece.
function paintTasks(map, context, x, columns) {
  for (const row of map.single) {
    const y = row.rank * rowHeight, h = rowHeight - 1;
    row.tasks.forEach((t, i) => {
      if (t.done < view.from || t.received - t.idle > view.until) return;
      const a = Math.max(left, x(t.received)), b = Math.min(left + columns, x(t.done));
      context.fillStyle = colorOf(map.masters[t.master]);
      context.globalAlpha = i % 2 ? 1 : 0.72;
      if (b > a) context.fillRect(a, y, Math.max(0.4, b - a), h);
      const c = Math.max(left, x(t.received - t.idle));
      context.globalAlpha = 0.18;
      if (a > c) context.fillRect(c, y + h / 3, a - c, h / 3);
    });
    context.globalAlpha = 1;
  }
}

function paintBins(map, context, x, columns) {
  const at = column => view.from + (view.until - view.from) * column / columns;
  for (const row of map.rows) {
    const bins = row.bins.length / 3;
    for (let column = 0; column < columns; ++column) {
      const b = Math.floor(at(column + 0.5) / map.bin);
      if (b >= bins) break;
      const share = (row.sums[Math.min(bins, Math.max(b + 1, Math.floor(at(column + 1) / map.bin)))] - row.sums[b]) /
        Math.max(1, Math.floor(at(column + 1) / map.bin) - b);
      if (!share) continue;
      const h = share * (rowHeight - 1);
      context.fillStyle = masterColor(value[row.bins[3 * b + 1]]);
      context.fillRect(left + column, row.rank * rowHeight + rowHeight - 1 - h, 1, h);
    }
  }
}

function describeTask(map, rank, t) {
  const at = "rank " + rank + " at " + time(t, 6);
  if (map.bin) {
    const row = map.rows.find(r => r.rank === rank), b = Math.floor(t / map.bin);
    if (!row || 3 * b >= row.bins.length) return at;
    const begun = value[row.bins[3 * b + 2]], share = value[row.bins[3 * b]] / 61;
    return at + (share ? "\nin tasks for " + percent(share) + " of " + time(map.bin) + "\n" + (begun === 61 ? "61 or more" : begun) +
      " tasks begin\nmaster: rank " + map.masters[value[row.bins[3 * b + 1]]] : "\nno task");
  }
  const row = map.single.find(r => r.rank === rank), i = row ? row.tasks.findIndex(task => task.done > t) : -1;
  if (i < 0 || t < row.tasks[i].received - row.tasks[i].idle) return at + "\nno task";
  const task = row.tasks[i];
  return at + "\ntask " + (i + 1) + " of " + row.tasks.length + ", from rank " + map.masters[task.master] + "\nfrom " +
    time(task.received, 6) + " to " + time(task.done, 6) + "\nwork " + time(task.work) + ", idle before it " + time(task.idle);
}

function taskMap(parent) {
  const map = data.task_map, canvas = make("canvas", parent);
  make("h3", parent, "Who did which task, when", "");
  parent.insertBefore(parent.lastChild, canvas);
  const hint = make("p", parent, map.bin ? "The height of a row is how much of the time its rank was in tasks; the colour is the master. A frame: the rank deals tasks." :
    "One piece per task in the colour of its master, every other one paler; thin before it: idling. A frame: the rank deals tasks.");
  parent.insertBefore(hint, canvas);
  const legend = make("div", parent);
  legend.className = "key";
  parent.insertBefore(legend, canvas);
  key(legend, map.masters.slice(0, 24).map(m => ["master " + m, colorOf(m)]).concat(map.masters.length > 24 ?
    [["and " + (map.masters.length - 24) + " more", "transparent"]] : []));
  canvas.id = "task-map";
  if (map.bin) {
    for (const row of map.rows) {
      row.sums = new Float64Array(row.bins.length / 3 + 1);
      for (let i = 0; i + 1 < row.sums.length; ++i) row.sums[i + 1] = row.sums[i] + value[row.bins[3 * i]] / 61;
    }
  } else {
    map.single = map.rows.map(row => {
      const tasks = [];
      for (let i = 0, t = 0; i < row.tasks.length; i += 5) {
        const [master, gap, length, work, idle] = row.tasks.slice(i, i + 5);
        tasks.push({ master, received: t + gap, done: t + gap + length, work, idle });
        t += gap + length;
      }
      return { rank: row.rank, tasks };
    });
  }
  chart(canvas, data.ranks * rowHeight + 22, (context, x, columns) => {
    for (let rank = 0; rank < data.ranks; ++rank) rowLabel(context, rank);
    clip(context, columns, data.ranks * rowHeight);
    if (map.bin) paintBins(map, context, x, columns); else paintTasks(map, context, x, columns);
    for (const m of data.master_slave.masters) {
      context.strokeStyle = context.fillStyle = colorOf(m.rank);
      for (const r of m.reigns) {
        const box = [x(r.from), m.rank * rowHeight + 0.5, x(r.until) - x(r.from), rowHeight - 2];
        context.globalAlpha = 0.3;
        context.fillRect(...box);
        context.globalAlpha = 1;
        context.strokeRect(...box);
      }
    }
  }, (t, y) => {
    const rank = Math.floor(y / rowHeight), master = data.master_slave.masters.find(m => m.rank === rank);
    if (rank < 0 || rank >= data.ranks) return "";
    const reign = master && master.reigns.find(r => r.from <= t && t < r.until);
    return reign ? "rank " + rank + " at " + time(t, 6) + "\ndeals " + count(reign.tasks) + " tasks from " + time(reign.from, 6) + " to " +
      time(reign.until, 6) : describeTask(map, rank, t);
  });
}

function queues(parent) {
  const { bin, masters } = data.task_map.queues, height = 130, bottom = 22;
  const most = Math.max(1, ...masters.map(m => Math.max(...m.most)));
  make("h3", parent, masters.length > 1 ? "The masters' queues" : "The master's queue");
  make("p", parent, "Requests and results that have arrived and are not taken yet; at most " + count(most) +
    ". The line is the average, the shade the most at a time.");
  const canvas = make("canvas", parent);
  canvas.id = "queue";
  const y = n => 6 + (height - 12) * (1 - n / most);
  chart(canvas, height + bottom, (context, x, columns) => {
    context.fillStyle = context.strokeStyle = "#889";
    for (const n of new Set([0, Math.round(most / 2), most])) {
      context.fillText(n, 6, y(n) + 4);
      context.fillRect(left, y(n), columns, 0.3);
    }
    clip(context, columns, height);
    for (const m of masters) {
      const first = Math.max(0, Math.floor(view.from / bin)), last = Math.min(m.most.length, Math.ceil(view.until / bin) + 1);
      context.fillStyle = context.strokeStyle = colorOf(m.rank);
      context.globalAlpha = 0.2;
      for (let i = first; i < last; ++i)
        context.fillRect(x(i * bin), y(m.most[i]), x((i + 1) * bin) - x(i * bin), y(0) - y(m.most[i]));
      context.globalAlpha = 1;
      context.beginPath();
      for (let i = first; i < last; ++i) context.lineTo(x((i + 0.5) * bin), y(m.average[i]));
      context.stroke();
    }
  }, t => {
    const i = Math.floor(t / bin), shown = masters.filter(m => m.most[i] > 0).slice(0, 12);
    return time(t, 6) + shown.map(m => "\nmaster " + m.rank + ": " + m.average[i] + " on average, " + m.most[i] + " at most").join("") +
      (shown.length ? "" : "\nnobody waits in a queue");
  });
}

function masters() {
  const ms = data.master_slave, parent = $("masters");
  if (!ms) return;
  make("h2", parent, "Masters and slaves");
  make("p", parent, "Recognised by what ranks do: a slave receives, computes and answers; its master hardly computes in between.");
  masterTables(parent, ms);
  waitingBar(parent, ms);
  taskMap(parent);
  queues(parent);
  const histograms = make("div", parent, undefined, "display:flex;gap:40px;flex-wrap:wrap;margin:14px 0");
  histogram(histograms, "tasks by idling before them", data.task_map.idle, "#8fa3bd");
  histogram(histograms, "tasks by work", data.task_map.work, "#3f8f5b");
  slaveTables(parent, ms);
}
