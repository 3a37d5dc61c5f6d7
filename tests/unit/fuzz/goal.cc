// A GOAL schedule.
#include <string>
#include <vector>

#include "fuzz/harness.h"
#include "goal_file.h"

using namespace emu;

namespace {

// True if all operations can be done in some order in which each follows those that it needs.
bool can_be_done(const std::vector<goal::Operation>& operations) {
  std::vector<std::vector<int>> then(operations.size());
  std::vector<int> missing(operations.size()), ready;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    for (const auto* needs : {&operations[i].requires_, &operations[i].irequires}) {
      for (const int before : *needs) {
        fuzz::require(before >= 0 && before < static_cast<int>(operations.size()),
                      "requires what is not there");
        then[static_cast<std::size_t>(before)].push_back(static_cast<int>(i));
        ++missing[i];
      }
    }
    if (missing[i] == 0) ready.push_back(static_cast<int>(i));
  }
  std::size_t done = 0;
  for (; !ready.empty(); ++done) {
    const auto i = static_cast<std::size_t>(ready.back());
    ready.pop_back();
    for (const int next : then[i])
      if (--missing[static_cast<std::size_t>(next)] == 0) ready.push_back(next);
  }
  return done == operations.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto schedule = goal::parse(text, "file.goal");
  // With blanks behind it, it is read by the scanner, except in a comment.
  const auto scanned = goal::parse(text + std::string(goal::Scanner::longest, ' '), "file.goal");
  fuzz::require(schedule.has_value() == scanned.has_value(), "the scanner decides otherwise");
  if (!schedule) {
    fuzz::require_message(schedule.error().message);
    return 0;
  }
  ++fuzz::accepted;
  const int ranks = static_cast<int>(schedule->ranks.size());
  for (const auto& operations : schedule->ranks) {
    for (const goal::Operation& o : operations) {
      fuzz::require(o.amount >= 0, "an amount below 0");
      if (o.kind == goal::Kind::compute) continue;
      fuzz::require(o.peer >= 0 && o.peer < ranks && o.tag >= 0, "a peer or tag that cannot be");
    }
    fuzz::require(can_be_done(operations), "a cycle");
  }
  return 0;
}
