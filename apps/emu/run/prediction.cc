#include "run/prediction.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/units.h"
#include "common/output.h"
#include "common/resources.h"

namespace emu::app {
namespace {

struct Totals {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};

Totals totals(const record::RunSummary& run) {
  Totals sum;
  for (const record::RankSummary& rank : run.ranks) {
    sum.messages += rank.messages_sent;
    sum.bytes += rank.bytes_sent;
  }
  return sum;
}

nlohmann::ordered_json rank_json(int number, const record::RankSummary& rank) {
  const record::Breakdown& time = rank.time;
  nlohmann::ordered_json json = {{"rank", number},
                                 {"finish_picoseconds", rank.finish.picoseconds()},
                                 {"compute_seconds", time.compute.seconds()},
                                 {"send_overhead_seconds", time.send_overhead.seconds()},
                                 {"receive_overhead_seconds", time.receive_overhead.seconds()},
                                 {"poll_seconds", time.poll.seconds()},
                                 {"handshake_seconds", time.handshake.seconds()},
                                 {"wait_seconds", time.wait.seconds()},
                                 {"node_down_seconds", time.down.seconds()},
                                 {"messages_sent", rank.messages_sent},
                                 {"bytes_sent", rank.bytes_sent}};
  if (rank.failed) json["failed"] = true;
  return json;
}

nlohmann::ordered_json json_number(double x) {
  const auto whole = static_cast<std::int64_t>(x);
  if (static_cast<double>(whole) == x) return whole;
  return x;
}

// The causes of the predicted time, whose sum it is exactly. The derivatives give the change of the time in
// seconds per second of a time, or per second per byte, of the target; and for the speed of all CPUs
// per relative change, as for the bandwidth of the resource that messages waited for. Most are whole numbers: the
// number of occurrences of the time in the path.
nlohmann::ordered_json path_json(const record::RunSummary& run) {
  const int last = run.last();
  const record::Path path = last < 0 ? record::Path() : run.ranks[static_cast<std::size_t>(last)].path;
  nlohmann::ordered_json json = {{"ends_at_rank", last}};
  for (const record::Cause& cause : record::causes)
    json["picoseconds"][cause.name] = (path.*cause.part).picoseconds();
  if (path.resource >= 0)
    json["contention"] = {{"resource", resource_name(run, path.resource)},
                          {"picoseconds", path.at_resource.picoseconds()},
                          {"derivative", json_number(-path.bandwidth * 1e-12)}};
  // A value measured here is not a value of the target alone.
  for (const Derivative& derivative : derivatives(run))
    if (derivative.key != "host_speed") json["derivatives"][derivative.key] = json_number(derivative.value);
  return json;
}

// The error of the predicted time due to intervals of the target's values, and the share of each value.
nlohmann::ordered_json interval_json(const Prediction& prediction) {
  const double predicted = prediction.run.predicted().seconds();
  const Uncertainty off = uncertainty(prediction.run, prediction.uncertainties);
  const auto around = [&](double half) {
    return nlohmann::ordered_json::array({std::max(0.0, predicted - half), predicted + half});
  };
  nlohmann::ordered_json json = {{"predicted_interval_seconds", around(off.likely)},
                                 {"predicted_worst_seconds", around(off.worst)},
                                 {"interval_parts_seconds", nlohmann::ordered_json::object()}};
  for (const auto& [key, part] : off.parts) json["interval_parts_seconds"][key] = part;
  return json;
}

}  // namespace

namespace {

// The ranks that failed with their nodes, in words; empty if none did.
std::string failed(const record::RunSummary& run) {
  std::string list;
  int count = 0;
  for (std::size_t i = 0; i < run.ranks.size(); ++i) {
    if (!run.ranks[i].failed) continue;
    if (++count <= 8) list += (count == 1 ? "" : ", ") + std::to_string(i);
  }
  if (count == 0) return "";
  if (count > 8) list += ", ...";
  return "; " + counted(count, "rank") + " failed with " + (count == 1 ? "its node: " : "their nodes: ") +
         list;
}

}  // namespace

std::string one_line(const Prediction& prediction) {
  const std::size_t ranks = prediction.run.ranks.size();
  const double half = uncertainty(prediction.run, prediction.uncertainties).likely;
  const std::string interval = half > 0 ? " +- " + format(Interval::seconds(half), 3) : "";
  return "predicted " + format(prediction.run.predicted() - Instant::start(), 6) + interval + " on " +
         counted(static_cast<std::int64_t>(ranks), "rank") + " of \"" + prediction.run.target + "\" (" +
         counted(totals(prediction.run).messages, "message") + "; " +
         format(Interval::seconds(prediction.host_seconds)) + " here)" + failed(prediction.run);
}

std::string made_of(const Prediction& prediction) {
  const int last = prediction.run.last();
  const record::Path path =
      last < 0 ? record::Path() : prediction.run.ranks[static_cast<std::size_t>(last)].path;
  const double total = path.total().seconds();
  std::vector<record::Cause> parts(record::causes.begin(), record::causes.end());
  std::stable_sort(parts.begin(), parts.end(), [&](const record::Cause& a, const record::Cause& b) {
    return path.*a.part > path.*b.part;
  });
  std::string text;
  for (const record::Cause& cause : parts) {
    if (path.*cause.part == Interval()) continue;
    char share[16];
    std::snprintf(share, sizeof share, "%.3g %%", 100 * (path.*cause.part).seconds() / total);
    text += std::string(text.empty() ? "critical path: " : ", ") + cause.words + " " +
            format(path.*cause.part, 4) + " (" + share;
    if (cause.part == &record::Path::contention && path.resource >= 0)
      text += ", " + format(path.at_resource, 4) + " of it at " +
              resource_name(prediction.run, path.resource) + ", where 1 % more bandwidth saves " +
              format(Interval::seconds(path.bandwidth * 1e-14), 3);
    text += ")";
  }
  return text.empty() ? "critical path: nothing takes time" : text;
}

std::string to_json(const Prediction& prediction) {
  const Instant predicted = prediction.run.predicted();
  const Totals sum = totals(prediction.run);
  nlohmann::ordered_json json = {{"program", prediction.program},
                                 {"target", prediction.run.target},
                                 {"ranks", prediction.run.ranks.size()},
                                 {"predicted_seconds", predicted.seconds()},
                                 {"predicted_picoseconds", predicted.picoseconds()}};
  if (!prediction.uncertainties.empty()) json.update(interval_json(prediction));
  json.update({{"messages", sum.messages},
               {"bytes", sum.bytes},
               {"host_seconds", prediction.host_seconds},
               {"critical_path", path_json(prediction.run)},
               {"warnings", nlohmann::ordered_json::array()},
               {"per_rank", nlohmann::ordered_json::array()}});
  for (const record::ResourceUse& use : prediction.run.resources)
    json["resources"].push_back(resource_json(use));
  for (const Warning& warning : prediction.warnings)
    json["warnings"].push_back({{"key", warning.key}, {"text", warning.text}, {"ranks", warning.ranks}});
  int number = 0;
  for (const record::RankSummary& rank : prediction.run.ranks)
    json["per_rank"].push_back(rank_json(number++, rank));
  // A program's name may contain any bytes: invalid UTF-8 is replaced rather than refused.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Result<void> write_json(const Prediction& prediction, const std::string& path) {
  return write_text(to_json(prediction), path);
}

}  // namespace emu::app
