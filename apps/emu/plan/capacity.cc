#include "plan/capacity.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "common/output.h"
#include "wire/table.h"

namespace emu::app::capacity {

namespace {

// Blocks of `here` ranks, one on each host.
wire::NodeMap map_of(std::int64_t here, std::int64_t ranks) {
  if (here >= ranks) return wire::NodeMap(static_cast<int>(ranks));
  std::vector<int> host_of(static_cast<std::size_t>(ranks));
  for (std::size_t rank = 0; rank < host_of.size(); ++rank)
    host_of[rank] = static_cast<int>(static_cast<std::int64_t>(rank) / here);
  return {std::move(host_of), 0};
}

}  // namespace

double bytes_on_host(std::int64_t here, std::int64_t ranks, const Costs& costs) {
  const wire::NodeMap map = map_of(here, ranks);
  return static_cast<double>(here) * (costs.bytes_per_rank + static_cast<double>(map.bytes())) +
         static_cast<double>(wire::Table::bytes(map));
}

Result<Need> need(const Job& job, const Costs& costs, const Host& host) {
  if (bytes_on_host(1, job.ranks, costs) > host.bytes)
    return fail("not even one rank fits into the memory of a host");
  // The greatest number of ranks that fit on a host: between `fits` and `full`.
  std::int64_t fits = 1, full = job.ranks + 1;
  while (full - fits > 1) {
    const std::int64_t middle = fits + (full - fits) / 2;
    (bytes_on_host(middle, job.ranks, costs) <= host.bytes ? fits : full) = middle;
  }
  Need n;
  n.hosts = (job.ranks + fits - 1) / fits;
  n.ranks_per_host = (job.ranks + n.hosts - 1) / n.hosts;
  n.bytes_per_host = bytes_on_host(n.ranks_per_host, job.ranks, costs);
  const std::int64_t fuller =
      job.ranks % n.hosts == 0 ? n.hosts : job.ranks % n.hosts;  // the others have one rank less
  n.bytes = static_cast<double>(fuller) * n.bytes_per_host;
  if (fuller < n.hosts)
    n.bytes += static_cast<double>(n.hosts - fuller) * bytes_on_host(n.ranks_per_host - 1, job.ranks, costs);
  const double growth =
      std::log2(static_cast<double>(job.ranks)) / std::log2(static_cast<double>(costs.ranks));
  n.cpu_seconds_start = static_cast<double>(job.ranks) * costs.cpu_seconds_per_rank;
  n.cpu_seconds_messages = job.messages * costs.cpu_seconds_per_message * std::max(1.0, growth);
  const auto cores = static_cast<double>(n.hosts * host.cores);
  n.wall_seconds_most = n.cpu_seconds_start / cores + n.cpu_seconds_messages;
  n.wall_seconds_least = n.cpu_seconds() / cores;
  return n;
}

Costs costs_of(const Sample& small, const Sample& large, const Costs& usual) {
  Costs c;
  c.ranks = std::max<std::int64_t>(large.ranks, 2);
  const double cpu1 = small.cpu_seconds, cpu2 = large.cpu_seconds;
  const auto p1 = static_cast<double>(small.ranks), p2 = static_cast<double>(large.ranks);
  // cpu = P s + N m, for two runs.
  const double determinant = p1 * large.messages - p2 * small.messages;
  const bool told_apart = std::abs(determinant) > 0.2 * std::max(p1 * large.messages, p2 * small.messages);
  double message = told_apart ? (p1 * cpu2 - p2 * cpu1) / determinant : usual.cpu_seconds_per_message;
  if (large.messages > 0) message = std::min(message, cpu2 / large.messages);
  c.cpu_seconds_per_message = std::max(message, 0.0);
  c.cpu_seconds_per_rank = std::max(0.0, cpu2 - large.messages * c.cpu_seconds_per_message) / p2;
  c.bytes_per_rank = std::max(large.bytes - small.bytes, 0.0) / (p2 - p1);
  // A program that distributes its data over the ranks needs less memory for each.
  c.bytes_per_rank = std::max(c.bytes_per_rank, large.bytes / p2);
  return c;
}

double messages_of(const Sample& small, const Sample& large, std::int64_t ranks) {
  const double slope = (large.messages - small.messages) / static_cast<double>(large.ranks - small.ranks);
  return std::max(large.messages, large.messages + slope * static_cast<double>(ranks - large.ranks));
}

std::string to_json(const Job& job, const Costs& costs, const Host& host, const Need& need) {
  const nlohmann::ordered_json json = {{"ranks", job.ranks},
                                       {"messages", job.messages},
                                       {"host", {{"memory_bytes", host.bytes}, {"cores", host.cores}}},
                                       {"costs",
                                        {{"ranks", costs.ranks},
                                         {"cpu_seconds_per_rank", costs.cpu_seconds_per_rank},
                                         {"cpu_seconds_per_message", costs.cpu_seconds_per_message},
                                         {"bytes_per_rank", costs.bytes_per_rank}}},
                                       {"hosts", need.hosts},
                                       {"ranks_per_host", need.ranks_per_host},
                                       {"memory_bytes_per_host", need.bytes_per_host},
                                       {"memory_bytes", need.bytes},
                                       {"cpu_seconds", need.cpu_seconds()},
                                       {"wall_seconds_least", need.wall_seconds_least},
                                       {"wall_seconds_most", need.wall_seconds_most}};
  return json.dump(2) + "\n";
}

Result<Costs> read_costs(const std::string& path) {
  if (const auto readable = can_read({"--costs", path}); !readable) return tl::unexpected(readable.error());
  std::ifstream file(path);
  if (!file) return fail(path + ": cannot be read; --costs takes what emu plan --json has written");
  const auto json = nlohmann::json::parse(file, nullptr, false);
  if (json.is_discarded() || !json.is_object() || !json.contains("costs"))
    return fail(path + ": not JSON with \"costs\" (expected a file that emu plan --json has written)");
  const auto& c = json["costs"];
  const auto number = [&](const char* key) {
    return c.is_object() && c.contains(key) && c[key].is_number() ? c[key].get<double>() : -1.0;
  };
  const Costs costs{static_cast<std::int64_t>(number("ranks")), number("cpu_seconds_per_rank"),
                    number("cpu_seconds_per_message"), number("bytes_per_rank")};
  if (costs.ranks < 2 || costs.cpu_seconds_per_rank < 0 || costs.cpu_seconds_per_message < 0 ||
      costs.bytes_per_rank < 0)
    return fail(path +
                ": \"costs\" lacks one of ranks (from 2), cpu_seconds_per_rank, cpu_seconds_per_message, "
                "bytes_per_rank (not negative)");
  return costs;
}

}  // namespace emu::app::capacity
