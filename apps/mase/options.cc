#include "options.h"

#include <boost/program_options.hpp>
#include <charconv>
#include <cmath>
#include <sstream>
#include <vector>

#include "base/units.h"
#include "image.h"

namespace mase {
namespace {

namespace po = boost::program_options;
using emu::fail;
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
  add("output", po::value<std::string>()->value_name("FILE"), "write the image to FILE.png or FILE.ppm");
  add("count", "only print how many iterations the image takes, all pixels together");
  return options;
}

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

tl::unexpected<emu::Failure> wrong(const std::string& option, const std::string& text,
                                   const std::string& right) {
  return fail("--" + option + " '" + text + "': expected " + right);
}

// Reads a whole number of 1 to `most` into `to`, if the option is given.
Result<void> read_count(const po::variables_map& given, const std::string& option, std::int32_t most,
                        std::int32_t& to) {
  if (!given.count(option)) return {};
  const std::string text = given[option].as<std::string>();
  const auto value = number<std::int32_t>(text);
  if (!value || *value < 1 || *value > most) {
    return wrong(option, text, "a whole number from 1 to " + std::to_string(most));
  }
  to = *value;
  return {};
}

Result<void> read_region(const po::variables_map& given, Region& to) {
  if (!given.count("region")) return {};
  const std::string text = given["region"].as<std::string>();
  std::istringstream parts(text);
  std::vector<double> corners;
  for (std::string part; std::getline(parts, part, ',');) {
    const auto value = number<double>(part);
    corners.push_back(value ? *value : NAN);
  }
  // False for NaN and infinite corners too.
  const bool ok = corners.size() == 4 && !text.ends_with(',') && std::isfinite(corners[2] - corners[0]) &&
                  std::isfinite(corners[3] - corners[1]) && corners[0] < corners[2] &&
                  corners[1] < corners[3];
  if (!ok) return wrong("region", text, "four numbers X0,Y0,X1,Y1 with X0 < X1 and Y0 < Y1");
  to = {corners[0], corners[1], corners[2], corners[3]};
  return {};
}

Result<void> read_cost(const po::variables_map& given, const std::string& option, double Cost::*part,
                       std::optional<Cost>& to) {
  if (!given.count(option)) return {};
  const std::string text = given[option].as<std::string>();
  auto seconds = number<double>(text);
  if (!seconds) {
    if (const auto interval = emu::parse_interval(text)) seconds = interval->seconds();
  }
  if (!seconds || !std::isfinite(*seconds) || *seconds < 0) {
    return wrong(option, text, "a time of 0 or more, in seconds or with a unit like 12.5us");
  }
  if (!to) to.emplace();
  *to.*part = *seconds;
  return {};
}

Result<void> read_output(const po::variables_map& given, std::string& to) {
  if (!given.count("output")) return {};
  to = given["output"].as<std::string>();
  if (!is_image_name(to)) return wrong("output", to, "a file name that ends in .png or .ppm");
  return {};
}

}  // namespace

std::string help() {
  std::ostringstream text;
  text << "Usage: mpirun -n RANKS mase [OPTIONS]\n"
          "Explores the Mandelbrot set in parallel: rank 0 deals tasks to the others, the next one to "
          "whoever\n"
          "returns a result first. One rank alone computes everything itself.\n\n"
       << description();
  return text.str();
}

Result<Options> read_options(int argc, char** argv) {
  po::variables_map given;
  try {
    using namespace po::command_line_style;
    const auto style = unix_style & ~allow_guessing;
    po::store(po::command_line_parser(argc, argv)
                  .options(description())
                  .style(style)
                  .positional(po::positional_options_description())
                  .run(),
              given);
  } catch (const po::error& error) {
    return fail(std::string(error.what()) + " (see --help)");
  }
  Options options;
  options.help = given.count("help");
  options.count = given.count("count");
  for (const Result<void>& read : {
           read_count(given, "size", most_size, options.size),
           read_count(given, "task", most_task, options.task),
           read_count(given, "iterations", most_iterations, options.iterations),
           read_region(given, options.region),
           read_cost(given, "cost-per-iteration", &Cost::per_iteration, options.cost),
           read_cost(given, "cost-per-pixel", &Cost::per_pixel, options.cost),
           read_output(given, options.output),
       }) {
    if (!read) return tl::make_unexpected(read.error());
  }
  return options;
}

}  // namespace mase
