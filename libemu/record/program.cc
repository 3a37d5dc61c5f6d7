#include "record/program.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "record/write_all.h"

namespace emu::record {
namespace {

constexpr std::size_t full_buffer = 16 << 10;  // written when it is full

}  // namespace

ProgramWriter::ProgramWriter(int fd, std::string path, std::function<void(const std::string&)> on_failure)
    : fd_(fd), path_(std::move(path)), on_failure_(std::move(on_failure)) {}

ProgramWriter::~ProgramWriter() {
  if (fd_ >= 0) ::close(fd_);
}

Result<std::unique_ptr<ProgramWriter>> ProgramWriter::create(
    const std::string& folder, const ProgramHeader& header,
    std::function<void(const std::string&)> on_failure) {
  const std::string path = program_of(folder, header.rank);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return fail(path + ": the trace cannot be written: " + std::strerror(errno));
  std::unique_ptr<ProgramWriter> writer(new ProgramWriter(fd, path, std::move(on_failure)));
  writer->buffer_.assign(program_magic.begin(), program_magic.end());
  writer->put(program_version);
  writer->put(u(header.rank));
  writer->put(u(header.ranks));
  writer->put(header.target);
  writer->put(header.program);
  writer->put(header.algorithms);
  return writer;
}

void ProgramWriter::put(std::uint64_t n) {
  for (; n >= 0x80; n >>= 7) buffer_.push_back(static_cast<std::uint8_t>(n | 0x80));
  buffer_.push_back(static_cast<std::uint8_t>(n));
}

void ProgramWriter::put_signed(std::int64_t n) { put(u(n) << 1 ^ u(n >> 63)); }

void ProgramWriter::put(const std::string& text) {
  put(text.size());
  buffer_.insert(buffer_.end(), text.begin(), text.end());
}

std::uint64_t ProgramWriter::name(const std::string& text) {
  const auto [found, unknown] = names_.try_emplace(text, names_.size());
  if (unknown) {
    buffer_.push_back(static_cast<std::uint8_t>(EntryKind::text));
    put(text);
  }
  return found->second;
}

void ProgramWriter::put_kind(EntryKind kind, std::initializer_list<std::uint64_t> fields, bool in_call) {
  if (buffer_.size() > full_buffer) flush();
  if (in_call && pending_) {
    const std::uint64_t call = name(call_);
    buffer_.push_back(static_cast<std::uint8_t>(EntryKind::call));
    put(call);
    pending_ = false;
    in_call_ = true;
  }
  buffer_.push_back(static_cast<std::uint8_t>(kind));
  for (const std::uint64_t field : fields) put(field);
}

void ProgramWriter::leave() {
  pending_ = false;
  if (!std::exchange(in_call_, false)) return;
  put_kind(EntryKind::leave);
}

// Work between two calls belongs to neither call. Work of a reduction operation belongs to the collective call.
void ProgramWriter::work(Interval work, bool measured) {
  if (work == Interval() && measured) return;
  put_kind(measured ? EntryKind::measured : EntryKind::declared, {ps(work)}, false);
}

void ProgramWriter::start(const void* request) { numbers_[request] = requests_++; }

void ProgramWriter::send(const void* request, std::uint64_t context, int peer, int tag, std::int64_t bytes,
                         int mode) {
  put_kind(EntryKind::send, {context, u(peer)});
  put_signed(tag);
  put(u(bytes));
  put(u(mode));
  start(request);
}

void ProgramWriter::receive(const void* request, std::uint64_t context, int peer, int tag,
                            std::int64_t bytes) {
  if (peer < 0) choice(Choice::any_source);
  put_kind(EntryKind::receive, {context, u(peer < 0 ? 0 : std::int64_t{peer} + 1)});
  put_signed(tag);
  put(u(bytes));
  start(request);
}

void ProgramWriter::wait(std::span<const void* const> requests) {
  std::vector<std::uint64_t> distances;
  for (const void* const request : requests) {
    const auto found = numbers_.find(request);
    if (found == numbers_.end()) continue;
    distances.push_back(requests_ - found->second);
    numbers_.erase(found);
  }
  if (distances.empty()) return;
  put_kind(EntryKind::wait, {distances.size()});
  for (const std::uint64_t distance : distances) put(distance);
}

void ProgramWriter::free(const void* request) {
  const auto found = numbers_.find(request);
  if (found == numbers_.end()) return;
  put_kind(EntryKind::free, {requests_ - found->second});
  numbers_.erase(found);
}

void ProgramWriter::met(const void* request, int source, int tag, std::int64_t bytes) {
  const auto found = numbers_.find(request);
  if (found == numbers_.end()) return;
  put_kind(EntryKind::met, {requests_ - found->second, u(source)});
  put_signed(tag);
  put(u(bytes));
}

void ProgramWriter::begin(const std::string& interval) {
  const std::uint64_t number = name(interval);
  put_kind(EntryKind::begin, {number}, false);
}

void ProgramWriter::choice(Choice choice) {
  const std::uint32_t bit = 1u << static_cast<int>(choice);
  if (chosen_ & bit) return;
  chosen_ |= bit;
  const std::uint64_t call = name(call_);
  put_kind(EntryKind::choice, {static_cast<std::uint64_t>(choice), call});
}

void ProgramWriter::finish() {
  if (fd_ < 0) return;
  leave();
  put_kind(EntryKind::finish, {}, false);
  flush();
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

void ProgramWriter::flush() {
  const int error = fd_ < 0 ? 0 : write_all(fd_, buffer_.data(), buffer_.size());
  buffer_.clear();
  if (error == 0) return;
  ::close(std::exchange(fd_, -1));
  on_failure_(path_ + ": the trace cannot be written: " + std::strerror(error));
}

}  // namespace emu::record
