// Files of the command line.
#pragma once

#include <string>
#include <vector>

#include "base/failure.h"

namespace emu::app {

// A file and the option that names it. Empty: the option is not given; "-": standard output.
struct NamedFile {
  std::string option, path;
};

// Checks that the outputs can be written, and that none of them would replace another one or an input: the text of
// that would be lost. At most one output goes to standard output. A picture has a name that tells its format. To be
// called before a long run.
Result<void> can_write(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs);
// True if one of the outputs goes to standard output. The table for readers is omitted then.
bool on_standard_output(const std::vector<std::string>& paths);
// Checks that there is a name, and that it is not the sign for standard output.
Result<void> names_folder(const NamedFile& folder);
// Checks that an input has an end, and is text: no folder, no device, and no binary file.
Result<void> can_read(const NamedFile& input);
// Writes `text` to `path` ("-": standard output).
Result<void> write_text(const std::string& text, const std::string& path);

}  // namespace emu::app
