#include "model/speed.h"

#include <algorithm>

namespace emu::model {

namespace {

__extension__ using Wide = __int128;

// The product of two factors, to the nearest billionth; nothing only if one of them is.
std::int64_t product(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return 0;
  const Wide rounded = (static_cast<Wide>(a) * b + one / 2) / one;
  constexpr Wide most = std::int64_t{1} << 62;
  return static_cast<std::int64_t>(std::clamp<Wide>(rounded, 1, most));
}

// More in a row mean that factors are 0 by turns, all the time.
constexpr int most_idle = 1'000'000;

// splitmix64's mixing function (Steele, Lea, Flood, OOPSLA 2014).
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

Factor::Piece Windows::piece(Instant at) const {
  Instant until = Instant::never();
  for (const Window& w : windows_) {
    if (at >= w.from && at < w.until) return {w.factor, w.until};
    if (w.from > at) until = std::min(until, w.from);
  }
  return {one, until};
}

std::int64_t Windows::most() const {
  std::int64_t most = one;
  for (const Window& w : windows_) most = std::max(most, w.factor);
  return most;
}

Factor::Piece Steps::piece(Instant at) const {
  if (at < steps_.front().at) return {one, steps_.front().at};
  Interval rounds;
  Instant end = Instant::never();
  if (loop_after_) {
    const Interval round = steps_.back().at - steps_.front().at + *loop_after_;
    rounds = round * ((at - steps_.front().at).picoseconds() / round.picoseconds());
    end = steps_.back().at + *loop_after_ + rounds;
  }
  const auto later = [&](Instant instant, const Step& step) { return instant < step.at; };
  const auto next = std::upper_bound(steps_.begin(), steps_.end(), at - rounds, later);
  return {std::prev(next)->factor, next == steps_.end() ? end : next->at + rounds};
}

std::int64_t Steps::most() const {
  std::int64_t most = one;
  for (const Step& s : steps_) most = std::max(most, s.factor);
  return most;
}

Factor::Piece Load::piece(Instant at) const {
  const std::int64_t number = at.picoseconds() / period_.picoseconds();
  const std::uint64_t stream = mix(seed_ + mix(static_cast<std::uint64_t>(node_) + 1));
  const std::uint64_t random =
      mix(stream + 0x9e3779b97f4a7c15u * (static_cast<std::uint64_t>(number) + 1)) >> 32;
  const auto load = static_cast<std::int64_t>(static_cast<Wide>(2 * mean_) * random >> 32);
  constexpr std::int64_t million = 1'000'000;
  return {std::max<std::int64_t>(1, one * million / (million + load)),
          Instant::start() + period_ * (number + 1)};
}

Factor::Piece Speed::piece(Instant at) const {
  Factor::Piece result{usual_, Instant::never()};
  Instant nothing = at;  // nothing can be done before
  for (const auto& factor : factors_) {
    const Factor::Piece p = factor->piece(at);
    if (p.factor == 0) nothing = std::max(nothing, p.until);
    result.factor = product(result.factor, p.factor);
    result.until = std::min(result.until, p.until);
  }
  if (nothing > at) return {0, nothing};
  return result;
}

std::int64_t Speed::fastest() const {
  std::int64_t most = usual_;
  for (const auto& factor : factors_) most = product(most, factor->most());
  return most;
}

Speed::Done Speed::done(Interval work, Instant start, Instant limit) const {
  if (work == Interval()) return {start, Interval(), one, one};
  if (factors_.empty() && usual_ == one && start + work <= limit) return {start + work, Interval(), one, one};
  Wide left = static_cast<Wide>(work.picoseconds()) * one;
  Instant now = start;
  Done result{limit, Interval(), 0, 0};
  int idle = 0;  // pieces in a row in which nothing was done
  for (bool first = true; now < limit; first = false) {
    const Factor::Piece p = piece(now);
    if (first) result.begin = p.factor;
    idle = p.factor == 0 ? idle + 1 : 0;
    if (idle > most_idle) {
      result.idle += limit - now;
      break;
    }
    const Instant until = std::min(p.until, limit);
    const Wide here = static_cast<Wide>((until - now).picoseconds()) * p.factor;
    if (p.factor == 0) result.idle += until - now;
    if (left > here || p.factor == 0) {
      left -= here;
      now = until;
      continue;
    }
    const Wide takes = (left + p.factor / 2) / p.factor;
    now += Interval::picoseconds(static_cast<std::int64_t>(takes));
    return {now, result.idle, result.begin, p.factor};
  }
  return result;
}

}  // namespace emu::model
