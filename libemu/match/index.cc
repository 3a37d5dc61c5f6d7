#include "match/index.h"

namespace emu::match {

void MessageIndex::add(Message* m) {
  for (const Filter& filter : filters_of(m->envelope))
    if (filter.source == any_source)
      crowds_.try_emplace(filter, &nodes_).first->second.insert(m);
    else
      lines_.try_emplace(filter, &nodes_).first->second.insert(m);
}

void MessageIndex::remove(Message* m) {
  const auto erase = [m](auto& sets, const Filter& filter) {
    const auto found = sets.find(filter);
    found->second.erase(m);
    if (found->second.empty()) sets.erase(found);
  };
  for (const Filter& filter : filters_of(m->envelope))
    if (filter.source == any_source)
      erase(crowds_, filter);
    else
      erase(lines_, filter);
}

void MessageIndex::clear() {
  lines_.clear();
  crowds_.clear();
}

}  // namespace emu::match
