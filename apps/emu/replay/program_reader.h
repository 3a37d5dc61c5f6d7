// Reader of the requests of one rank's program (record/program.h), entry by entry, so that memory does not grow with
// the file.
#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/failure.h"
#include "base/time.h"
#include "record/program.h"

namespace emu::app::replay {

// Only the members of the entry's kind (record::EntryKind) are set.
struct Entry {
  record::EntryKind kind = record::EntryKind::leave;
  const char* name = "";  // has static storage duration
  Interval time;
  std::uint64_t context = 0;
  int peer = -1;  // negative: any source
  int tag = 0;
  std::int64_t bytes = 0;
  std::int64_t largest = 0;  // bytes of the largest part, of temporary memory
  int mode = 0;
  std::vector<std::uint64_t>
      requests;  // numbers from 0: the completed or freed requests; or the request that a send or receive starts
  record::Choice choice = record::Choice::any_source;
};

class ProgramReader {
 public:
  // Fails if there is no such file, or if it is of another kind.
  static Result<std::unique_ptr<ProgramReader>> open(const std::string& folder, int rank);

  const record::ProgramHeader& header() const { return header_; }
  // Returns false after the last entry. Fails if the file is damaged, or ends early.
  Result<bool> next(Entry& entry);

 private:
  ProgramReader(std::string path) : path_(std::move(path)) {}

  Result<void> read_header();
  bool byte(std::uint8_t& b);
  bool number(std::uint64_t& n);
  bool whole(std::int64_t& n, bool is_signed = false);
  bool in_int(int& n, bool is_signed = false);
  bool text(std::string& text);
  bool name(Entry& entry);
  bool request(std::uint64_t& n);
  bool fields(Entry& entry);
  bool message(Entry& entry);
  bool waited(Entry& entry);
  tl::unexpected<Failure> damaged() const;

  const std::string path_;
  std::ifstream file_;
  std::vector<std::uint8_t> buffer_;
  std::size_t at_ = 0;
  std::uint64_t before_ = 0;  // bytes of the file before the buffer
  record::ProgramHeader header_;
  std::vector<const char*> names_;
  std::uint64_t started_ = 0;  // number of requests
  bool over_ = false;
};

}  // namespace emu::app::replay
