// Blocks of which only a window need be in memory.
#pragma once

#include <vector>

#include "stream.h"

namespace emu::goal {

class Surveyor {
 public:
  // Reads a block of which only the begin has been read, in portions. False: it has to be in memory as a whole, since its labels
  // are not numbered, it depends on later operations, or on operations far away, or it is short.
  Result<bool> survey(Reader& reader, Block& block, Streamed& text, Survey& found);

 private:
  bool add(const Block& block, Survey& found);
  void settle(int operation, Survey& found) const;

  std::vector<int>
      last_;  // by place of the operations that may still get a statement: the last one that each waits for
};

}  // namespace emu::goal
