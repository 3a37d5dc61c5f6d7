#include "skeleton/program/text.h"

#include <algorithm>

#include "skeleton/program/text_fields.h"

namespace emu::skeleton {
namespace {

// Words for the ranks: one if all are equal, else "a*3,b": three times a, then b.
std::string over_ranks(const std::vector<std::string>& words) {
  if (std::all_of(words.begin(), words.end(), [&](const std::string& word) { return word == words.front(); }))
    return words.front();
  std::string text;
  for (std::size_t i = 0, n = 0; i < words.size(); i += n) {
    for (n = 1; i + n < words.size() && words[i + n] == words[i];) ++n;
    text += (i > 0 ? "," : "") + words[i] + (n > 1 ? "*" + std::to_string(n) : "");
  }
  return text;
}

// A peer as its distance if that text is shorter.
std::string peers(const std::vector<Call>& calls, std::int64_t (*get)(const Call&)) {
  std::vector<std::string> absolute, relative;
  for (std::size_t rank = 0; rank < calls.size(); ++rank) {
    const std::int64_t peer = calls[rank].function == Function::nothing ? none : get(calls[rank]);
    const std::int64_t distance = peer - static_cast<std::int64_t>(rank);
    absolute.push_back(std::to_string(peer));
    relative.push_back(peer < 0 ? std::to_string(peer)
                                : (distance >= 0 ? "r+" : "r") + std::to_string(distance));
  }
  const std::string a = over_ranks(absolute), r = over_ranks(relative);
  return r.size() < a.size() ? r : a;
}

std::string list_text(const Call& call) {
  std::string text;
  for (std::size_t i = 0, n = 0; i < call.list.size(); i += n) {
    for (n = 1; i + n < call.list.size() && call.list[i + n] == call.list[i];) ++n;
    text += (i > 0 ? "/" : "") + std::to_string(call.list[i]) + (n > 1 ? "x" + std::to_string(n) : "");
  }
  return text.empty() ? "-" : text;
}

void write(const Step& step, const std::string& indent, std::string& to) {
  to += indent + name(step.function());
  std::vector<std::string> words(step.calls.size());
  const auto put = [&](const char* key, const std::string& text) {
    to += std::string(" ") + key + "=" + text;
  };
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = step.calls[i].function == Function::nothing ? "0" : "1";
  if (const std::string text = over_ranks(words); text != "1") put("ranks", text);
  const Call standard;
  for (const Field& field : fields) {
    bool needed = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool there = step.calls[i].function != Function::nothing;
      const std::int64_t value = field.get(there ? step.calls[i] : standard);
      needed = needed || value != field.get(standard);
      words[i] = std::to_string(value);
    }
    const std::string_view key = field.name;
    const bool peer = (key == "peer" && has_peer(step.function())) ||
                      (key == "source" && step.function() == Function::sendrecv);
    if (needed) put(field.name, peer ? peers(step.calls, field.get) : over_ranks(words));
  }
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = list_text(step.calls[i]);
  if (const std::string text = over_ranks(words); text != "-") put("list", text);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = number_text(step.work[i]);
  put("work", over_ranks(words));
  if (!step.variation.none()) {
    std::string text;
    for (const double each : step.variation.classes) text += (text.empty() ? "" : "/") + number_text(each);
    put("classes", text);
    put("together", number_text(step.variation.together));
  }
  put("inside", number_text(step.inside));
  put("times", std::to_string(step.times));
  to += "\n";
}

void write(const std::vector<Node>& nodes, const std::string& indent, std::string& to) {
  for (const Node& node : nodes) {
    if (!node.is_loop()) {
      write(node.step, indent, to);
      continue;
    }
    to += indent + "loop " + (node.varies ? "~" : "") + number_text(node.times) + "\n";
    write(node.body, indent + "  ", to);
    to += indent + "end\n";
  }
}

}  // namespace

std::string to_text(const Skeleton& skeleton) {
  std::string text = std::string(text_magic) + "\n";
  if (!skeleton.program.empty()) text += "program " + skeleton.program + "\n";
  if (!skeleton.target.empty()) text += "target " + skeleton.target + "\n";
  text += "ranks " + std::to_string(skeleton.ranks) + "\nseconds " + number_text(skeleton.seconds) + "\n";
  if (skeleton.work_per_second > 0) text += "work-per-second " + number_text(skeleton.work_per_second) + "\n";
  text += "events " + std::to_string(skeleton.events) + "\n";
  write(skeleton.nodes, "", text);
  return text + "end\n";
}

}  // namespace emu::skeleton
