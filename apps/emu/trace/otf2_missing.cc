// Replaces otf2.cc if the library for OTF2 is not installed.
#include "trace/export.h"

namespace emu::app {

Result<void> can_write_otf2(const std::string&) {
  return fail(
      "--otf2: this emu was built without OTF2; install its library (Debian: libopen-trace-format2-dev) and "
      "build again");
}

Result<void> write_otf2(const analysis::Folder&, const analysis::History&, const std::string& path) {
  return can_write_otf2(path);
}

}  // namespace emu::app
