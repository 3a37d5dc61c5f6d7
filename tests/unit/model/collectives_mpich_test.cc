// The schedules against MPICH itself: the messages of more than a thousand calls, rank by rank in their
// order, recorded from MPICH 4.0.2 (mpich/record) as one hash per group size and operation.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "collectives_data.h"
#include "model/collectives.h"
#include "mpich/cases.h"

namespace emu::model {
namespace {

struct Recorded {
  int size;
  const char* operation;
  std::uint64_t hash;
};

const Recorded recorded[] = {
#include "mpich/messages.inc"
};

// One rank's messages in the recorder's notation.
std::string notation(const Schedule& schedule, bool synchronous) {
  std::string text;
  for (const Step& step : schedule.steps) {
    const std::string peer = std::to_string(step.peer);
    if (step.kind == Step::Kind::receive) text += " R" + peer;
    if (step.kind == Step::Kind::wait) text += " W";
    if (step.kind != Step::Kind::send) continue;
    text += std::string(synchronous ? " sync S" : " S") + peer + ":" + std::to_string(step.slice.bytes);
  }
  return text + "\n";
}

Schedule reduction(const mpich_case& c, const std::string& name, int rank, int size) {
  const std::string op = c.op;
  const Reduction what{c.amount, 8, op != "ordered", op == "sum"};
  if (name == "reduce") return reduce(rank, size, c.root, what, c.in_place);
  if (name == "allreduce") return allreduce(rank, size, what, c.in_place);
  if (name == "scan") return scan(rank, size, what, c.in_place);
  if (name == "exscan") return exscan(rank, size, what, c.in_place);
  if (name == "reduce_scatter_block") return reduce_scatter_block(rank, size, what, c.in_place);
  std::vector<Bytes> counts;
  for (int i = 0; i < size; ++i) counts.push_back(mpich_part(c.amount, i, size) / 8);
  return reduce_scatter(rank, size, counts, what, c.in_place);
}

Schedule irregular(const mpich_case& c, const std::string& name, int rank, int size) {
  std::vector<Bytes> parts, sent, received;
  for (int i = 0; i < size; ++i) {
    parts.push_back(mpich_part(c.amount, i, size));
    sent.push_back(mpich_pair(c.amount, rank, i));
    received.push_back(mpich_pair(c.amount, i, rank));
  }
  const auto places = testing::blocks(parts, 0);
  if (name == "gatherv") return gatherv(rank, size, c.root, parts[rank], places, c.in_place);
  if (name == "scatterv") return scatterv(rank, size, c.root, places, parts[rank], c.in_place);
  if (name == "allgatherv") return allgatherv(rank, size, places, {1, 1}, c.in_place);
  if (name == "allgatherv_typed") return allgatherv(rank, size, places, {8, 24}, c.in_place);
  return alltoallv(rank, size, testing::blocks(sent, 0), testing::blocks(received, 0), c.in_place);
}

Schedule planned(const mpich_case& c, int rank, int size) {
  const std::string name = c.operation;
  if (name == "barrier") return barrier(rank, size);
  if (name == "bcast") return bcast(rank, size, c.root, c.amount);
  if (name == "gather") return gather(rank, size, c.root, c.amount, c.in_place);
  if (name == "scatter") return scatter(rank, size, c.root, c.amount, c.in_place);
  if (name == "allgather") return allgather(rank, size, c.amount, c.in_place);
  if (name == "alltoall") return alltoall(rank, size, c.amount, c.in_place);
  if (name.find("re") == 0 || name == "allreduce" || name.find("scan") != std::string::npos) {
    return reduction(c, name, rank, size);
  }
  return irregular(c, name, rank, size);
}

struct Hashes {
  int size;
  std::map<std::string, std::uint64_t> of;  // by operation
};

void add_case(const mpich_case* c, void* state) {
  Hashes& hashes = *static_cast<Hashes*>(state);
  std::uint64_t& hash = hashes.of.try_emplace(c->operation, 0xCBF29CE484222325u).first->second;
  const bool synchronous = std::string(c->operation) == "gatherv" && gatherv_synchronous(hashes.size);
  for (int rank = 0; rank < hashes.size; ++rank) {
    for (const char byte : notation(planned(*c, rank, hashes.size), synchronous)) {
      hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3u;
    }
  }
}

TEST(Collectives, SendWhatMpichSends) {
  std::map<int, Hashes> by_size;
  for (const Recorded& record : recorded) {
    const auto [entry, fresh] = by_size.try_emplace(record.size, Hashes{record.size, {}});
    if (fresh) mpich_each(record.size, add_case, &entry->second);
    EXPECT_EQ(entry->second.of[record.operation], record.hash) << record.operation << " of " << record.size;
  }
  for (const auto& [size, hashes] : by_size) EXPECT_EQ(hashes.of.size(), 17u) << size;
}

}  // namespace
}  // namespace emu::model
