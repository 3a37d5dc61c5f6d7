// Cards, memories and links that the messages of a run shared, for users and tools.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "record/summary.h"

namespace emu::app {

// The name of a resource by its number in Path::resource.
std::string resource_name(const record::RunSummary& run, std::int32_t number);

// At most `most` resources, with the longest busy times first.
std::vector<const record::ResourceUse*> busiest(const record::RunSummary& run, std::size_t most);

// In the order of their numbers. Times in seconds.
nlohmann::ordered_json resource_json(const record::ResourceUse& use);

// The busiest resources, a line each; "" if messages shared none.
std::string resource_table(const record::RunSummary& run);

}  // namespace emu::app
