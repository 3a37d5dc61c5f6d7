#include "calibrate/piecewise.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

namespace emu::app::calibration {
namespace {

// Share of the shortest message's time for each of send and receive, if overheads were not measured.
constexpr double usual_share = 0.25;

// A line through sizes at which the time rises steeply may begin near 0 or below. The reason is its slope, not a short
// latency. So its fixed part is at least this share of the fixed part of the shortest messages. The share is assumed.
// Ranks keep a lookahead by it, and lines that begin a little lower than the first one do not change.
constexpr double least_fixed_share = 0.5;

// A latency that grows with the bytes becomes steps. The greatest difference is the first of these shares of a
// message's time with which one line of the round trips has few enough steps.
constexpr double step_errors[] = {0.01, 0.025, 0.05, 0.1};
constexpr std::size_t most_steps = 8;

double half(const Value& v) { return std::max(v.high - v.value, v.value - v.low); }

Value shifted(const Value& v, double by) {
  const double value = std::max(0.0, v.value + by);
  return {value, std::max(0.0, value - half(v)), value + half(v)};
}

Value scaled(const Value& v, double by) { return {v.value * by, v.low * by, v.high * by}; }

using Lines = std::vector<Segment>;

Result<std::optional<Lines>> lines(const Imported& measured, const std::string& kind, int most) {
  const auto found = measured.points.find(kind);
  if (found == measured.points.end()) return std::optional<Lines>();
  auto fitted = segments(found->second, most);
  if (!fitted) return fail(kind + ": " + fitted.error().message);
  return std::optional<Lines>(std::move(*fitted));
}

// A part that grows with the bytes besides a fixed part, in few bytes: a rate.
std::optional<Value> rate(const Imported& measured, const std::string& kind) {
  const auto found = measured.points.find(kind);
  if (found == measured.points.end()) return {};
  std::vector<Row> rows;
  for (const Point& p : found->second) rows.push_back({{1, p.bytes}, p.seconds, p.seconds});
  const auto line = regress(rows);
  if (!line) return {};
  const Value& v = line->coefficients[1];
  return v.value > 0 ? v : Value{0, 0, std::max(0.0, v.high)};
}

std::optional<Value> poll(const Imported& measured) {
  const auto found = measured.points.find("poll");
  if (found == measured.points.end() || found->second.empty()) return {};
  std::vector<double> all;
  for (const Point& p : found->second) all.push_back(p.seconds);
  std::sort(all.begin(), all.end());
  return Value{all[all.size() / 2], all.front(), all.back()};
}

class Fitter {
 public:
  Fitter(const Lines& round, std::optional<Lines> send, std::optional<Lines> receive,
         std::optional<Lines> stream, PiecewiseFit& result)
      : round_(round),
        send_(std::move(send)),
        receive_(std::move(receive)),
        stream_(std::move(stream)),
        result_(result) {}

  void run() {
    for (const double limit : limits()) add(limit);
    if (!send_ || !receive_)
      result_.notes.push_back(
          "the measurements do not separate overheads from latency; overheads that were not measured are " +
          std::string(stream_ ? "the time between messages that follow each other"
                              : "a quarter of the shortest message's time"));
  }

 private:
  // Begins of new pieces: where the line of the round trips or of an overhead changes.
  std::vector<double> limits() const {
    std::set<double> all;
    const auto add = [&](const Lines& lines) {
      for (std::size_t i = 0; i + 1 < lines.size(); ++i) all.insert(lines[i].up_to);
    };
    add(round_);
    if (send_) add(*send_);
    if (receive_) add(*receive_);
    if (result_.eager_limit && static_cast<double>(*result_.eager_limit) < round_.back().up_to)
      all.insert(static_cast<double>(*result_.eager_limit));
    all.insert(round_.back().up_to);
    // Limits that are close together are merged.
    std::vector<double> result;
    for (const double limit : all) {
      if (!result.empty() && limit < 1.15 * result.back() && !is_eager_limit(result.back()))
        result.back() = limit;
      else
        result.push_back(limit);
    }
    return result;
  }
  bool is_eager_limit(double bytes) const {
    return result_.eager_limit && static_cast<double>(*result_.eager_limit) == bytes;
  }
  bool eager(double bytes) const {
    return !result_.eager_limit || bytes <= static_cast<double>(*result_.eager_limit);
  }

  // For an overhead that was not measured.
  Segment assumed() const {
    const double shortest = round_.front().of(1);
    double value = usual_share * shortest;
    if (stream_) value = std::min(stream_->front().of(1), 0.45 * shortest);
    return {0, {value, value, value}, {0, 0, 0}, 0};
  }
  Segment overhead(const std::optional<Lines>& lines, double bytes) const {
    if (!lines) return assumed();
    // A long send waits for its receiver, so its overhead is that of the longest eager message.
    const double limit = eager(bytes) ? bytes : static_cast<double>(*result_.eager_limit);
    return segment_of(*lines, std::min(limit, bytes));
  }

  // Adds the pieces from the last limit to this one.
  void add(double limit) {
    auto [fitted, rest] = piece(limit, true);
    const double above = result_.pieces.empty() ? 0 : result_.pieces.back().up_to;
    std::vector<double> ends = steps(above, limit, rest);
    if (ends.empty()) {
      std::tie(fitted, rest) = piece(limit, false);
      ends = {limit};
    }
    const Value latency = fitted.latency;
    double from = above;
    for (const double end : ends) {
      fitted.up_to = end;
      fitted.latency = shifted(latency, rest * (from + end) / 2);
      result_.pieces.push_back(fitted);
      from = end;
    }
  }
  // Ends of pieces up to `limit`, so that in each of them `rest` per byte differs little from its middle. Empty: there
  // would be too many.
  std::vector<double> steps(double above, double limit, double rest) const {
    const Segment& whole = segment_of(round_, limit);
    for (const double error : step_errors) {
      std::vector<double> ends;
      for (double end = above; end < limit && ends.size() < most_steps; ends.push_back(end))
        end = rest > 0 ? std::min(limit, std::ceil(end + 2 * error * whole.of(end) / rest)) : limit;
      if (ends.back() == limit) return ends;
    }
    return {};
  }

  // The piece, and the time per byte by which single messages take longer than consecutive ones. That time is neither
  // on the wire nor at the two ends, so only the latency can express it, in steps. Without `in_steps` the second value
  // is 0, and the two ends have that time.
  std::pair<PieceFit, double> piece(double limit, bool in_steps) const {
    const Segment& whole = segment_of(round_, limit);
    Segment send = overhead(send_, limit), receive = overhead(receive_, limit);
    Value fixed = whole.fixed, per_byte = whole.per_byte;
    if (!eager(limit)) {  // request and answer
      const PieceFit& first = result_.pieces.front();
      const double control = first.send.value + first.receive.value;
      fixed = shifted(fixed, -2 * (control + first.latency.value));
    }
    // Parts that overlap in reality must not exceed the whole.
    const auto fit_in = [](Value& a, Value& b, double most) {
      const double sum = a.value + b.value;
      if (sum <= most) return;
      a = scaled(a, most / sum);
      b = scaled(b, most / sum);
    };
    double on_wire = per_byte.value, rest = 0;  // on_wire: upper bound
    if (stream_) {
      // On the wire, bytes take no longer than in consecutive messages; the rest is at the two ends.
      const double consecutive = segment_of(*stream_, limit).per_byte.value;
      on_wire = std::min(on_wire, consecutive);
      double ends = (per_byte.value - on_wire) / 2;
      if (in_steps) ends = std::min(ends, consecutive);
      send.per_byte = receive.per_byte = {ends, ends, ends};
      rest = per_byte.value - on_wire - 2 * ends;
    }
    fit_in(send.per_byte, receive.per_byte, per_byte.value);
    fit_in(send.fixed, receive.fixed, 0.9 * fixed.value);
    PieceFit result;
    result.up_to = limit;
    result.send = send.fixed;
    result.send_per_byte = send.per_byte;
    result.receive = receive.fixed;
    result.receive_per_byte = receive.per_byte;
    result.gap_per_byte = shifted(per_byte, -(send.per_byte.value + receive.per_byte.value + rest));
    result.latency = shifted(fixed, result.gap_per_byte.value - (send.fixed.value + receive.fixed.value));
    return {result, rest};
  }

  const Lines& round_;
  const std::optional<Lines> send_, receive_, stream_;
  PiecewiseFit& result_;
};

}  // namespace

Result<PiecewiseFit> fit(const Imported& measured, std::optional<std::int64_t> eager_limit, bool serial,
                         int most) {
  const auto round = measured.points.find("half_roundtrip");
  if (round == measured.points.end())
    return fail("no half round trips were measured: the latency cannot be determined without them");
  PiecewiseFit result;
  result.notes = measured.warnings;
  result.notes.insert(result.notes.end(), measured.notes.begin(), measured.notes.end());
  result.eager_limit = eager_limit;
  result.serial = serial;
  result.poll = poll(measured);
  result.reduce_per_byte = rate(measured, "reduce");
  result.copy_per_byte = rate(measured, "copy");
  const auto whole = segments(round->second, most, least_fixed_share);
  if (!whole) return fail("half_roundtrip: " + whole.error().message);
  std::optional<Lines> parts[3];
  const char* const kinds[] = {"send", "receive", "stream"};
  for (int i = 0; i < 3; ++i) {
    auto read = lines(measured, kinds[i], most);
    if (!read) return tl::unexpected(read.error());
    parts[i] = std::move(*read);
  }
  Fitter(*whole, parts[0], parts[1], parts[2], result).run();
  std::vector<double> off;
  for (const Point& p : medians(round->second))
    off.push_back(std::abs(segment_of(*whole, p.bytes).of(p.bytes) - p.seconds) / p.seconds);
  std::nth_element(off.begin(), off.begin() + static_cast<std::ptrdiff_t>(off.size() / 2), off.end());
  result.off = off[off.size() / 2];
  return result;
}

}  // namespace emu::app::calibration
