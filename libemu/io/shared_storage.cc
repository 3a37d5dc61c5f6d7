#include "io/shared_storage.h"

#include <algorithm>
#include <cstring>

#include "mpi/convert.h"

namespace emu::mpi {

namespace {

constexpr int first = 0;  // rank
constexpr model::Bytes word = sizeof(std::int64_t);

}  // namespace

SharedStorage::SharedStorage(rank::Rank& rank, const model::Network& network, const model::Storage& model,
                             match::Context name)
    : rank_(rank), network_(network), model_(model), name_(name) {
  if (rank.number() == first) rank.windows().open(name, *this);
}

void SharedStorage::ask(model::Bytes bytes) {
  if (bytes == 0) return;
  const int own = rank_.number();
  const Instant now = rank_.now(), leaves = now + network_.send_overhead(own, first, word);
  const model::Route there = network_.route(own, first, word, leaves),
                     back = network_.route(first, own, word, leaves);
  const Access access{leaves + there.latency + there.occupancy + back.latency + back.occupancy, bytes};
  Instant begin;
  check_failed(rank_.known_failed(first));
  rank_.windows().ask({.window = name_,
                       .to = first,
                       .bytes = word,
                       .answers = word,
                       .described = std::as_bytes(std::span(&access, 1))},
                      [&begin](const std::byte* answer) { std::memcpy(&begin, answer, sizeof begin); });
  check_failed(rank_.wait_for_answers(name_, first));
  rank_.storage_busy_until(begin);
}

void SharedStorage::apply(std::span<const std::byte> operation, std::byte* answer) {
  Access access;
  std::memcpy(&access, operation.data(), sizeof access);
  const Instant begin = std::max(access.at, free_);
  free_ = begin + model_.per_byte.times(access.bytes);
  static_assert(sizeof begin == word);
  std::memcpy(answer, &begin, sizeof begin);
}

}  // namespace emu::mpi
