#include "options.h"

#include <cmath>
#include <sstream>
#include <vector>

#include "command_line/command_line.h"
#include "picture/picture.h"
#include "strategies/options.h"

namespace mase {
namespace {

namespace po = command_line::po;
using command_line::Given;
using emu::Result;

constexpr std::int32_t most_size = 32768;          // items fit into int32
constexpr std::int32_t most_iterations = 1 << 30;  // a task's sum fits into int64
constexpr std::int32_t most_task = 1 << 28;        // a result's size fits into int

po::options_description description() {
  po::options_description options("Options");
  auto add = options.add_options();
  add("help,h", "show this text");
  add("size", po::value<std::string>()->value_name("N"), "edge of the image in pixels (512)");
  add("task", po::value<std::string>()->value_name("T"), "pixels per task (1)");
  add("iterations", po::value<std::string>()->value_name("N"), "most iterations per pixel (256)");
  add("region", po::value<std::string>()->value_name("X0,Y0,X1,Y1"),
      "corners of the image in the complex plane (-2,-1.25,0.5,1.25)");
  add("cost-per-iteration", po::value<std::string>()->value_name("TIME"),
      "declare this time per iteration on the reference CPU, in seconds or with a unit: 12.5us");
  add("cost-per-pixel", po::value<std::string>()->value_name("TIME"), "declare this time per pixel, too");
  strategies::add_options(options);
  add("output", po::value<std::string>()->value_name("FILE"), "write the image to FILE.png or FILE.ppm");
  add("map", po::value<std::string>()->value_name("FILE"),
      "write the task map, which master dealt which pixel, to FILE.png or FILE.ppm");
  add("count", "only print how many iterations the image takes, all pixels together");
  return options;
}

Result<void> read_region(const Given& given, Region& to) {
  if (!given.count("region")) return {};
  const std::string text = given["region"].as<std::string>();
  std::vector<double> corners;
  for (const std::string& part : command_line::parts(text)) {
    const auto value = command_line::number<double>(part);
    corners.push_back(value ? *value : NAN);
  }
  // False for NaN and infinite corners too.
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

std::string help() {
  std::ostringstream text;
  text << "Usage: mpirun -n RANKS mase [OPTIONS]\n"
          "Explores the Mandelbrot set in parallel: masters deal tasks to slaves, the next one to whoever\n"
          "returns a result first. One rank alone computes everything itself.\n\n"
       << description();
  return text.str();
}

Result<Options> read_options(int argc, char** argv, int ranks) {
  const Result<Given> parsed = command_line::parse(argc, argv, description());
  if (!parsed) return tl::make_unexpected(parsed.error());
  const Given& given = *parsed;
  Options options;
  options.help = given.count("help");
  options.count = given.count("count");
  const Result<void> read = command_line::all({
      command_line::read_count(given, "size", 1, most_size, options.size),
      command_line::read_count(given, "task", 1, most_task, options.plan.task_items),
      command_line::read_count(given, "iterations", 1, most_iterations, options.iterations),
      read_region(given, options.region),
      read_cost(given, "cost-per-iteration", &Cost::per_iteration, options.cost),
      read_cost(given, "cost-per-pixel", &Cost::per_pixel, options.cost),
      strategies::read_options(given, ranks, options.plan),
      read_picture(given, "output", options.output),
      read_picture(given, "map", options.map),
  });
  if (!read) return tl::make_unexpected(read.error());
  return options;
}

}  // namespace mase
