#include "options.h"

namespace raytrace {

using command_line::Given;
using command_line::value;
using emu::Result;

void add_options(command_line::po::options_description& options) {
  auto add = options.add_options();
  add("rays", value("N"), "number of rays (100000)");
  add("shells", value("N"), "number of shells of the earth for the integration (100)");
  add("ray-seconds", value("TIME"),
      "declare this time per ray on the reference CPU, in seconds or with a unit: 9.288ms");
  add("distribution", value("KIND"),
      "uniform: equal parts; balanced: parts with which the last rank finishes as early as possible on the "
      "target, equal ones if there is none; dynamic: the root deals --chunk rays to each rank that asks, and "
      "computes none "
      "(uniform)");
  add("order", value("ORDER"),
      "order in which the root sends the parts: given, by rank; descending or ascending bandwidth (given)");
  add("root", value("RANK"), "rank that has the rays (0)");
  add("chunk", value("N"), "rays of a task (500)");
}

Result<void> read_options(const Given& given, int ranks, Options& to) {
  int distribution = 0, order = 0;
  const Result<void> read = command_line::all({
      command_line::read_count(given, "rays", 0, 10'000'000, to.rays),
      command_line::read_count(given, "shells", 1, 100'000, to.shells),
      command_line::read_seconds(given, "ray-seconds", to.ray_seconds),
      command_line::read_choice(given, "distribution", {"uniform", "balanced", "dynamic"}, distribution),
      command_line::read_choice(given, "order", {"given", "descending", "ascending"}, order),
      command_line::read_count(given, "root", 0, ranks - 1, to.root),
      command_line::read_count(given, "chunk", 1, 1'000'000, to.chunk),
  });
  if (!read) return read;
  to.declares = given.count("ray-seconds") > 0;
  to.distribution = static_cast<Distribution>(distribution);
  to.order = static_cast<Order>(order);
  for (const char* option : {"chunk", "order"})
    if (given.count(option) && (to.distribution == Distribution::dynamic) != (option[0] == 'c'))
      return emu::fail(std::string("--") + option + " is not for --distribution " +
                       (to.distribution == Distribution::dynamic ? "dynamic" : "uniform and balanced"));
  return {};
}

}  // namespace raytrace
