// Reads what one rank's program asked for (record/program.h), entry by entry, so that memory does not grow with the file.
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

// The members that the kind has (record::Asked) are set.
struct Entry {
  record::Asked kind = record::Asked::leave;
  const char* name = "";  // lives for ever
  Interval time;
  std::uint64_t context = 0;
  int peer = -1;  // negative: any
  int tag = 0;
  std::int64_t bytes = 0;
  int mode = 0;
  std::vector<std::uint64_t>
      requests;  // numbers, from 0: waited for, freed; or the one that a send or receive starts
  record::Choice choice = record::Choice::any_source;
};

class ProgramReader {
 public:
  // Failure: there is no such file, or it is of another kind.
  static Result<std::unique_ptr<ProgramReader>> open(const std::string& folder, int rank);

  const record::ProgramHeader& header() const { return header_; }
  // False behind the last entry. Failure: the file is damaged, or ends early.
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
  std::uint64_t before_ = 0;  // bytes of the file in front of the buffer
  record::ProgramHeader header_;
  std::vector<const char*> names_;
  std::uint64_t started_ = 0;  // requests
  bool over_ = false;
};

}  // namespace emu::app::replay
