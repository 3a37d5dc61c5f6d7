// A target's links in words, and those that nobody has calibrated.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "target/target.h"

namespace emu::app {

std::string group_name(const target::Target& t, int group);
// `both`: it is the same both ways.
std::string link_name(const target::Target& t, int from, int to, bool both);

// The links of a job of `ranks` ranks that have values of their own, in a target of which other values were measured:
// those have an interval ("50us +- 0.6us"). In words; empty for a target without intervals, which describes a cluster
// that may be nowhere.
std::vector<std::string> uncalibrated_links(const target::Target& target, int ranks);
// The values of [network] without an interval, in a target of which others have one: in seconds, or seconds per byte, by
// key. Those that are 0 are not among them.
std::map<std::string, double> uncalibrated_values(const target::Target& target);

}  // namespace emu::app
