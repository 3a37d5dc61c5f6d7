#include "scatter/search_space.h"

#include <algorithm>
#include <limits>

namespace emu::scatter {
namespace {

long double ps(Interval time) { return static_cast<long double>(time.picoseconds()); }

constexpr Items most_kept = Items{1} << 21;

}  // namespace

SearchSpace::SearchSpace(const Problem& problem)
    // The bounds are sums and products of about p numbers up to n.
    : n_(problem.items), slack_(1e-6L + 1e-15L * static_cast<long double>(problem.items)) {
  for (const Processor& processor : problem.processors) {
    rows_.emplace_back(processor);
    rows_.back().most = n_;
    all_affine_ = all_affine_ && processor.send.is_affine() && processor.compute.is_affine();
  }
}

Items SearchSpace::fitting(std::size_t i, Interval time, Items most) const {
  const Row& row = rows_[i];
  most = std::min(most, row.most);
  const auto fits = [&](Items e) { return plus(row.send.of(e), row.compute.of(e)) <= time; };
  if (most < row.least) return 0;
  Items good = row.least, bad = most;
  if (const auto seen = std::upper_bound(row.at.begin(), row.at.end(), most); seen != row.at.begin()) {
    // The first evaluated number that does not fit, and the one before it.
    const auto too_many = std::partition_point(row.at.begin(), seen, [&](const Items& e) {
      const auto k = static_cast<std::size_t>(&e - row.at.data());
      return plus(row.send_at[k], row.compute_at[k]) <= time;
    });
    if (too_many != row.at.begin()) good = std::max(good, *(too_many - 1));
    if (too_many != seen) bad = std::min(bad, *too_many);
  }
  if (bad < good || !fits(good)) return 0;
  if (fits(bad)) return bad;
  while (bad - good > 1) {
    const Items middle = good + (bad - good) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  return good;
}

bool SearchSpace::reach(Interval end) {
  end_ = end;
  long double all = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    Row& row = rows_[i];
    row.none = row.none && plus(row.send.of(0), row.compute.of(0)) <= end;
    row.most = fitting(i, end, n_);
    if (!row.none && !row.some()) return false;
    all += static_cast<long double>(row.most);
  }
  return all >= static_cast<long double>(n_);
}

void SearchSpace::look(Items values) {
  for (Row& row : rows_) {
    row.at.clear();
    if (!row.some()) continue;
    const Items width = row.most - row.least, steps = std::min(width, values - 1);
    for (Items k = 0; k < steps; ++k)
      row.at.push_back(row.least + k * (width / steps) + k * (width % steps) / steps);
    row.at.push_back(row.most);
    row.send_at.clear();
    row.compute_at.clear();
    for (const Items e : row.at) {
      row.send_at.push_back(row.send.of(e));
      row.compute_at.push_back(row.compute.of(e));
    }
    row.send_below = Envelope(row.send.cost(), row.at, row.send_at);
    row.compute_below = Envelope(row.compute.cost(), row.at, row.compute_at);
  }
}

bool SearchSpace::coarse() const {
  return std::any_of(rows_.begin(), rows_.end(), [](const Row& row) {
    return row.some() && static_cast<Items>(row.at.size()) <= row.most - row.least;
  });
}

long double SearchSpace::width() const {
  long double sum = 0;
  for (const Row& row : rows_)
    if (row.some()) sum += static_cast<long double>(row.most - row.least);
  return sum;
}

void SearchSpace::keep() {
  for (Row& row : rows_) {
    if (!row.some() || row.most - row.least > most_kept) continue;
    row.send.keep(row.least, row.most);
    row.compute.keep(row.least, row.most);
  }
}

Result<void> SearchSpace::check() const {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (auto good = rows_[i].send.check(cost_name(true, i)); !good) return good;
    if (auto good = rows_[i].compute.check(cost_name(false, i)); !good) return good;
  }
  return {};
}

// The time that may remain when the root comes to each processor, of a time from `least` to `end`.
std::vector<SearchSpace::Times> SearchSpace::times_left(Interval least, Interval end) const {
  std::vector<Times> result;
  Times left{ps(least), ps(end)};
  for (const Row& row : rows_) {
    result.push_back({std::max(0.0L, left.least), std::max(0.0L, left.most)});
    left.least -= ps(row.most_send());
    left.most -= ps(row.least_send());
  }
  result.push_back({std::max(0.0L, left.least), std::max(0.0L, left.most)});
  return result;
}

void SearchSpace::touch(const std::vector<Items>& counts, Interval least) {
  least_ = least;
  const auto times = times_left(least, end_);
  frontiers_.assign(rows_.size() + 1, Frontier());
  frontiers_.back() = Frontier({Capacity()}, times.back().least, times.back().most);
  Interval port;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    Row& row = rows_[i];
    if (row.some()) {
      const Items near = counts[i] > 0 ? counts[i] : fitting(i, end_ - port, n_);
      row.send_line = row.send_below.line_at(near);
      row.compute_line = row.compute_below.line_at(near);
    }
    port = std::min(end_, plus(port, row.send.of(counts[i])));
  }
  for (std::size_t i = rows_.size(); i-- > 0;) {
    const Row& row = rows_[i];
    std::vector<Capacity> all;
    for (const Capacity& behind : frontiers_[i + 1].capacities()) {
      if (row.none) all.push_back(without_items(row.send.of(0), behind));
      if (row.some()) all.push_back(with_items(row.send_line, row.compute_line, behind, row.least, row.most));
    }
    frontiers_[i] = Frontier(std::move(all), times[i].least, times[i].most);
  }
}

Interval SearchSpace::least_time() const {
  long double least = ps(too_long);
  for (const Capacity& line : frontiers_[0].capacities()) {
    const long double missing = wanted(n_) - line.items;
    if (missing <= 0) return least_;
    if (line.rate > 0) least = std::min(least, missing / line.rate);
  }
  least = std::min(least * (1 - 1e-15L), ps(too_long));
  return std::max(least_, Interval::picoseconds(static_cast<std::int64_t>(least)));
}

std::vector<Items> SearchSpace::filled(Interval end, Items& left) const {
  std::vector<Items> counts;
  Interval port;
  left = n_;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    const Interval time = end - port;
    const Items most = fitting(i, time, left);
    long double none = -std::numeric_limits<long double>::infinity(), some = none;
    for (const Capacity& behind : frontiers_[i + 1].capacities()) {
      none = std::max(none, without_items(row.send.of(0), behind).in(ps(time)));
      if (most > 0)
        some = std::max(some, static_cast<long double>(most) + behind.in(ps(time - row.send.of(most))));
    }
    counts.push_back(most > 0 && (some >= none || !row.none) ? most : 0);
    left -= counts.back();
    port = std::min(end, plus(port, row.send.of(counts.back())));
  }
  return counts;
}

// In a distribution that ends by the end, the number of processor i reduces the bound: with F_i <= g + D R
// and F_{i+1} <= g' + D' R,
//   loss_i = g + D R - (e + g' + D' (R - Tcomm(e))) >= 0,   where R >= Tcomm(e) + Tcomp(e).
// The sum of all losses is the difference between the bound for all processors and the number given, so each loss is
// at most the excess of that bound over n.
bool SearchSpace::narrow() {
  const auto times = times_left(end_, end_);
  std::vector<Capacity> bounds(rows_.size() + 1);
  for (std::size_t i = rows_.size(); i-- > 0;) {
    const Row& row = rows_[i];
    std::vector<Capacity> both;
    if (row.none) both.push_back(without_items(row.send.of(0), bounds[i + 1]));
    if (row.some())
      both.push_back(with_items(row.send_line, row.compute_line, bounds[i + 1], row.least, row.most));
    bounds[i] = Frontier(both, times[i].least, times[i].most).above(times[i].least, times[i].most);
  }
  const long double slack = bounds[0].in(ps(end_)) - wanted(n_);
  if (slack < 0) return false;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (!narrow_row(i, bounds[i], bounds[i + 1], times[i], slack)) return false;
  return true;
}

bool SearchSpace::narrow_row(std::size_t i, const Capacity& here, const Capacity& behind, const Times& left,
                             long double slack) {
  Row& row = rows_[i];
  const long double rate = here.rate - behind.rate;
  // Lower bound, for `items` or fewer that cost `send` and `compute` or more.
  const auto loss = [&](Items items, Interval send, Interval compute) {
    const long double time = rate >= 0 ? std::max(left.least, ps(send) + ps(compute)) : left.most;
    return here.items - behind.items + rate * time - static_cast<long double>(items) + behind.rate * ps(send);
  };
  const auto possible = [&](Items items, Interval send, Interval compute) {
    return ps(send) + ps(compute) <= left.most && loss(items, send, compute) <= slack + slack_;
  };
  row.none = row.none && possible(0, row.send.of(0), row.compute.of(0));
  if (row.some()) {
    Items least = n_ + 1, most = 0;
    for (std::size_t k = 0; k < row.at.size(); ++k) {
      const Items to = std::min(row.most, k + 1 < row.at.size() ? row.at[k + 1] - 1 : row.at[k]);
      if (to < row.at[k] || !possible(to, row.send_at[k], row.compute_at[k])) continue;
      least = std::min(least, row.at[k]);
      most = to;
    }
    row.least = least;
    row.most = most;
  }
  return row.none || row.some();
}

}  // namespace emu::scatter
