#include "options.h"

#include <cmath>
#include <vector>

#include "base/number.h"
#include "picture/picture.h"
#include "strategies/options.h"

namespace mase {
namespace {

namespace po = command_line::po;
using command_line::Given;
using command_line::value;
using emu::Result;

constexpr std::int32_t most_size = 32768;          // the number of items fits into int32
constexpr std::int32_t most_iterations = 1 << 30;  // the sum of iterations in a task fits into int64
constexpr std::int32_t most_task = 1 << 28;        // the size of a result in bytes fits into int

Result<void> read_region(const Given& given, Region& to) {
  if (!given.count("region")) return {};
  const std::string text = given["region"].as<std::string>();
  std::vector<double> corners;
  for (const std::string& part : command_line::parts(text)) {
    const auto value = emu::read_number<double>(part);
    corners.push_back(value ? *value : NAN);
  }
  // False also for corners that are NaN or infinite.
  const bool ok = corners.size() == 4 && std::isfinite(corners[2] - corners[0]) &&
                  std::isfinite(corners[3] - corners[1]) && corners[0] < corners[2] &&
                  corners[1] < corners[3];
  if (!ok) return command_line::wrong("region", text, "four numbers X0,Y0,X1,Y1 with X0 < X1 and Y0 < Y1");
  to = {corners[0], corners[1], corners[2], corners[3]};
  return {};
}

Result<void> read_cost(const Given& given, const std::string& option, double Cost::*part,
                       std::optional<Cost>& to) {
  if (!given.count(option)) return {};
  Cost cost = to.value_or(Cost());
  const Result<void> read = command_line::read_seconds(given, option, cost.*part);
  if (read) to = cost;
  return read;
}

Result<void> read_picture(const Given& given, const std::string& option, std::string& to) {
  if (!given.count(option)) return {};
  to = given[option].as<std::string>();
  if (!picture::is_name(to)) return command_line::wrong(option, to, "a file name that ends in .png or .ppm");
  return {};
}

}  // namespace

void add_options(po::options_description& options) {
  auto add = options.add_options();
  add("size", value("N"), "edge of the image in pixels (512)");
  add("task", value("T"), "pixels per task (1)");
  add("iterations", value("N"), "most iterations per pixel (256)");
  add("region", value("X0,Y0,X1,Y1"), "corners of the image in the complex plane (-2,-1.25,0.5,1.25)");
  add("cost-per-iteration", value("TIME"),
      "declare this time per iteration on the reference CPU, in seconds or with a unit: 12.5us");
  add("cost-per-pixel", value("TIME"), "declare this time per pixel, too");
  strategies::add_options(options);
  add("output", value("FILE"), "write the image to FILE.png or FILE.ppm");
  add("map", value("FILE"), "write the task map, which master dealt which pixel, to FILE.png or FILE.ppm");
  add("count", "only print how many iterations the image takes, all pixels together");
}

Result<void> read_options(const Given& given, int ranks, Options& to) {
  to.count = given.count("count");
  return command_line::all({
      command_line::read_count(given, "size", 1, most_size, to.size),
      command_line::read_count(given, "task", 1, most_task, to.plan.task_items),
      command_line::read_count(given, "iterations", 1, most_iterations, to.iterations),
      read_region(given, to.region),
      read_cost(given, "cost-per-iteration", &Cost::per_iteration, to.cost),
      read_cost(given, "cost-per-pixel", &Cost::per_pixel, to.cost),
      strategies::read_options(given, ranks, to.plan),
      read_picture(given, "output", to.output),
      read_picture(given, "map", to.map),
  });
}

}  // namespace mase
