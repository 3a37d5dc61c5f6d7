// Survey of blocks for which a window in memory is sufficient.
#pragma once

#include <vector>

#include "stream.h"

namespace emu::goal {

class Surveyor {
 public:
  // Reads the rest of a block, of which only the start has been read, in portions. False if the whole block has to be
  // in memory: its labels are not numbered, it depends on later or on distant operations, or it is short.
  Result<bool> survey(Reader& reader, Block& block, Streamed& text, Survey& found);

 private:
  bool add(const Block& block, Survey& found);
  void settle(int operation, Survey& found) const;

  std::vector<int>
      last_;  // by place, for operations that may still get a statement: the last operation for which each waits
};

}  // namespace emu::goal
