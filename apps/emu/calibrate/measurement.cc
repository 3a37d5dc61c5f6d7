#include "calibrate/measurement.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

namespace emu::app::calibration {
namespace {

// Samples of a train are differences of two times, which noise can make negative.
bool good(const Sample& sample) {
  const bool difference = sample.kind == "train";
  return !sample.seconds.empty() && std::all_of(sample.seconds.begin(), sample.seconds.end(), [&](double s) {
    return std::isfinite(s) && (difference || s >= 0);
  });
}

}  // namespace

double Sample::median() const {
  std::vector<double> order = seconds;
  std::sort(order.begin(), order.end());
  const std::size_t n = order.size();
  return n % 2 ? order[n / 2] : (order[n / 2 - 1] + order[n / 2]) / 2;
}

const Sample* Measurement::find(const std::string& kind, std::int64_t bytes) const {
  for (const Sample& sample : samples)
    if (sample.kind == kind && sample.bytes == bytes) return &sample;
  return nullptr;
}

std::vector<const Sample*> Measurement::all(const std::string& kind) const {
  std::vector<const Sample*> result;
  for (const Sample& sample : samples)
    if (sample.kind == kind) result.push_back(&sample);
  return result;
}

void add(Measurement& to, const Measurement& more) {
  for (const Sample& sample : more.samples) {
    const auto same = [&](const Sample& s) { return s.kind == sample.kind && s.bytes == sample.bytes; };
    const auto found = std::find_if(to.samples.begin(), to.samples.end(), same);
    if (found == to.samples.end())
      to.samples.push_back(sample);
    else
      found->seconds.insert(found->seconds.end(), sample.seconds.begin(), sample.seconds.end());
  }
}

Result<Measurement> read_measurement(const std::string& path) {
  std::ifstream in(path);
  Measurement result;
  try {
    const nlohmann::json json = nlohmann::json::parse(in);
    result.ranks = json.at("ranks");
    result.two_machines = json.at("two_machines");
    result.eager_limit = json.at("eager_limit");
    result.cold = json.value("buffers", "warm") == "cold";
    for (const auto& sample : json.at("samples"))
      result.samples.push_back({sample.at("kind"), sample.at("bytes"), sample.at("seconds")});
  } catch (const nlohmann::json::exception& error) {
    return fail(path + ": not a measurement of emu-calibrate: " + error.what());
  }
  if (result.ranks < 2 || !std::all_of(result.samples.begin(), result.samples.end(), good))
    return fail(path + ": not a measurement of emu-calibrate: a value is out of range");
  return result;
}

}  // namespace emu::app::calibration
