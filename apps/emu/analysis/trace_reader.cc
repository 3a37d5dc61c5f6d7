#include "analysis/trace_reader.h"

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

namespace emu::analysis {
namespace {

std::uint32_t load(const std::uint8_t* at) {
  std::uint32_t n = 0;
  for (int i = 3; i >= 0; --i) n = n << 8 | at[i];
  return n;
}

}  // namespace

tl::unexpected<Failure> Reader::damaged(const std::string& what) const {
  return fail(path_ + ": position " + std::to_string(position_ + at_) + ": the trace is damaged: " + what);
}

Result<std::unique_ptr<Reader>> Reader::open(const std::string& path) {
  auto file = std::make_unique<std::ifstream>(path, std::ios::binary);
  if (!*file) return fail(path + ": the trace cannot be read: " + std::strerror(errno));
  return from(std::move(file), path);
}

Result<std::unique_ptr<Reader>> Reader::from(std::unique_ptr<std::istream> file, const std::string& path) {
  std::unique_ptr<Reader> r(new Reader(std::move(file), path));
  if (const auto good = r->read_header(); !good) return tl::unexpected(good.error());
  return r;
}

Result<void> Reader::read_header() {
  char head[record::preamble];
  file_->read(head, record::preamble);
  const auto got = static_cast<std::size_t>(file_->gcount());
  if (std::string_view(head, std::min(got, record::magic.size())) != record::magic.substr(0, got))
    return fail(path_ + ": position 0: not a trace of emu");
  if (got < record::preamble)
    return fail(path_ + ": position " + std::to_string(got) + ": the trace is cut off in its header");
  const std::uint32_t found = load(reinterpret_cast<const std::uint8_t*>(head) + record::magic.size());
  if (found != record::version)
    return fail(path_ + ": position " + std::to_string(record::magic.size()) + ": the trace has version " +
                std::to_string(found) + "; this emu reads version " + std::to_string(record::version));
  position_ = record::preamble;
  const auto loaded = load_block();
  if (!loaded) return tl::unexpected(loaded.error());
  if (!*loaded)
    return fail(path_ + ": position " + std::to_string(position_) + ": the trace is cut off in its header");
  std::uint64_t rank = 0, ranks = 0, node = 0;
  constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  if (!number(rank) || !number(ranks) || ranks > most || rank >= ranks || !text(header_.target) ||
      !text(header_.program) || !number(node) || node > most || !text(header_.group) ||
      at_ != contents_.size())
    return damaged("the header");
  header_.rank = static_cast<int>(rank);
  header_.ranks = static_cast<int>(ranks);
  header_.node = static_cast<int>(node);
  return {};
}

// Returns false at the end of the file, complete or cut off.
Result<bool> Reader::load_block() {
  position_ += contents_.empty() ? 0 : record::block_header + contents_.size();
  contents_.clear();
  at_ = 0;
  std::uint8_t head[record::block_header];
  file_->read(reinterpret_cast<char*>(head), record::block_header);
  const auto got = static_cast<std::size_t>(file_->gcount());
  const auto cut_off = [&](std::size_t bytes) {
    cut_ = path_ + ": position " + std::to_string(position_ + bytes) + ": the trace is cut off";
    return false;
  };
  if (got == 0) return false;
  if (got < record::block_header) return cut_off(got);
  const std::uint32_t size = load(head);
  if (size == 0 || size > record::longest_block)
    return damaged("a block of " + std::to_string(size) + " bytes");
  contents_.resize(size);
  file_->read(reinterpret_cast<char*>(contents_.data()), size);
  if (const auto read = static_cast<std::size_t>(file_->gcount()); read < size) {
    contents_.clear();
    return cut_off(record::block_header + read);
  }
  if (record::checksum(contents_.data(), size) != load(head + 4))
    return damaged("a block's checksum is wrong");
  return true;
}

Result<bool> Reader::next(Event& event) {
  if (closed_) return false;
  for (;;) {
    if (at_ == contents_.size()) {
      const auto loaded = load_block();
      if (!loaded) return loaded;
      if (!*loaded) {
        if (cut_.empty())
          cut_ = path_ + ": position " + std::to_string(position_) +
                 ": the trace ends before the program did; it was killed, or the disk was full";
        return false;
      }
    }
    const auto parsed = parse(event);
    if (!parsed || *parsed) return parsed;
  }
}

bool Reader::number(std::uint64_t& n) {
  n = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (at_ == contents_.size()) return false;
    const std::uint8_t byte = contents_[at_++];
    n |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool Reader::real(double& x) {
  constexpr std::size_t size = 8;
  if (contents_.size() - at_ < size) return false;
  const std::uint64_t low = load(&contents_[at_]), high = load(&contents_[at_ + size / 2]);
  x = std::bit_cast<double>(high << 32 | low);
  at_ += size;
  return std::isfinite(x) && x >= 0;
}

bool Reader::text(std::string& text) {
  std::uint64_t size = 0;
  if (!number(size) || size > contents_.size() - at_) return false;
  text.assign(reinterpret_cast<const char*>(contents_.data()) + at_, size);
  at_ += size;
  return true;
}

}  // namespace emu::analysis
