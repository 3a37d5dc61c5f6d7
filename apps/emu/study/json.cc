#include <nlohmann/json.hpp>

#include "study/losses.h"
#include "study/report.h"

namespace emu::app::studies {
namespace {

using Json = nlohmann::ordered_json;

Json point_json(const Curve& curve, const Point& point, const MeasuredTimes& measured) {
  Json json = {{"ranks", point.ranks}};
  if (const auto found = measured.find(point.ranks); found != measured.end())
    json["measured_seconds"] = found->second;
  if (!point.good()) {
    json["failure"] = point.failure;
    return json;
  }
  const record::RunSummary& run = point.typical();
  json["predicted_seconds"] = point.seconds();
  if (const auto interval = curve.interval(point)) json["interval_seconds"] = {interval->low, interval->high};
  if (point.runs.size() > 1) {
    for (const record::RunSummary& each : point.runs)
      json["repeats_seconds"].push_back(each.predicted().seconds());
  }
  json["efficiency"] = shares(run).compute;
  if (const auto job = only_master(run)) {
    const ClosedForm form = closed_form(*job, curve.target, point.ranks);
    json["master_busy"] = losses(*job, run, curve.target).master_busy;
    json["master_bound_seconds"] = form.master;
    json["slave_bound_seconds"] = form.slaves;
  }
  return json;
}

// How it was found from which to which number of ranks the optimum can lie.
void add_how(Json& json, const Curve& curve, const Optimum& best) {
  if (curve.target.uncertainties.empty()) {
    json["optimum_interval_found_by"] = "repeats";
    return;
  }
  json["optimum_interval_found_by"] = curve.corners.empty() ? "first order" : "runs at the ends";
  if (curve.corners.empty()) return;
  json["optimum_first_order_ranks"] = {best.first_order.first, best.first_order.second};
  json["optimum_at_the_ends"] = Json::array();
  for (const Corner& corner : curve.corners) {
    Json one = {{"towards", corner.more ? "more ranks" : "fewer ranks"}, {"moved_by", corner.ends}};
    const Point* const least = corner.least();
    one["optimum_ranks"] = least ? Json(least->ranks) : Json();
    one["points"] = Json::array();
    for (const Point& point : corner.points)
      one["points"].push_back(point.good()
                                  ? Json{{"ranks", point.ranks}, {"predicted_seconds", point.seconds()}}
                                  : Json{{"ranks", point.ranks}, {"failure", point.failure}});
    json["optimum_at_the_ends"].push_back(std::move(one));
  }
}

// What is known of one target.
Json curve_json(const Study& study, const Curve& curve) {
  Json json = {{"target", curve.target.name}, {"points", Json::array()}};
  for (const Point& point : curve.points) json["points"].push_back(point_json(curve, point, study.measured));
  if (const auto comparison = compare(curve, study.measured)) json["measured"] = to_json(*comparison);
  for (const RunWarning& warning : curve.warnings)
    json["warnings"].push_back({{"key", warning.key}, {"text", warning.text}, {"points", warning.ranks}});
  const auto found = verdict(curve, study.ranks);
  if (!found) {
    for (const char* key : {"optimum_ranks", "optimum_seconds", "flat_region", "bottleneck"})
      json[key] = nullptr;
    return json;
  }
  const Optimum& best = found->optimum;
  json["optimum_ranks"] = best.point->ranks;
  json["optimum_seconds"] = best.point->seconds();
  if (const auto interval = curve.interval(*best.point)) {
    json["optimum_interval_seconds"] = {interval->low, interval->high};
    json["optimum_interval_ranks"] = {best.possible.first, best.possible.second};
    add_how(json, curve, best);
  }
  if (is_local(study, curve)) json["search"] = "local";
  if (const std::vector<int> all = curve.certain_valleys(); all.size() > 1) json["valleys"] = all;
  json["flat_region"] = {best.flat.first, best.flat.second};
  if (const std::vector<int> ranks = curve.as_good_elsewhere(best); !ranks.empty())
    json["as_good_elsewhere"] = ranks;
  json["bottleneck"] = found->diagnosis.bottleneck;
  json["bottleneck_ranks"] = found->diagnosis.ranks;
  json["bottleneck_why"] = found->diagnosis.why;
  if (found->diagnosis.closed_form_optimum)
    json["closed_form_optimum_ranks"] = *found->diagnosis.closed_form_optimum;
  return json;
}

}  // namespace

Json to_json(const Study& study) {
  Json json = {{"program", study.program}, {"arguments", study.arguments}};
  if (study.curves.size() == 1) {
    json.update(curve_json(study, study.curves.front()));
  } else {
    json["variations"] = Json::array();
    for (const Curve& curve : study.curves) {
      Json one = {{"values", Json::object()}};
      for (const auto& [key, value] : curve.variation.values) one["values"][key] = value;
      one.update(curve_json(study, curve));
      json["variations"].push_back(std::move(one));
    }
  }
  return json;
}

// A program's name may be any bytes: what is no UTF-8 is replaced rather than refused.
std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace emu::app::studies
