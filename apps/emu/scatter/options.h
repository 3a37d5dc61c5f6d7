// The command line of emu scatter.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/failure.h"
#include "scatter/cost.h"

namespace emu::app::scatters {

enum class Method { exact, heuristic, closed, uniform };
enum class Order { given, bandwidth };

inline constexpr const char* method_names[] = {"exact", "heuristic", "closed", "uniform"};
inline constexpr const char* order_names[] = {"given", "bandwidth"};

struct Options {
  std::string target;
  std::optional<int> ranks;  // nothing: all slots of the target
  scatter::Items items = 0;
  std::int64_t item_bytes = 0;
  std::optional<double> item_seconds;  // on the reference CPU
  std::string trace;                   // folder of the run with the costs of items; empty: none
  scatter::Items trace_items = 0;      // number of items of the run, without a master; 0: as planned
  scatter::Items task_items = 1;       // of each task of the run, with a master
  std::optional<int> root = 0;         // nothing: the best one
  std::optional<int> data_at;          // the rank with the items; nothing: the root
  Order order = Order::given;
  Method method = Method::exact;
  std::string json;     // file, "-" for standard output; empty: none
  std::string picture;  // file; empty: none
  bool help = false;
};

std::string help_text();
Result<Options> parse_options(const std::vector<std::string>& args);

}  // namespace emu::app::scatters
