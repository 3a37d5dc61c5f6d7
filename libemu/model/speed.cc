#include "model/speed.h"

#include <algorithm>
#include <numeric>

namespace emu::model {

namespace {

__extension__ using Wide = __int128;

// The product of two factors, to the nearest billionth; 0 only if a factor is 0.
std::int64_t product(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return 0;
  const Wide rounded = (static_cast<Wide>(a) * b + one / 2) / one;
  constexpr Wide most = std::int64_t{1} << 62;
  return static_cast<std::int64_t>(std::clamp<Wide>(rounded, 1, most));
}

// More idle pieces in a row mean that factors take turns at 0, for ever.
constexpr int most_idle = 1'000'000;

// Number of pieces after which the search for rounds begins, so that it costs nothing for few changes.
constexpr int pieces_before_rounds = 16;

// splitmix64's mixing function (Steele, Lea, Flood, OOPSLA 2014).
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

// The sum of twelve uniformly distributed numbers (Irwin and Hall), less 6: exact on every host.
std::int64_t normal(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const std::uint64_t start = mix(seed + mix(stream + 1));
  std::int64_t sum = 0;
  for (std::uint64_t draw = 1; draw <= 3; ++draw) {
    std::uint64_t random = mix(start + 0x9e3779b97f4a7c15u * (3 * index + draw));
    for (int part = 0; part < 4; ++part, random >>= 16) sum += static_cast<std::int64_t>(random & 0xffff);
  }
  constexpr std::int64_t million = 1'000'000;
  return (sum * million >> 16) - 6 * million;
}

std::int64_t spread(std::int64_t value, std::int64_t deviation, std::int64_t z) {
  constexpr Wide million = 1'000'000, whole = million * million;
  const Wide factor = std::max<Wide>(whole + static_cast<Wide>(deviation) * z, 1);
  constexpr Wide most = std::int64_t{1} << 62;
  return static_cast<std::int64_t>(
      std::clamp<Wide>((static_cast<Wide>(value) * factor + whole / 2) / whole, 1, most));
}

void Speed::scale(std::int64_t factor) { usual_ = product(usual_, factor); }

Interval Jitter::of(Interval work, int rank, std::uint64_t piece) const {
  if (work <= Interval()) return work;
  constexpr std::uint64_t first_rank = std::uint64_t{1} << 32;  // lower streams are those of nodes
  const std::int64_t z = normal(seed, first_rank + static_cast<std::uint64_t>(rank), piece);
  return Interval::picoseconds(spread(work.picoseconds(), deviation, z));
}

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
  if (const auto length = round(at)) {
    rounds = *length * ((at - steps_.front().at).picoseconds() / length->picoseconds());
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

std::optional<Interval> Steps::round(Instant at) const {
  if (!loop_after_ || at < steps_.front().at) return {};
  return steps_.back().at - steps_.front().at + *loop_after_;
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
  Instant nothing = at;  // no work can be done before this instant
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

// The factors with the shortest periods repeat, while the others are constant: the choice with the most
// rounds. The period of several factors is the least common multiple of their periods.
Speed::Rounds Speed::rounds(Instant from, Instant limit) const {
  struct Again {
    std::int64_t round;
    Instant until;  // constant until then
  };
  std::vector<Again> again;
  Instant end = limit;  // end of the shortest factor that does not repeat
  for (const auto& factor : factors_) {
    const Instant until = factor->piece(from).until;
    if (const auto round = factor->round(from))
      again.push_back({round->picoseconds(), until});
    else
      end = std::min(end, until);
  }
  std::sort(again.begin(), again.end(), [](const Again& a, const Again& b) { return a.round < b.round; });
  Rounds best{Interval(), 0};
  Wide length = 1;
  for (auto it = again.begin(); it != again.end(); ++it) {
    length *= it->round / std::gcd(static_cast<std::int64_t>(length), it->round);
    if (length > (end - from).picoseconds()) break;
    Instant until = end;
    for (auto other = std::next(it); other != again.end(); ++other) until = std::min(until, other->until);
    const auto whole = static_cast<std::int64_t>(length);
    if (const std::int64_t number = (until - from).picoseconds() / whole; number > best.number)
      best = {Interval::picoseconds(whole), number};
  }
  return best;
}

// Progress of a piece of work.
class Speed::Walk {
 public:
  // `work`: in picoseconds of the reference CPU, times `one`.
  Walk(const Speed& speed, Wide work, Instant start) : speed_(speed), left_(work), now_(start) {}

  Instant now() const { return now_; }
  Interval idle() const { return idle_; }
  std::int64_t factor() const { return factor_; }  // of the last piece

  // Advances by one piece, at most to `limit`. Returns true if the work was done in it.
  bool piece(Instant limit) {
    const Factor::Piece p = speed_.piece(now_);
    factor_ = p.factor;
    idle_pieces_ = p.factor == 0 ? idle_pieces_ + 1 : 0;
    const Instant until = idle_pieces_ > most_idle ? limit : std::min(p.until, limit);
    const Wide here = static_cast<Wide>((until - now_).picoseconds()) * p.factor;
    if (p.factor != 0 && left_ <= here) {
      const Wide takes = (left_ + p.factor / 2) / p.factor;
      now_ += Interval::picoseconds(static_cast<std::int64_t>(takes));
      return true;
    }
    if (p.factor == 0) idle_ += until - now_;
    left_ -= here;
    now_ = until;
    return false;
  }

  // Repeats rounds like the one since `before`: `times` times, or as often as the work remains unfinished.
  void again(const Walk& before, std::int64_t times) {
    const Wide work = before.left_ - left_;
    if (work > 0) times = static_cast<std::int64_t>(std::min<Wide>(times, (left_ - 1) / work));
    left_ -= work * times;
    idle_ += (idle_ - before.idle_) * times;
    now_ += (now_ - before.now_) * times;
  }

 private:
  const Speed& speed_;
  Wide left_;  // remaining work
  Instant now_;
  Interval idle_;
  std::int64_t factor_ = 0;
  int idle_pieces_ = 0;  // consecutive pieces without progress
};

Speed::Done Speed::done(Interval work, Instant start, Instant limit) const {
  if (work == Interval()) return {start, Interval(), one, one};
  if (factors_.empty() && usual_ == one && start + work <= limit) return {start + work, Interval(), one, one};
  return done(Walk(*this, static_cast<Wide>(work.picoseconds()) * one, start), limit);
}

Speed::Done Speed::done(Walk walk, Instant limit) const {
  std::int64_t begin = 0;
  const auto finished = [&] { return Done{walk.now(), walk.idle(), begin, walk.factor()}; };
  for (std::int64_t pieces = 1; walk.now() < limit; ++pieces) {
    const bool over = walk.piece(limit);
    if (pieces == 1) begin = walk.factor();
    if (over) return finished();
    if (pieces % pieces_before_rounds != 0) continue;
    const Rounds same = rounds(walk.now(), limit);
    if (same.number < 2) continue;
    const Walk before = walk;
    const Instant end = walk.now() + same.length;
    while (walk.now() < end)
      if (walk.piece(end)) return finished();
    walk.again(before, same.number - 1);
  }
  return {limit, walk.idle(), begin, 0};
}

// Tests at each instant whether the least amount of work is ever completed, first at the middle of virtual time:
// periodic factors repeat in the second half.
Instant Speed::stops() const {
  const auto over = [&](Instant at) { return done(Walk(*this, 1, at), Instant::never()).at.is_never(); };
  Instant from = Instant::start(), by = from + Interval::picoseconds(Instant::never().picoseconds() / 2);
  if (!over(by)) return Instant::never();
  while (from < by) {
    const Instant middle = from + Interval::picoseconds((by - from).picoseconds() / 2);
    if (over(middle))
      by = middle;
    else
      from = middle + Interval::picoseconds(1);
  }
  return by;
}

}  // namespace emu::model
