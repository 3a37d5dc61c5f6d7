#include "reference/program/outcome.h"

#include <sstream>

namespace emu::reference {
namespace {

const char* words(Error error) {
  return error == Error::none ? "" : error == Error::failed ? ", a rank failed" : ", a failure is pending";
}

}  // namespace

std::string to_line(const Outcome& o) {
  std::ostringstream line;
  line << o.clock << ' ' << o.polls << ' ' << o.answer << ' ' << static_cast<int>(o.error) << ' ' << o.value
       << ' ' << o.completions.size();
  for (const Completion& c : o.completions) {
    line << ' ' << c.slot << ' ' << c.source << ' ' << c.tag << ' ' << c.bytes << ' ' << c.identity << ' '
         << static_cast<int>(c.error) << ' ' << c.cancelled;
  }
  return line.str();
}

Outcome from_line(const std::string& text) {
  std::istringstream line(text);
  Outcome o;
  std::size_t count = 0;
  int error = 0;
  line >> o.clock >> o.polls >> o.answer >> error >> o.value >> count;
  o.error = static_cast<Error>(error);
  for (std::size_t i = 0; i < count && line; ++i) {
    Completion c;
    line >> c.slot >> c.source >> c.tag >> c.bytes >> c.identity >> error >> c.cancelled;
    c.error = static_cast<Error>(error);
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
  text << words(o.error);
  if (o.value != 0) text << ", value " << o.value;
  for (const Completion& c : o.completions) {
    text << "; ";
    if (c.slot >= 0) text << "request " << c.slot << " ";
    if (c.source < 0) {
      text << (c.cancelled                 ? "cancelled"
               : c.error == Error::pending ? "stays"
                                           : "complete")
           << words(c.error);
    } else {
      text << "from " << c.source << " tag " << c.tag << " " << c.bytes << " B";
      if (c.identity >= 0) text << " message " << c.identity;
    }
  }
  return text.str();
}

}  // namespace emu::reference
