#include "advice/c_loop.h"

#include <cmath>
#include <cstdint>
#include <string>

#include "advice/advise.h"

namespace emu::advice {
namespace {

constexpr int most_workers = 65536;
constexpr double longest = 4.6e6;  // seconds: the end of virtual time

bool within(double value, double most) { return std::isfinite(value) && value >= 0 && value <= most; }

std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

Result<void> check_each(const char* name, const double* values, int workers) {
  for (int i = 0; values && i < workers; ++i)
    if (!within(values[i], longest))
      return fail("invalid " + std::string(name) + "[" + std::to_string(i) + "]: " + shown(values[i]) +
                  " (expected 0 to 4.6e6)");
  return {};
}

// Unknown speeds are the mean of the known ones.
void take_speeds(const double* speeds, std::vector<Worker>& workers) {
  if (!speeds) return;
  double sum = 0;
  int known = 0;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    sum += speeds[i];
    known += speeds[i] > 0;
  }
  for (std::size_t i = 0; i < workers.size(); ++i)
    workers[i].speed = speeds[i] > 0 ? speeds[i] : (known > 0 ? sum / known : 1);
}

// The chunk of fixed-size chunking, which depends on the time of dealing a chunk.
std::int32_t fixed_size_of_rest(const Rest& rest, const std::vector<Worker>& workers,
                                const std::vector<bool>& used) {
  std::vector<Worker> some;
  for (std::size_t i = 0; i < workers.size(); ++i)
    if (used[i]) some.push_back(workers[i]);
  return make_chunks(Rule::fsc, rest.iterations(), static_cast<int>(some.size()), {},
                     {dealing_seconds(some), rest.deviation()})
      ->next(0, rest.iterations());
}

}  // namespace

Result<void> check(const emu_loop& loop) {
  if (loop.iterations < 0 || loop.iterations > INT32_MAX)
    return fail("invalid number of iterations: " + std::to_string(loop.iterations) +
                " (expected 0 to 2147483647)");
  if (loop.workers < 1 || loop.workers > most_workers)
    return fail("invalid number of workers: " + std::to_string(loop.workers) + " (expected 1 to 65536)");
  if (!within(loop.disturbance, 1))
    return fail("invalid disturbance: " + shown(loop.disturbance) + " (expected 0 to 1)");
  const struct {
    const char* name;
    double value;
  } times[] = {{"mean_seconds", loop.mean_seconds},
               {"deviation_seconds", loop.deviation_seconds},
               {"receive_seconds", loop.receive_seconds},
               {"send_seconds", loop.send_seconds}};
  for (const auto& time : times)
    if (!within(time.value, longest))
      return fail("invalid " + std::string(time.name) + ": " + shown(time.value) + " (expected 0 to 4.6e6)");
  if (!within(std::fabs(loop.trend_seconds), 2 * loop.mean_seconds))
    return fail("invalid trend_seconds: " + shown(loop.trend_seconds) +
                " (expected at most twice mean_seconds, " + shown(loop.mean_seconds) + ", to either side)");
  for (const int bytes : {loop.request_bytes, loop.chunk_bytes})
    if (bytes < 0)
      return fail("invalid size of a message: " + std::to_string(bytes) + " bytes (expected 0 or more)");
  if (const auto good = check_each("speeds", loop.speeds, loop.workers); !good) return good;
  if (const auto good = check_each("busy_seconds", loop.busy_seconds, loop.workers); !good) return good;
  return check_each("trip_seconds", loop.trip_seconds, loop.workers);
}

emu_advice advise(const emu_loop& loop, std::vector<Worker> costs) {
  take_speeds(loop.speeds, costs);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    Worker& worker = costs[i];
    if (loop.busy_seconds) worker.busy = loop.busy_seconds[i];
    if (loop.receive_seconds > 0) worker.receive = loop.receive_seconds;
    if (loop.send_seconds > 0) worker.send = loop.send_seconds;
    if (loop.trip_seconds && loop.trip_seconds[i] > 0) worker.there = worker.back = loop.trip_seconds[i] / 2;
  }
  const Rest rest(static_cast<std::int32_t>(loop.iterations), loop.mean_seconds, loop.deviation_seconds,
                  loop.trend_seconds);
  const Advice found = advise(rest, costs, loop.disturbance);
  emu_advice advice{};
  for (std::size_t i = 0; loop.used && i < costs.size(); ++i)
    loop.used[i] = loop.iterations > 0 && found.used[i] ? 1 : 0;
  if (loop.iterations == 0) return advice;
  advice.rule = static_cast<emu_rule>(found.way.rule);
  advice.chunk = found.way.least;
  advice.most = std::min<long long>(found.way.most, loop.iterations);
  if (found.way.rule == Rule::fsc) advice.chunk = advice.most = fixed_size_of_rest(rest, costs, found.used);
  advice.workers = found.workers;
  advice.seconds = found.played.seconds;
  return advice;
}

std::vector<Worker> usual_costs(int workers) {
  return std::vector<Worker>(static_cast<std::size_t>(workers),
                             {.receive = 5e-6, .send = 5e-6, .there = 1e-5, .back = 1e-5});
}

}  // namespace emu::advice
