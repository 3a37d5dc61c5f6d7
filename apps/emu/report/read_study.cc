#include "report/read_study.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace emu::app {
namespace {

using Json = nlohmann::ordered_json;

bool is(const Json& json, const char* key, bool (Json::*test)() const noexcept) {
  return json.contains(key) && (json[key].*test)();
}

bool all_pass(const Json& list, bool (*test)(const Json&)) {
  return std::all_of(list.begin(), list.end(), test);
}

bool is_number(const Json& json) { return json.is_number(); }

bool is_point(const Json& json) {
  if (!json.is_object() || !is(json, "ranks", &Json::is_number)) return false;
  for (const char* key : {"predicted_seconds", "master_bound_seconds", "slave_bound_seconds"})
    if (json.contains(key) && !json[key].is_number()) return false;
  return !json.contains("interval_seconds") ||
         (json["interval_seconds"].is_array() && json["interval_seconds"].size() == 2 &&
          all_pass(json["interval_seconds"], is_number));
}

bool is_curve(const Json& json) {
  if (!json.is_object() || !is(json, "points", &Json::is_array) || !all_pass(json["points"], is_point))
    return false;
  if (!is(json, "target", &Json::is_string) || !json.contains("optimum_ranks")) return false;
  if (json.contains("values") && !json["values"].is_object()) return false;
  if (json["optimum_ranks"].is_null()) return true;  // no successful run
  return is(json, "optimum_ranks", &Json::is_number) && is(json, "optimum_seconds", &Json::is_number) &&
         is(json, "flat_region", &Json::is_array) && json["flat_region"].size() == 2 &&
         all_pass(json["flat_region"], is_number) && is(json, "bottleneck", &Json::is_string) &&
         is(json, "bottleneck_why", &Json::is_array);
}

}  // namespace

Result<Json> read_study(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return fail(path + ": is a folder");
  errno = 0;
  std::ifstream in(path);
  Json json = Json::parse(in, nullptr, false);
  if (in.bad() || !in.is_open()) return fail(path + ": cannot be read: " + std::strerror(errno));
  const bool varied = json.is_object() && json.contains("variations");
  const bool good = varied ? json["variations"].is_array() && !json["variations"].empty() &&
                                 all_pass(json["variations"], is_curve)
                           : is_curve(json);
  if (!good) return fail(path + ": not a study (emu study --json FILE writes one)");
  return json;
}

}  // namespace emu::app
