// The command line of raytrace.
#pragma once

#include <cstdint>

#include "command_line/command_line.h"

namespace raytrace {

enum class Distribution { uniform, balanced, dynamic };
enum class Order { given, descending, ascending };

struct Options {
  std::int32_t rays = 100'000;
  std::int32_t shells = 100;
  double ray_seconds = 0;  // declared time of a ray; 0: none is declared
  bool declares = false;
  Distribution distribution = Distribution::uniform;
  Order order = Order::given;
  std::int32_t root = 0;
  std::int32_t chunk = 500;  // number of rays in a task, if dynamic
};

void add_options(command_line::po::options_description& options);
emu::Result<void> read_options(const command_line::Given& given, int ranks, Options& to);

}  // namespace raytrace
