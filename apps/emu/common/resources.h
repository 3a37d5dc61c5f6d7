// Cards, memories and links that the messages of a run shared, for people and for tools.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "record/summary.h"

namespace emu::app {

// The name of a resource that Path::resource names.
std::string resource_name(const record::RunSummary& run, std::int32_t number);

// Those that were busy for the longest time first; at most `most` of them.
std::vector<const record::ResourceUse*> busiest(const record::RunSummary& run, std::size_t most);

// In the order of their numbers. Times in seconds.
nlohmann::ordered_json resource_json(const record::ResourceUse& use);

// The busiest resources, a line each; "" if messages shared none.
std::string resource_table(const record::RunSummary& run);

}  // namespace emu::app
