#include "analysis/profile.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace emu::analysis {
template <class Time>
template <class Other>
MeasuresOf<Time>& MeasuresOf<Time>::operator+=(const MeasuresOf<Other>& o) {
  execution += o.execution;
  productive += o.productive;
  system += o.system;
  insufficient_parallelism += o.insufficient_parallelism;
  for (std::size_t i = 0; i < kinds; ++i) {
    by_kind[i].operations += o.by_kind[i].operations;
    by_kind[i].time += o.by_kind[i].time;
    by_kind[i].synchronisation += o.by_kind[i].synchronisation;
    by_kind[i].variation += o.by_kind[i].variation;
  }
  down += o.down;
  overlap += o.overlap;
  return *this;
}

namespace {

// Attributes one rank's time to its open intervals.
class Attribution {
 public:
  Attribution(int rank, const History& history, IntervalProfile& root)
      : rank_(static_cast<std::size_t>(rank)), history_(history), open_{&root} {
    ++root.instances;
  }

  void operator()(const Event& e) {
    if (finished_) return;
    switch (e.kind) {
      case Record::enter:
        compute(e);
        kind_ = kind_of(e.name);
        in_ = nullptr;
        ++communication().operations;
        break;
      case Record::leave:
        if (in_) communication().variation += in_->last_end - e.now;
        kind_ = Kind::point_to_point;
        in_ = nullptr;
        break;
      case Record::begin:
        compute(e);
        begin(e);
        break;
      case Record::end:
        compute(e);
        open_.pop_back();
        break;
      case Record::finish:
        compute(e);
        finished_ = true;
        break;
      case Record::collective: {
        const auto& all = history_.collectives.at(e.context);
        in_ = &all[next_[e.context]++];
        break;
      }
      default:
        communicate(e);
    }
  }

 private:
  // Counts of the innermost interval; add_up() adds them to the intervals around it.
  Communication& communication() {
    return open_.back()->per_rank[rank_].by_kind[static_cast<std::size_t>(kind_)];
  }

  void compute(const Event& e) {
    Measures& m = open_.back()->per_rank[rank_];
    m.execution += e.now - e.from;
    m.productive += e.now - e.from - e.down;
    m.system += e.system;
    m.down += e.down;
  }

  void begin(const Event& e) {
    auto& inside = open_.back()->inside;
    auto found = std::find_if(inside.begin(), inside.end(), [&](const auto& i) { return i.name == e.name; });
    if (found == inside.end()) {
      IntervalProfile made;
      made.name = e.name;
      made.per_rank.resize(history_.ranks.size());
      found = inside.insert(inside.end(), std::move(made));
    }
    ++found->instances;
    open_.push_back(&*found);
  }

  // The instant at which the awaited rank began the awaited action.
  Instant partner_began(const Event& e) const {
    if (in_) return in_->last_begin;
    if (e.kind == Record::sent || e.kind == Record::operated || e.kind == Record::waited)
      return Instant::start();
    // A result depends on its server alone, unless another origin's unlock or a busy card delayed the operation.
    const record::Hop awaited =
        e.kind == Record::answered ? e.hop : record::Hop(e.message.peer, e.message.sequence);
    const SentMessage* const sent = history_.find(awaited);
    return sent ? sent->begin : Instant::start();
  }

  // The waiting before `until`: all of it, or the part in `spans`.
  static Interval waiting(const Event& e, Instant until, const Spans* spans) {
    Interval sum;
    e.outages->cut(e.from, until, [&](bool down, Instant a, Instant b) {
      if (!down) sum += spans ? spans->within(a, b) : b - a;
    });
    return sum;
  }

  void communicate(const Event& e) {
    Measures& m = open_.back()->per_rank[rank_];
    const Interval alone = waiting(e, e.met, &history_.alone);
    m.execution += e.now - e.from;
    m.down += e.down;
    m.insufficient_parallelism += alone;
    Communication& c = communication();
    c.time += e.wait + e.cost - alone;
    const Instant began = std::clamp(partner_began(e), e.from, e.met);
    c.synchronisation += waiting(e, began, nullptr) - waiting(e, began, &history_.alone);
    if (e.kind == Record::received && e.message.peer < static_cast<int>(history_.ranks.size())) {
      const auto& sent = history_.ranks[static_cast<std::size_t>(e.message.peer)].sent;
      if (e.message.sequence < sent.size())
        m.overlap += history_.ranks[rank_].compute.within(sent[e.message.sequence].left, e.met);
    }
  }

  const std::size_t rank_;
  const History& history_;
  std::vector<IntervalProfile*> open_;
  Kind kind_ = Kind::point_to_point;
  const Collective* in_ = nullptr;
  std::map<std::uint64_t, std::size_t> next_;
  bool finished_ = false;
};

// Adds the measures of inner intervals to those around them.
void add_up(IntervalProfile& interval) {
  for (IntervalProfile& inside : interval.inside) {
    add_up(inside);
    for (std::size_t rank = 0; rank < interval.per_rank.size(); ++rank)
      interval.per_rank[rank] += inside.per_rank[rank];
  }
}

}  // namespace

Kind kind_of(std::string_view call) {
  static const auto known = [] {
    std::unordered_map<std::string_view, Kind> all;
    for (std::size_t i = 0; i < kinds_of_calls_count; ++i)
      all.emplace(kinds_of_calls[i].call, kinds_of_calls[i].kind);
    return all;
  }();
  const auto found = known.find(call);
  return found == known.end() ? Kind::point_to_point : found->second;
}

Interval IntervalProfile::longest() const {
  Interval longest;
  for (const Measures& m : per_rank) longest = std::max(longest, m.execution);
  return longest;
}

MeasuresOf<ProcessorTime> IntervalProfile::sum() const {
  MeasuresOf<ProcessorTime> sum;
  for (const Measures& m : per_rank) sum += m;
  return sum;
}

double IntervalProfile::efficiency() const {
  return total() == ProcessorTime() ? 1 : sum().productive.seconds() / total().seconds();
}

Interval IntervalProfile::imbalance() const {
  Interval longest;
  for (const Measures& m : per_rank) longest = std::max(longest, m.productive);
  return longest - sum().productive.each(static_cast<std::int64_t>(per_rank.size()));
}

Result<IntervalProfile> read_profile(const Folder& folder, const History& history) {
  IntervalProfile root;
  root.name = "program";
  root.per_rank.resize(history.ranks.size());
  for (int rank = 0; rank < folder.ranks(); ++rank) {
    Attribution attribution(rank, history, root);
    const auto read = folder.visit(rank, std::ref(attribution));
    if (!read) return tl::unexpected(read.error());
  }
  add_up(root);
  return root;
}

}  // namespace emu::analysis
