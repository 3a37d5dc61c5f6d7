"""Instants of one-sided operations by a simple simulation: a second implementation of libemu/rank/semantics.md,
"One-sided operations". All ranks and all servers are in one process, and the one whose next action has the least
instant acts next. One link, all messages eager; the cards are free or serial, or all share a bus."""
CELLS, WORD, NEVER = 64, 8, 1 << 62
KINDS = ("put", "add", "get", "fetch", "swap", "gadd", "peek", "rput", "rget", "null")


class Server:
    """A window at its target."""

    def __init__(self):
        self.memory = [0] * CELLS
        self.pending = []  # [ready, origin, number, operation]
        self.holders = {}
        self.waiting = []
        self.behind = {}


class Rank:
    def __init__(self, number, clock, lines):
        self.number, self.clock, self.lines = number, clock, lines
        self.running = None  # the current operation, as a generator: yields the events that it waits for
        self.wants = None
        self.inbox = []  # [arrival, source, number, kind, content]
        self.log = []
        self.last_send = None
        self.last_arrival = {}
        self.sent = self.operations = 0
        self.out = 0  # its card sends until then
        self.awaited = {}
        self.touched, self.locked = set(), {}
        self.brought = []
        self.all = False
        self.access = []


class Simulator:
    def __init__(self, target, ranks, clocks, lines):
        self.t = target
        self.ranks = [Rank(r, clocks[r], [l for l in lines if l.split()[0] == str(r)]) for r in range(ranks)]
        self.servers = [Server() for _ in range(ranks)]
        self.contested = self.given_back = 0
        # The last rank fails, if any does. All other ranks know of it a latency later.
        self.failing = ranks - 1 if target.failure else None
        self.failure = target.failure or NEVER
        self.told = self.failing is None
        self.known = self.failure + target.latency
        self.heads = []  # at a receiver's card, or the bus: [instant, source, number, receiver, occupancy, deliver]
        self.busy = [0] * ranks  # end of the receivers' cards' work; for a bus only the first entry

    # --- sending
    def start(self, r, cost):
        if r.last_send is not None:
            r.clock = max(r.clock, r.last_send + self.t.gap)
        r.last_send = r.clock
        r.clock += cost

    def send(self, r, to, k, kind, content=None):
        self.start(r, self.t.o_s(k))
        r.sent += 1
        message = [r.sent, kind, content]
        self.carry(r, to, k, r.sent, lambda at: self.ranks[to].inbox.append([at, r.number, *message]))

    def carry(self, r, to, k, number, deliver):
        """A message that leaves now is delivered when it arrives."""
        if r.number == self.failing and r.clock >= self.failure:
            return None
        if self.t.medium == "free":
            return deliver(r.clock + self.t.travel(k))
        occupancy = (max(k, 1) - 1) * self.t.gap_per_byte
        begin = r.clock
        if self.t.medium == "serial":
            begin = max(begin, r.out)
            if r.number == self.failing and begin >= self.failure:
                return None
            r.out = begin + occupancy
        self.heads.append([begin + self.t.latency, r.number, number, to, occupancy, deliver])

    def pass_head(self):
        head = min(self.heads, key=lambda h: h[:3])
        self.heads.remove(head)
        at, _, _, to, occupancy, deliver = head
        if self.t.medium == "bus":
            to = 0
        self.busy[to] = max(at, self.busy[to]) + occupancy
        deliver(self.busy[to])

    def operate(self, r, to, k, operation):
        self.start(r, self.t.o_s(k))
        r.operations += 1
        number = (1 << 61) + r.operations  # after messages of that instant

        def deliver(at):
            r.last_arrival[to] = at = max(at, r.last_arrival.get(to, 0))
            self.servers[to].pending.append([at, r.number, number, operation])

        if operation.get("answers") is not None:
            r.awaited[to] = r.awaited.get(to, 0) + 1
        self.carry(r, to, k, number, deliver)

    # --- the servers
    def effect(self, target):
        s = self.servers[target]
        entry = min(s.pending, key=lambda e: e[:3])
        s.pending.remove(entry)
        at, origin, _, o = entry
        if origin == self.failing and at > self.known:
            return
        if origin in s.behind:
            s.behind[origin].append(entry)
            return
        if (o["kind"] == "lock" or o.get("locks")) and origin not in s.holders:
            exclusive = o.get("exclusive", False)
            fits = not s.holders or not (exclusive or any(s.holders.values()))
            if not fits or s.waiting:
                s.waiting.append((origin, exclusive))
                s.behind[origin] = [entry]
                self.contested += 1
                return
            s.holders[origin] = exclusive
        content = self.apply(s, o) if "act" in o else None
        if o.get("answers") is not None:
            arrival = at + max(self.t.latency, 1) + (max(o["answers"], 1) - 1) * self.t.gap_per_byte
            self.ranks[origin].inbox.append([arrival, target, 1 << 62, "result", (target, o.get("place"), content)])
        if o["kind"] == "unlock":
            self.release(s, origin, at)

    @staticmethod
    def release(s, origin, at):
        del s.holders[origin]
        Simulator.go_round(s, at)

    @staticmethod
    def go_round(s, at):
        while s.waiting:
            following, exclusive = s.waiting[0]
            if s.holders and (exclusive or any(s.holders.values())):
                break
            s.waiting.pop(0)
            s.holders[following] = exclusive
            for waited in s.behind.pop(following):
                waited[0] = max(waited[0], at)
                s.pending.append(waited)

    def give_back(self):
        """Returns the locks of the rank that is known to have failed."""
        for s in self.servers:
            self.given_back += self.failing in s.holders or self.failing in s.behind
            s.holders.pop(self.failing, None)
            s.behind.pop(self.failing, None)
            s.waiting = [w for w in s.waiting if w[0] != self.failing]
            self.go_round(s, self.known)
        self.told = True

    @staticmethod
    def apply(s, o):
        act, cell, values = o["act"], o["cell"], o["values"]
        before = s.memory[cell:cell + o["n"]]
        for i, value in enumerate(values):
            if act in ("put", "rput"):
                s.memory[cell + i] = value
            elif act in ("add", "fetch", "gadd"):
                s.memory[cell + i] += value
            elif act == "swap" and s.memory[cell] == o["compare"]:
                s.memory[cell] = value
        return before

    # --- waits of a rank: generators that yield the events that end them
    def answers(self, r, of):
        while sum(n for to, n in r.awaited.items() if of is None or to == of):
            yield ("results",)

    def words(self, r, kind, sources):
        left = list(sources)
        while left:
            yield ("words", kind, left)

    def flush(self, r, of):
        asked = sorted(r.touched if of is None else r.touched & {of})
        for to in asked:
            self.operate(r, to, 1, {"kind": "flush", "answers": 0})
        r.touched -= set(asked)
        yield from self.answers(r, of)

    def barrier(self, r):
        distance, size = 1, len(self.ranks)
        while distance < size:
            self.send(r, (r.number + distance) % size, 0, ("barrier", distance))
            yield from self.words(r, ("barrier", distance), [(r.number - distance) % size])
            distance *= 2

    def call(self, r, what, a):
        r.output = ""
        if what == "compute":
            r.clock += a[0]
        elif what in KINDS:
            yield from self.data(r, what, a)
        elif what in ("fence", "close"):
            yield from self.flush(r, None)
            yield from self.barrier(r)
        elif what == "lock":
            self.operate(r, a[0], 1, {"kind": "lock", "exclusive": bool(a[1]),
                                      "answers": 0 if a[0] == r.number else None})
            if a[0] == r.number:
                yield from self.answers(r, a[0])
        elif what == "unlock":
            self.operate(r, a[0], 1, {"kind": "unlock", "answers": 0})
            yield from self.answers(r, a[0])
            r.touched.discard(a[0])
        elif what == "lock_all":
            r.all, r.locked = True, {}
        elif what == "unlock_all":
            for to in sorted(r.locked):
                self.operate(r, to, 1, {"kind": "unlock", "answers": 0})
            yield from self.answers(r, None)
            r.all = False
            r.touched.clear()
        elif what == "flush":
            yield from self.flush(r, a[0])
        elif what == "flush_local":
            yield from self.answers(r, a[0])
        elif what == "flush_all":
            yield from self.flush(r, None)
        elif what == "sync":
            r.clock += max(self.t.poll, 1)
            yield ("until",)
        elif what == "post":
            for to in a:
                self.send(r, to, 0, "post")
            r.exposed = a
        elif what == "start":
            r.access = a
            yield from self.words(r, "post", a)
        elif what == "complete":
            yield from self.flush(r, None)
            for to in r.access:
                self.send(r, to, 0, "complete")
        elif what == "wait":
            yield from self.words(r, "complete", r.exposed)
        elif what == "test":
            while not (yield from self.test(r)):
                r.clock += self.t.poll
        elif what == "send":
            self.send(r, a[0], a[1], "message", a[1])
        elif what == "receive":
            yield ("words", "message", None)
        if what in ("unlock", "unlock_all", "fence", "close", "complete", "flush_all"):
            r.output = "".join(f" {value}" for values in r.brought for value in values)
            r.brought = []
        if what in ("sync", "look"):
            memory = self.servers[r.number].memory
            r.output = f" sum {sum(v * (i + 1) for i, v in enumerate(memory))}"

    def test(self, r):
        """True if all words had arrived by this instant; then they are taken."""
        now = r.clock
        yield ("until",)
        here = sorted(m for m in r.inbox if m[3] == "complete" and m[1] in r.exposed and m[0] <= now)
        if len(here) < len(r.exposed):
            return False
        for m in here:
            r.inbox.remove(m)
            r.clock = max(r.clock, m[0]) + self.t.receive
        return True

    def data(self, r, what, a):
        to, cell = a[0], a[1]
        n = 1 if what in ("fetch", "swap") else a[2]
        o = {"kind": "act", "act": what, "cell": cell, "n": n, "values": []}
        if what in ("put", "rput", "add", "gadd"):
            o["values"] = [a[3] + i for i in range(n)]
        elif what in ("fetch", "swap"):
            o["values"] = [a[2]]
            o["compare"] = a[3] if what == "swap" else None
        brings = what in ("get", "rget", "peek", "fetch", "swap", "gadd")
        if brings:
            o["place"] = values = [None] * n
            r.brought.append(values)
            o["answers"] = n * WORD
        if n == 0 or what == "null":
            return
        if r.all and to not in r.locked:
            o["locks"] = r.locked[to] = True
        k = {"get": 0, "rget": 0, "peek": 0, "swap": 2 * WORD}.get(what, n * WORD)
        self.operate(r, to, k, o)
        if brings:
            r.touched.discard(to)
        else:
            r.touched.add(to)
        while what == "rget" and values[0] is None:
            yield ("results",)

    # --- events of a waiting rank
    def event(self, r):
        """The least event that it handles now, or None."""
        wants = r.wants
        found = []
        for m in r.inbox:
            if m[3] == "result":
                found.append(m)
            elif wants[0] == "words" and m[3] == wants[1] and (wants[2] is None or m[1] in wants[2]):
                found.append(m)
        return min(found, key=lambda m: m[:3], default=None)

    def handle(self, r, m):
        r.inbox.remove(m)
        r.clock = max(r.clock, m[0])
        if m[3] == "result":
            of, place, content = m[4]
            r.awaited[of] -= 1
            if place is not None:
                place[:] = content
            return
        r.clock += self.t.receive
        if r.wants[2] is None:
            r.output += f" from {m[1]}"
            r.wants = ()
        else:
            r.wants[2].remove(m[1])

    def next_action(self, r):
        at = self.wakes(r)
        return NEVER if r.number == self.failing and at >= self.failure else at

    def wakes(self, r):
        if not r.lines:
            return NEVER
        if r.running is None:
            return r.clock
        m = self.event(r)
        if r.wants[0] == "until":
            return r.clock
        return max(r.clock, m[0]) if m else NEVER

    def go_on(self, r):
        """Continues until it waits again."""
        while True:
            try:
                r.wants = next(r.running)
            except StopIteration:
                r.log.append(f"{r.lines.pop(0)}:{r.output} at {r.clock}")
                r.running = None
            return

    def act(self, r):
        if r.running is None:
            words = r.lines[0].split()
            r.running = self.call(r, words[1], [int(w) for w in words[2:]])
            return self.go_on(r)
        m = self.event(r)
        if r.wants[0] == "until":
            if m and m[0] <= r.clock:
                return self.handle(r, m)
            return self.go_on(r)
        self.handle(r, m)
        if r.wants == () or r.wants[0] == "results" or r.wants[2] == []:
            self.go_on(r)

    def run(self):
        while True:
            best, what = min(h[0] for h in self.heads) if self.heads else NEVER, (self.pass_head,)
            if best == NEVER:
                what = None
            for i, s in enumerate(self.servers):
                if s.pending and (at := min(s.pending, key=lambda e: e[:3])[0]) < best:
                    best, what = at, (self.effect, i)
            if not self.told and self.known < best:
                best, what = self.known, (self.give_back,)
            for r in self.ranks:
                if (at := self.next_action(r)) < best:
                    best, what = at, (self.act, r)
            if what is None:
                return
            what[0](*what[1:])
