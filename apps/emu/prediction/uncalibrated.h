// Links of a target in words, and links without calibration.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "target/target.h"

namespace emu::app {

std::string group_name(const target::Target& t, int group);
// `both`: the link is equal in both directions.
std::string link_name(const target::Target& t, int from, int to, bool both);

// The links in words that have values of their own in a job of `ranks` ranks, without
// an interval ("50us +- 0.6us") although other values of the target have one. Empty
// for a target without intervals, which may describe a fictitious cluster.
std::vector<std::string> uncalibrated_links(const target::Target& target, int ranks);
// The values of [network] without an interval, in a target in which other values
// have one: in seconds, or seconds per byte, by key. Values of 0 are not included.
std::map<std::string, double> uncalibrated_values(const target::Target& target);

}  // namespace emu::app
