// An answer as a table, a verdict and JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/units.h"
#include "farm/answer.h"
#include "study/json.h"
#include "study/verdict.h"

namespace emu::app::farms {
namespace {

using Json = nlohmann::ordered_json;

// Work may be longer than virtual time.
std::string in_time(double seconds) {
  if (seconds > Interval::longest().seconds()) return fmt::format("{:.5g} h", seconds / 3600);
  return format(Interval::seconds(seconds), 5);
}

std::string rule_of(const Policy& way) { return advice::rule_names()[static_cast<std::size_t>(way.rule)]; }

// The study of one curve alone.
studies::Study study_of(const Answer& answer, std::size_t curve) {
  studies::Study study = answer.study;
  study.curves = {answer.study.curves[curve]};
  return study;
}

std::string way_in_words(const Policy& way) {
  std::string text = way.rule == advice::Rule::self ? fmt::format("chunks of {}", counted(way.chunk, "task"))
                                                    : fmt::format("rule {}, chunks of at least {}",
                                                                  rule_of(way), counted(way.chunk, "task"));
  if (way.masters > 1) text += fmt::format(", {}", counted(way.masters, "master"));
  if (way.prefetch > 1) text += fmt::format(", {} chunks for each slave at a time", way.prefetch);
  return text;
}

}  // namespace

std::string table(const Answer& answer) {
  return fmt::format("{} of {} on average on the reference CPU, {} in all, on \"{}\"\n\n",
                     counted(answer.costs.tasks(), "task"), in_time(answer.costs.mean()),
                     in_time(answer.costs.total()), answer.study.curves.front().target.name) +
         studies::table(answer.study);
}

std::string verdict_text(const Answer& answer) {
  const auto best = best_of(answer);
  if (!best) return studies::verdict_text(answer.study);
  std::string text;
  if (answer.ways.size() > 1) text += fmt::format("Best: {}.", way_in_words(answer.ways[*best]));
  text += studies::verdict_text(study_of(answer, *best));
  if (const auto ranks = saturation(answer, *best))
    text += fmt::format("The master is saturated from {} on: alone it takes longer than the slaves alone.\n",
                        counted(*ranks, "rank"));
  return text;
}

Json to_json(const Answer& answer) {
  Json json = {{"target", answer.study.curves.front().target.name},
               {"tasks", answer.costs.tasks()},
               {"task_seconds", answer.costs.mean()},
               {"protocol", answer.protocol == Protocol::deal ? "deal" : "request"},
               {"points", Json::array()}};
  const auto best = best_of(answer);
  Json verdict;
  for (std::size_t i = 0; i < answer.ways.size(); ++i) {
    const Policy& way = answer.ways[i];
    Json curve = studies::to_json(study_of(answer, i));
    for (const Json& known : curve["points"]) {
      Json point = {{"ranks", known["ranks"]},
                    {"chunk", way.chunk},
                    {"rule", rule_of(way)},
                    {"masters", way.masters},
                    {"prefetch", way.prefetch}};
      if (known.contains("predicted_seconds"))
        point["predicted_picoseconds"] =
            answer.study.curves[i].at(known["ranks"])->typical().predicted().picoseconds();
      point.update(known);
      json["points"].push_back(std::move(point));
    }
    if (best == i) verdict = std::move(curve);
  }
  if (!best) {
    for (const char* key : {"optimum_ranks", "optimum_chunk", "optimum_seconds", "bottleneck"})
      json[key] = nullptr;
    return json;
  }
  const Policy& way = answer.ways[*best];
  json["optimum_ranks"] = verdict["optimum_ranks"];
  json["optimum_chunk"] = way.chunk;
  json["optimum_rule"] = rule_of(way);
  json["optimum_masters"] = way.masters;
  json["optimum_prefetch"] = way.prefetch;
  const auto ranks = saturation(answer, *best);
  json["saturation_ranks"] = ranks ? Json(*ranks) : Json();
  for (const char* known : {"program", "arguments", "target", "points", "values", "variations"})
    verdict.erase(known);
  for (const auto& [key, value] : verdict.items()) json[key] = value;
  return json;
}

}  // namespace emu::app::farms
