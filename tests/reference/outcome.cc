#include "reference/outcome.h"

#include <sstream>

namespace emu::reference {

bool agrees(const Outcome& expected, const Outcome& got) {
  Outcome same = got;
  if (expected.polls > exact_polls && got.polls >= exact_polls && got.polls <= expected.polls)
    same.polls = expected.polls;
  return same == expected;
}

std::string to_line(const Outcome& o) {
  std::ostringstream line;
  line << o.clock << ' ' << o.polls << ' ' << o.answer << ' ' << o.completions.size();
  for (const Completion& c : o.completions) {
    line << ' ' << c.slot << ' ' << c.source << ' ' << c.tag << ' ' << c.bytes << ' ' << c.identity;
  }
  return line.str();
}

Outcome from_line(const std::string& text) {
  std::istringstream line(text);
  Outcome o;
  std::size_t count = 0;
  line >> o.clock >> o.polls >> o.answer >> count;
  for (std::size_t i = 0; i < count && line; ++i) {
    Completion c;
    line >> c.slot >> c.source >> c.tag >> c.bytes >> c.identity;
    o.completions.push_back(c);
  }
  if (!line) o.clock = -1;
  return o;
}

std::string describe(const Outcome& o) {
  std::ostringstream text;
  text << "clock " << o.clock << " ps";
  if (o.polls > 0) text << ", " << o.polls << " false answers";
  if (!o.answer) text << ", answer false";
  for (const Completion& c : o.completions) {
    text << "; ";
    if (c.slot >= 0) text << "request " << c.slot << " ";
    if (c.source < 0) {
      text << "complete";
    } else {
      text << "from " << c.source << " tag " << c.tag << " " << c.bytes << " B";
      if (c.identity >= 0) text << " message " << c.identity;
    }
  }
  return text.str();
}

}  // namespace emu::reference
