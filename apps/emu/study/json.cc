#include "study/json.h"

#include <nlohmann/json.hpp>

#include "study/losses.h"
#include "study/plane/best.h"
#include "study/plane/cost.h"
#include "study/verdict.h"

namespace emu::app::studies {
namespace {

using Json = nlohmann::ordered_json;

Json sweep_json(const Setting& setting) {
  Json json = Json::object();
  for (const auto& [name, value] : setting.values) json[name] = value_json(value);
  return json;
}

Json point_json(const Curve& curve, const Point& point, const MeasuredTimes& measured) {
  Json json = {{"ranks", point.ranks}};
  if (!curve.setting.values.empty()) json["sweep"] = sweep_json(curve.setting);
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
  if (const auto metric = point.metric()) json["metric"] = *metric;
  json["efficiency"] = shares(run).compute;
  if (const auto job = only_master(run)) {
    const ClosedForm form = closed_form(*job, curve.target, point.ranks);
    json["master_busy"] = losses(*job, run, curve.target).master_busy;
    json["master_bound_seconds"] = form.master;
    json["slave_bound_seconds"] = form.slaves;
  }
  return json;
}

// Method by which the range of the optimum was found.
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

// The optimum of a curve, with the bottleneck beyond it.
void add_verdict(Json& json, const Study& study, const Curve& curve, const Verdict& found) {
  const Optimum& best = found.optimum;
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
  json["bottleneck"] = found.diagnosis.bottleneck;
  json["bottleneck_ranks"] = found.diagnosis.ranks;
  json["bottleneck_why"] = found.diagnosis.why;
  if (found.diagnosis.closed_form_optimum)
    json["closed_form_optimum_ranks"] = *found.diagnosis.closed_form_optimum;
}

// The points and warnings of some curves of one target.
Json runs_json(const Study& study, std::size_t first, std::size_t count) {
  Json json = {{"target", study.curves[first].target.name}};
  for (const Sweep& sweep : study.sweeps)
    for (const std::string& value : sweep.values) json["sweep"][sweep.name].push_back(value_json(value));
  if (!study.nodes.empty()) json["nodes"] = study.nodes;
  if (!study.metric.empty()) json["metric"] = study.metric;
  json["points"] = Json::array();
  const auto costs = with_costs(study) ? costs_of(study, first / study.settings()) : std::nullopt;
  for (std::size_t i = first; i < first + count; ++i) {
    const Curve& curve = study.curves[i];
    for (const Point& point : curve.points) {
      json["points"].push_back(point_json(curve, point, study.measured));
      if (costs && point.good())
        add_costs(json["points"].back(), study, i, point, costs->least_node_seconds.cost.node_seconds);
    }
    for (const RunWarning& warning : curve.warnings) {
      Json one = {{"key", warning.key}, {"text", warning.text}, {"points", warning.ranks}};
      if (!study.sweeps.empty()) one["sweep"] = sweep_json(curve.setting);
      json["warnings"].push_back(std::move(one));
    }
  }
  return json;
}

// All results for one target.
Json curve_json(const Study& study, std::size_t index) {
  Json json = runs_json(study, index, 1);
  const Curve& curve = study.curves[index];
  if (const auto comparison = compare(curve, study.measured)) json["measured"] = to_json(*comparison);
  if (const auto found = verdict(curve, study.ranks)) {
    add_verdict(json, study, curve, *found);
    if (with_costs(study)) add_costs(json, study, index);
    return json;
  }
  for (const char* key : {"optimum_ranks", "optimum_seconds", "flat_region", "bottleneck"})
    json[key] = nullptr;
  return json;
}

Json request_json(const Study& study, const Request& request) {
  return {{"ranks", request.ranks}, {"sweep", sweep_json(study.curves[request.curve].setting)}};
}

Json side_json(const Study& study, const Side& side) {
  Json json = {{"side", side.name}};
  if (!side.point) return json;
  json.update(request_json(study, {side.curve, side.point->ranks}));
  json["predicted_seconds"] = side.point->seconds();
  json["cause"] = side.cause;
  json["cause_seconds"] = side.cause_seconds;
  json["bottleneck"] = side.bottleneck;
  return json;
}

// All results with swept names: all settings together.
Json settings_json(const Study& study, std::size_t variation) {
  Json json = runs_json(study, variation * study.settings(), study.settings());
  const auto best = best_of(study, variation);
  if (!best) {
    for (const char* key : {"optimum_ranks", "optimum_sweep", "optimum_seconds", "flat_region", "bottleneck"})
      json[key] = nullptr;
    return json;
  }
  json["optimum_sweep"] = sweep_json(study.curves[best->curve].setting);
  add_verdict(json, study, study.curves[best->curve], best->verdict);
  for (const Request& request : best->flat) json["flat_points"].push_back(request_json(study, request));
  if (with_costs(study)) add_costs(json, study, variation);
  json["limits"] = Json::array();
  for (const Side& side : best->sides) json["limits"].push_back(side_json(study, side));
  if (const auto sure = sureness(study, variation, *best)) {
    json["search"] = "local";
    json["search_points"] = {
        {"ran", sure->ran}, {"all", sure->all}, {"neighbours", sure->neighbours}, {"drawn", sure->drawn}};
    json["search_better_share_below"] = sure->better_share;
  }
  return json;
}

}  // namespace

Json to_json(const Study& study) {
  Json json = {{"program", study.program}, {"arguments", study.arguments}};
  const auto of = [&](std::size_t variation) {
    return study.sweeps.empty() ? curve_json(study, variation) : settings_json(study, variation);
  };
  if (study.variations() == 1) {
    json.update(of(0));
    return json;
  }
  json["variations"] = Json::array();
  for (std::size_t variation = 0; variation < study.variations(); ++variation) {
    Json one = {{"values", Json::object()}};
    for (const auto& [key, value] : study.curves[variation * study.settings()].variation.values)
      one["values"][key] = value;
    one.update(of(variation));
    json["variations"].push_back(std::move(one));
  }
  return json;
}

// A program's name may contain any bytes: invalid UTF-8 is replaced rather than refused.
std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace emu::app::studies
