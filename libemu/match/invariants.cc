#include "match/invariants.h"

#include "base/units.h"

namespace emu::match {

std::string describe(const Violation& broken, int self, const std::string& call,
                     const std::string& other_call) {
  const auto instant = [](Instant t) { return format(t - Instant::start(), 15); };
  const std::string own = "rank " + std::to_string(self) + ", in " + call;
  const std::string other = "rank " + std::to_string(broken.other) +
                            (other_call.empty() ? std::string() : ", which last waited in " + other_call);
  std::string what;
  switch (broken.kind) {
    case Violation::Kind::late:
      what = own + ", was certain that nothing of " + other + ", would arrive before " +
             instant(broken.promised) + ", and now something does at " + instant(broken.at);
      break;
    case Violation::Kind::backward:
      what = "the clock of " + own + ", went back from " + instant(broken.promised) + " to " +
             instant(broken.at);
      break;
    case Violation::Kind::fell:
      what = own + ", had promised to do nothing before " + instant(broken.promised) +
             ", and promises only " + instant(broken.at) + " now";
      break;
    case Violation::Kind::sent:
      what = own + ", sends to " + other + ", what arrives at " + instant(broken.at) +
             ", and others count on nothing before " + instant(broken.promised);
      break;
  }
  return "an error of libemu's own: " + what +
         ". The prediction would be wrong. Please report this, with the target file and, if you can, the "
         "program";
}

}  // namespace emu::match
