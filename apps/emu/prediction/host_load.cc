#include "prediction/host_load.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace emu::app {

HostLoadWatch::HostLoadWatch() : before_(read()) {}

HostLoadWatch::Reading HostLoadWatch::read() {
  Reading now;
  std::ifstream processors("/proc/stat");
  std::string word;
  processors >> word;  // "cpu": user nice system idle iowait irq softirq steal
  std::int64_t ticks = 0;
  for (int i = 0; i < 8 && processors >> ticks; ++i) {
    now.total += ticks;
    if (i == 7) now.stolen = ticks;
  }
  std::ifstream own("/proc/self/cgroup");
  std::string group;
  while (std::getline(own, group))
    if (group.starts_with("0::")) break;
  if (!group.starts_with("0::")) return now;
  std::ifstream limits("/sys/fs/cgroup" + group.substr(3) + "/cpu.stat");
  for (std::int64_t value = 0; limits >> word >> value;)
    if (word == "throttled_usec") now.throttled = value;
  return now;
}

HostLoad HostLoadWatch::since() const {
  const Reading now = read();
  const std::int64_t passed = now.total - before_.total;
  HostLoad load;
  if (passed > 0)
    load.stolen = static_cast<double>(now.stolen - before_.stolen) / static_cast<double>(passed);
  load.throttled = static_cast<double>(std::max<std::int64_t>(0, now.throttled - before_.throttled)) / 1e6;
  return load;
}

}  // namespace emu::app
