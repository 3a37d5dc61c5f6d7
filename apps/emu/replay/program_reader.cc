#include "replay/program_reader.h"

#include <algorithm>
#include <limits>
#include <set>

namespace emu::app::replay {

using record::EntryKind;

namespace {

constexpr std::size_t at_once = 8 << 10;  // bytes
constexpr std::uint64_t longest_name = 1 << 16;

// Returned pointers remain valid: ranks keep the names of calls.
const char* kept(const std::string& name) {
  static std::set<std::string>& names = *new std::set<std::string>;
  return names.insert(name).first->c_str();
}

}  // namespace

Result<std::unique_ptr<ProgramReader>> ProgramReader::open(const std::string& folder, int rank) {
  std::unique_ptr<ProgramReader> reader(new ProgramReader(record::program_of(folder, rank)));
  std::error_code error;
  reader->file_.rdbuf()->pubsetbuf(nullptr, 0);
  reader->file_.open(reader->path_, std::ios::binary);
  if (!reader->file_) return fail(reader->path_ + ": cannot be read");
  if (const auto read = reader->read_header(); !read) return tl::unexpected(read.error());
  return reader;
}

Result<void> ProgramReader::read_header() {
  std::string magic;
  std::uint8_t b = 0;
  while (magic.size() < record::program_magic.size() && byte(b)) magic.push_back(static_cast<char>(b));
  std::uint64_t version = 0;
  if (magic != record::program_magic || !number(version))
    return fail(path_ + ": not the record of a rank's program");
  if (version != record::program_version)
    return fail(path_ + ": format " + std::to_string(version) + ", and this emu reads " +
                std::to_string(record::program_version) + ": record the program again");
  const bool good = in_int(header_.rank) && in_int(header_.ranks) && text(header_.target) &&
                    text(header_.program) && text(header_.algorithms);
  if (!good || header_.rank >= header_.ranks) return damaged();
  return {};
}

tl::unexpected<Failure> ProgramReader::damaged() const {
  const std::uint64_t place = before_ + at_;
  if (file_.eof() && at_ == buffer_.size())
    return fail(path_ + ": ends early, after " + std::to_string(place) +
                " bytes: the run was ended, or the rank failed with its node");
  return fail(path_ + ": damaged at byte " + std::to_string(place));
}

bool ProgramReader::byte(std::uint8_t& b) {
  if (at_ == buffer_.size()) {
    before_ += buffer_.size();
    at_ = 0;
    buffer_.resize(at_once);
    file_.read(reinterpret_cast<char*>(buffer_.data()), static_cast<std::streamsize>(at_once));
    buffer_.resize(static_cast<std::size_t>(file_.gcount()));
    if (buffer_.empty()) return false;
  }
  b = buffer_[at_++];
  return true;
}

bool ProgramReader::number(std::uint64_t& n) {
  n = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    std::uint8_t b = 0;
    if (!byte(b)) return false;
    n |= static_cast<std::uint64_t>(b & 0x7f) << shift;
    if (b < 0x80) return true;
  }
  return false;
}

bool ProgramReader::whole(std::int64_t& n, bool is_signed) {
  std::uint64_t read = 0;
  if (!number(read)) return false;
  if (is_signed) {
    n = static_cast<std::int64_t>(read >> 1 ^ (~(read & 1) + 1));
    return true;
  }
  n = static_cast<std::int64_t>(read);
  return n >= 0;
}

bool ProgramReader::in_int(int& n, bool is_signed) {
  std::int64_t read = 0;
  if (!whole(read, is_signed) || read < std::numeric_limits<int>::min() ||
      read > std::numeric_limits<int>::max())
    return false;
  n = static_cast<int>(read);
  return true;
}

bool ProgramReader::text(std::string& text) {
  std::uint64_t size = 0;
  if (!number(size) || size > longest_name * 64) return false;
  text.clear();
  for (std::uint8_t b = 0; text.size() < size; text.push_back(static_cast<char>(b)))
    if (!byte(b)) return false;
  return true;
}

bool ProgramReader::name(Entry& entry) {
  std::uint64_t which = 0;
  if (!number(which) || which >= names_.size()) return false;
  entry.name = names_[which];
  return true;
}

bool ProgramReader::request(std::uint64_t& n) {
  std::uint64_t distance = 0;
  if (!number(distance) || distance == 0 || distance > started_) return false;
  n = started_ - distance;
  return true;
}

bool ProgramReader::message(Entry& entry) {
  const bool sends = entry.kind == EntryKind::send;
  if (!number(entry.context) || !in_int(entry.peer) || !in_int(entry.tag, true) || !whole(entry.bytes))
    return false;
  if (!sends) --entry.peer;
  if (entry.peer >= header_.ranks) return false;
  if (sends && (!in_int(entry.mode) || entry.mode > 2)) return false;
  entry.requests.assign(1, started_++);
  return true;
}

bool ProgramReader::waited(Entry& entry) {
  std::uint64_t count = 0;
  if (!number(count) || count > started_) return false;
  entry.requests.resize(count);
  return std::all_of(entry.requests.begin(), entry.requests.end(),
                     [this](std::uint64_t& each) { return request(each); });
}

bool ProgramReader::fields(Entry& entry) {
  const auto time = [&] {
    std::int64_t picoseconds = 0;
    if (!whole(picoseconds)) return false;
    entry.time = Interval::picoseconds(picoseconds);
    return true;
  };
  switch (entry.kind) {
    case EntryKind::call:
    case EntryKind::begin:
      return name(entry);
    case EntryKind::declared:
    case EntryKind::measured:
    case EntryKind::sleep:
      return time();
    case EntryKind::send:
    case EntryKind::receive:
      return message(entry);
    case EntryKind::wait:
      return waited(entry);
    case EntryKind::free:
      entry.requests.resize(1);
      return request(entry.requests[0]);
    case EntryKind::met:
      entry.requests.resize(1);
      return request(entry.requests[0]) && in_int(entry.peer) && entry.peer < header_.ranks &&
             in_int(entry.tag, true) && whole(entry.bytes);
    case EntryKind::copy:
    case EntryKind::combine:
      return whole(entry.bytes) && time();
    case EntryKind::allocate:
      return whole(entry.bytes) && whole(entry.largest) && time();
    case EntryKind::collective:
      return number(entry.context);
    case EntryKind::choice: {
      std::uint64_t which = 0;
      if (!number(which) || which >= record::choices) return false;
      entry.choice = static_cast<record::Choice>(which);
      return name(entry);
    }
    case EntryKind::text:
    case EntryKind::leave:
    case EntryKind::clock:
    case EntryKind::buffered:
    case EntryKind::end:
    case EntryKind::finish:
      return true;
  }
  return false;
}

Result<bool> ProgramReader::next(Entry& entry) {
  if (over_) return false;
  for (;;) {
    std::uint8_t kind = 0;
    if (!byte(kind)) return damaged();
    if (kind == static_cast<std::uint8_t>(EntryKind::text)) {
      std::string name;
      if (!text(name) || name.size() > longest_name) return damaged();
      names_.push_back(kept(name));
      continue;
    }
    entry.kind = static_cast<EntryKind>(kind);
    if (!fields(entry)) return damaged();
    over_ = entry.kind == EntryKind::finish;
    const std::uint64_t place = before_ + at_;
    if (over_ && byte(kind))
      return fail(path_ + ": damaged: the program ends at byte " + std::to_string(place) +
                  ", and the file does not");
    return true;
  }
}

}  // namespace emu::app::replay
