#include "calibrate/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/units.h"

namespace emu::app::calibration {
namespace {

// Points with a median distance of a quarter do not form a line. Noise on a quiet machine is a few percent.
constexpr double most_off = 0.25;
// Smaller relative effects are below the resolution of the clock and of picoseconds.
constexpr double least_effect = 2e-5;

double wire(std::int64_t bytes) { return static_cast<double>(std::max<std::int64_t>(bytes, 1)); }

std::string in_time(double seconds) { return format(Interval::seconds(seconds), 3); }

// Collects all reasons against the result, so that the user gets a complete list.
class Reasons {
 public:
  void add(const std::string& reason, bool scatter = false) {
    text_ += (text_.empty() ? "" : "\n") + reason;
    scatter_only_ &= scatter;
  }
  // Checks a value that must not be negative, nor 0 if it is `needed`.
  void check(const std::string& name, const Value& v, bool needed, const std::string& advice,
             bool scatter = false) {
    if (v.value < 0 || (needed && v.low <= 0))
      add(fmt::format("invalid {}: {} ({} to {}; expected {}): {}", name, in_time(v.value), in_time(v.low),
                      in_time(v.high), needed ? "more than 0" : "0 or more", advice),
          scatter);
  }
  // A value with a wide interval is as useless as a wrong one.
  void check_known(const std::string& name, const Value& v) {
    const double half = (v.high - v.low) / 2;
    if (v.low > 0 && half > most_off * v.value)
      add(fmt::format("uncertain {}: {} ({} to {}): calibrate when nothing else "
                      "runs, without --quick, or with more values of --ranks",
                      name, in_time(v.value), in_time(v.low), in_time(v.high)),
          /*scatter=*/true);
  }
  void check_off(const std::string& name, double off) {
    if (off > most_off)
      add(fmt::format(
              "{}: half of the points lie more than {:.0f} % off the fitted line; calibrate when nothing "
              "else "
              "runs, on cores that the ranks do not share, or leave out ranks or machines that are unlike "
              "the others",
              name, 100 * off),
          /*scatter=*/true);
  }
  bool none() const { return text_.empty(); }
  bool scatter_only() const { return !none() && scatter_only_; }
  Failure failure() const { return Failure{text_}; }

 private:
  std::string text_;
  bool scatter_only_ = true;
};

// Widens the interval of a value by the distance of its points.
void widen(Value& v, double off) {
  v.low = std::min(v.low, v.value * (1 - off));
  v.high = std::max(v.high, v.value * (1 + off));
}

// True if the message was sent without a handshake.
bool eager(const Fit& fit, std::int64_t bytes) {
  return !fit.eager_limit || wire(bytes) <= static_cast<double>(*fit.eager_limit);
}

// Points of one number of ranks may share an error: another run,
// other cores. So the uncertainty of the growth with P is derived
// from the distances of the numbers of ranks from a common line.
Value between_ranks(const std::vector<Measurement>& all, const std::string& kind, const Fit& fit,
                    double per_byte, Value per_process) {
  std::vector<Row> rows;
  for (const Measurement& measurement : all) {
    Sample rests;
    for (const Sample* sample : measurement.all(kind))
      if (eager(fit, sample->bytes) && sample->bytes <= 4096)
        rests.seconds.push_back(sample->median() - per_byte * wire(sample->bytes));
    if (rests.seconds.empty()) return per_process;
    rows.push_back(
        {{1, static_cast<double>(measurement.ranks)}, rests.median(), std::max(rests.median(), 1e-9)});
  }
  const auto line = regress(rows);
  if (!line) return per_process;
  const Value& coarse = line->coefficients[1];
  const double half = std::max((per_process.high - per_process.low) / 2, (coarse.high - coarse.low) / 2);
  return {per_process.value, per_process.value - half, per_process.value + half};
}

// `falls`: receives true if the overhead falls with the number of ranks; then the growth is 0, up to as much, if the
// scatter is not refused.
Result<Overhead> fit_overhead(const std::vector<Measurement>& all, const std::string& kind, const Fit& fit,
                              Scatter scatter, bool& falls) {
  std::vector<Row> rows;
  for (const Measurement& measurement : all)
    for (const Sample* sample : measurement.all(kind))
      if (eager(fit, sample->bytes))
        rows.push_back({{1, static_cast<double>(measurement.ranks), wire(sample->bytes)},
                        sample->median(),
                        std::max(sample->median(), 1e-9)});
  auto line = regress_without_zeros(rows, {true, true, true}, least_effect);
  if (!line) return fail(kind + " overhead: " + line.error().message);
  const Value& slope = line->coefficients[1];
  const Value growth = between_ranks(all, kind, fit, line->coefficients[2].value, slope);
  falls = slope.value != 0 && growth.high < 0 && scatter == Scatter::widened;
  if (falls || (slope.value != 0 && growth.low <= 0 && growth.high >= 0)) {
    for (Row& row : rows) row.x.erase(row.x.begin() + 1);
    line = regress_without_zeros(rows, {true, true}, least_effect);
    if (!line) return fail(kind + " overhead: " + line.error().message);
    line->coefficients.insert(line->coefficients.begin() + 1, Value{0, 0, falls ? -growth.low : growth.high});
  } else if (slope.value != 0) {
    line->coefficients[1] = growth;
  }
  return Overhead{line->coefficients[0], line->coefficients[1], line->coefficients[2], line->off};
}

// For comparison only, where the buffers are cold.
void fit_warm(const std::vector<Measurement>& all, Fit& result) {
  result.cold = !all.empty() && all.front().cold;
  if (!result.cold) return;
  bool falls = false;
  for (auto [kind, overhead] :
       {std::pair("warm-send", &result.warm_send), std::pair("warm-receive", &result.warm_receive)})
    if (auto fitted = fit_overhead(all, kind, result, Scatter::widened, falls)) {
      if (fitted->off > most_off) widen(fitted->per_byte, fitted->off);
      *overhead = std::move(*fitted);
    }
}

// Number of trips before the data of a long message leave: two, if the measurement does not determine it.
void fit_trips(Fit& result) {
  constexpr double least = 2, most = 16;
  if (result.latency.value <= 0) return;
  const auto trips = [&](double seconds) { return seconds / result.latency.value - 1; };
  const Value& handshake = *result.handshake;
  result.trips = {trips(handshake.value), trips(handshake.low), trips(handshake.high)};
  if (result.trips.low > least)
    result.handshake_trips = static_cast<int>(std::clamp(std::round(result.trips.value), least, most));
  if (result.trips.high - result.trips.low > 1)
    result.notes.push_back(fmt::format("the number of trips of a handshake is uncertain: {:.1f} to {:.1f}",
                                       std::max(0.0, result.trips.low), result.trips.high));
}

// L and G from round trips, less the overheads of sender and receiver; for long messages also the handshake.
Result<void> fit_network(const std::vector<Measurement>& all, Fit& result) {
  std::vector<Row> rows;
  bool any_long = false;
  for (const Measurement& measurement : all)
    for (const Sample* sample : measurement.all("round")) any_long |= !eager(result, sample->bytes);
  for (const Measurement& measurement : all) {
    for (const Sample* sample : measurement.all("round")) {
      const double one_way = sample->median() / 2, k = wire(sample->bytes), p = measurement.ranks;
      const Sample* send = measurement.find("send", sample->bytes);
      const Sample* receive = measurement.find("receive", sample->bytes);
      if (!send || !receive) continue;
      const bool is_short = eager(result, sample->bytes);
      const double overheads = is_short ? send->median() + receive->median()
                                        : result.send.of(k, p) + result.receive.of(k, p) +
                                              2 * (result.send.of(1, p) + result.receive.of(1, p));
      std::vector<double> x{is_short ? 1.0 : 0.0, k - 1};
      if (any_long) x.push_back(is_short ? 0.0 : 1.0);
      rows.push_back({x, one_way - overheads, one_way});
    }
  }
  const auto line = regress(rows);
  if (!line) return fail("latency and gap per byte: " + line.error().message);
  result.latency = line->coefficients[0];
  result.gap_per_byte = line->coefficients[1];
  if (any_long) {
    result.handshake = line->coefficients[2];
    fit_trips(result);
  }
  result.round_off = line->off;
  return {};
}

// Median, least and greatest of the medians of all numbers of ranks.
Value of_all(const std::vector<Measurement>& all, const std::string& kind) {
  Sample medians;
  for (const Measurement& measurement : all)
    for (const Sample* sample : measurement.all(kind)) medians.seconds.push_back(sample->median());
  if (medians.seconds.empty()) return {};
  const auto [least, most] = std::minmax_element(medians.seconds.begin(), medians.seconds.end());
  return {medians.median(), *least, *most};
}

// A gap shorter than the send overhead has no effect, so it cannot be measured.
void fit_gap(const std::vector<Measurement>& all, Fit& result) {
  bool longer = true;
  for (const Measurement& measurement : all) {
    const Sample* burst = measurement.find("burst", 1);
    const Sample* send = measurement.find("send", 1);
    longer &= burst && send && burst->median() > 1.05 * send->median();
  }
  if (longer) {
    result.gap = of_all(all, "burst");
  } else {
    result.notes.push_back("g is no longer than the send overhead, so it has no effect: written as 0");
  }
}

// Cards are serial if consecutive long messages arrive no faster than the wire transfers them.
void fit_card(const std::vector<Measurement>& all, Fit& result) {
  bool determined = false;
  for (const Measurement& measurement : all) {
    for (const Sample* train : measurement.all("train")) {
      const double k = wire(train->bytes), p = measurement.ranks;
      const double on_wire = (k - 1) * result.gap_per_byte.value;
      const double otherwise = std::max({result.send.of(k, p), result.receive.of(k, p), result.gap.value});
      if (on_wire < 1.2 * otherwise) continue;
      determined = true;
      result.serial = train->median() > (on_wire + otherwise) / 2;
    }
  }
  if (!determined)
    result.notes.push_back(
        "whether network cards are serial has no effect between two ranks, whose overheads are longer than "
        "the "
        "wire takes: written as \"free\"");
}

// Values whose points scatter by more than the value are unchanged.
void widen_what_scatters(Fit& fit) {
  const auto widened = [&](const std::string& name, double& off, std::initializer_list<Value*> values) {
    if (off <= most_off || off >= 1) return;
    for (Value* value : values) widen(*value, off);
    fit.notes.push_back(fmt::format(
        "{}: half of the points lie more than {:.0f} % off the fitted line; the intervals are as wide", name,
        100 * off));
    off = 0;
  };
  widened("send overhead", fit.send.off, {&fit.send.fixed, &fit.send.per_process, &fit.send.per_byte});
  widened("receive overhead", fit.receive.off,
          {&fit.receive.fixed, &fit.receive.per_process, &fit.receive.per_byte});
  widened("round trips", fit.round_off, {&fit.latency, &fit.gap_per_byte});
}

void check(const std::vector<Measurement>& all, const Fit& fit, Scatter scatter, Reasons& reasons) {
  const std::string quiet = "calibrate when nothing else runs, with more values of --ranks, further apart";
  for (const auto& [name, overhead] :
       {std::pair("send overhead", fit.send), std::pair("receive overhead", fit.receive)}) {
    reasons.check(std::string(name) + ", fixed", overhead.fixed, false, quiet);
    reasons.check(std::string(name) + ", per process", overhead.per_process, false, quiet, /*scatter=*/true);
    reasons.check(std::string(name) + ", per byte", overhead.per_byte, false, quiet);
    reasons.check_off(name, overhead.off);
  }
  const bool one_machine = std::none_of(all.begin(), all.end(), [](const auto& m) { return m.two_machines; });
  const std::string apart =
      one_machine
          ? "both ranks may be on one machine, where send and receive overlap and there is no network: start "
            "them on two, --mpirun \"-hosts a,b\""
          : "send and receive overlap, which the model does not know";
  reasons.check("latency", fit.latency, true, apart);
  reasons.check("gap per byte", fit.gap_per_byte, true, apart);
  if (scatter == Scatter::refused) {
    reasons.check_known("latency", fit.latency);
    reasons.check_known("gap per byte", fit.gap_per_byte);
  }
  reasons.check_off("round trips", fit.round_off);
}

Result<Fit> fit_unchecked(const std::vector<Measurement>& all, double reference_seconds, Scatter scatter) {
  std::set<int> ranks;
  for (const Measurement& measurement : all) ranks.insert(measurement.ranks);
  if (ranks.size() < 3) return fail("three numbers of ranks are needed to tell what grows with them");
  Fit result;
  for (const Measurement& measurement : all)
    if (measurement.eager_limit >= 0)
      result.eager_limit =
          std::min(result.eager_limit.value_or(measurement.eager_limit), measurement.eager_limit);
  if (result.eager_limit && *result.eager_limit < 64)
    return fail(fmt::format(
        "messages above {} bytes wait for their receiver, so the overheads of longer ones cannot be "
        "distinguished from the handshake; raise MPICH's eager limit",
        *result.eager_limit));
  for (auto [kind, overhead] : {std::pair("send", &result.send), std::pair("receive", &result.receive)}) {
    bool falls = false;
    auto fitted = fit_overhead(all, kind, result, scatter, falls);
    if (!fitted) return tl::unexpected(fitted.error());
    *overhead = *fitted;
    if (falls)
      result.notes.push_back(
          fmt::format("{} overhead: it fell with the number of ranks, which the model does not know; the "
                      "growth is 0, or up to {} per process",
                      kind, in_time(overhead->per_process.high)));
  }
  fit_warm(all, result);
  if (const auto fitted = fit_network(all, result); !fitted) return tl::unexpected(fitted.error());
  fit_gap(all, result);
  fit_card(all, result);
  result.poll = of_all(all, "poll");
  const Value kernel = of_all(all, "kernel");
  if (!(kernel.low > 0)) return fail("the kernel that measures the CPU took no time");
  result.speed = {reference_seconds / kernel.value, reference_seconds / kernel.high,
                  reference_seconds / kernel.low};
  return result;
}

}  // namespace

double Overhead::of(double bytes, double ranks) const {
  return fixed.value + per_process.value * ranks + per_byte.value * bytes;
}

Result<Fit> fit(const std::vector<Measurement>& all, double reference_seconds, Scatter scatter) {
  auto result = fit_unchecked(all, reference_seconds, scatter);
  if (!result) return result;
  if (scatter == Scatter::widened) widen_what_scatters(*result);
  Reasons reasons;
  check(all, *result, scatter, reasons);
  if (!reasons.none()) return tl::unexpected(reasons.failure());
  return result;
}

bool repeats_may_help(const std::vector<Measurement>& all, double reference_seconds) {
  const auto result = fit_unchecked(all, reference_seconds, Scatter::refused);
  if (!result) return false;
  Reasons reasons;
  check(all, *result, Scatter::refused, reasons);
  return reasons.scatter_only();
}

}  // namespace emu::app::calibration
