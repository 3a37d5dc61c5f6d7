// Definitions in the archive of emu trace --otf2: the meaning of the numbers in its events (otf2.cc).
#pragma once

#include <otf2/otf2.h>

#include <cstdarg>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/folder.h"
#include "base/time.h"

namespace emu::app::otf2 {

// The first error, in the library's words.
class Outcome {
 public:
  Outcome() { before_ = OTF2_Error_RegisterCallback(&Outcome::report, this); }
  ~Outcome() { OTF2_Error_RegisterCallback(before_, nullptr); }
  Outcome(const Outcome&) = delete;

  void operator()(OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS && error_.empty()) error_ = OTF2_Error_GetDescription(code);
  }
  const std::string& error() const { return error_; }

 private:
  static OTF2_ErrorCode report(void* self, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                               const char*, va_list) {
    // Codes below 0 are warnings; SUCCESS is neither.
    if (code > OTF2_SUCCESS) (*static_cast<Outcome*>(self))(code);
    return code;
  }

  OTF2_ErrorCallback before_;
  std::string error_;
};

// Numbers for the objects of definitions, in order of appearance.
class Names {
 public:
  std::uint32_t operator()(const std::string& text) {
    const auto [at, added] = numbers_.try_emplace(text, static_cast<std::uint32_t>(numbers_.size()));
    if (added) order_.push_back(text);
    return at->second;
  }
  const std::vector<std::string>& all() const { return order_; }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> order_;
};

constexpr OTF2_AttributeRef message_attribute = 0;

// Objects of events, numbered from 0.
struct Known {
  enum Kind { call, interval, compute, down };  // of regions; part of their identity
  static constexpr const char* kinds = "cipd";
  Names regions, contexts, windows;

  OTF2_RegionRef region(Kind kind, std::string_view name) { return regions(kinds[kind] + std::string(name)); }
  OTF2_CommRef comm(std::uint64_t context) { return contexts(std::to_string(context)); }
  OTF2_RmaWinRef window(std::uint64_t context) {
    comm(context);
    return windows(std::to_string(context));
  }
};

// Writer of the definitions of the numbers in events.
class Definitions {
 public:
  Definitions(OTF2_GlobalDefWriter* writer, Outcome& check) : writer_(writer), check_(check) {}

  void time(Instant end);
  // One system tree node for the cluster, and one for each of its nodes with ranks.
  void places(const analysis::Folder& folder, const std::vector<std::uint64_t>& events);
  void regions(const Names& regions);
  void communicators(std::uint32_t ranks, const Names& contexts);
  // Each window has its own communicator.
  void windows(Known& known);

 private:
  OTF2_StringRef text(const std::string& text);
  OTF2_GlobalDefWriter* const writer_;
  Outcome& check_;
  Names texts_;
};

}  // namespace emu::app::otf2
