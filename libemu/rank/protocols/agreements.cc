#include "rank/protocols/agreements.h"

#include <cstring>

namespace emu::rank {

// Message of an agreement: a flag, a yes or no, a name, and a bit for each member of the communicator.
class Agreements::Ballot {
 public:
  explicit Ballot(const Communicator& comm)
      : bytes_(head + (static_cast<std::size_t>(comm.size()) + 31) / 32 * 4) {}

  int flag() const { return get<std::int32_t>(0); }
  void flag(int flag) { put(0, flag); }
  bool yes() const { return get<std::int32_t>(4) != 0; }
  void yes(bool yes) { put(4, yes ? 1 : 0); }
  match::Context name() const { return get<match::Context>(8); }
  void name(match::Context name) { put(8, name); }
  bool of(int member) const { return (bytes_[place(member)] & bit(member)) != std::byte{0}; }
  void set(int member) { bytes_[place(member)] |= bit(member); }

  Buffer buffer() const {
    return Buffer::contiguous(bytes_.data(), static_cast<model::Bytes>(bytes_.size()));
  }

 private:
  static constexpr std::size_t head = 16;
  static std::size_t place(int member) { return head + static_cast<std::size_t>(member) / 8; }
  static std::byte bit(int member) { return std::byte{1} << (member % 8); }
  template <class T>
  T get(std::size_t at) const {
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }
  template <class T>
  void put(std::size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }

  std::vector<std::byte> bytes_;
};

// The member that fails last, so that its decision reaches all remaining members.
int Agreements::speaker(const Communicator& comm) const {
  int speaker = 0;
  for (int i = 1; i < comm.size(); ++i)
    if (fails(comm, i) > fails(comm, speaker)) speaker = i;
  return speaker;
}

bool Agreements::acknowledged(const Communicator& comm, int member) const {
  return comm.acknowledged && core_.failures.known(comm.world[member]) <= *comm.acknowledged;
}

// Differs from the tag of the messages that pay for an agreement, which follow: if a ballot was lost
// because its node was down for a time, its receiver must not take one of those messages for the ballot.
int Agreements::tag(const Communicator& comm) { return -1 - comm.agreements; }

void Agreements::send(const Communicator& comm, std::span<const int> members, const Ballot& what) {
  std::vector<Request*> sends;
  for (const int member : members)
    sends.push_back(
        operations_.start_send(comm.collective(), comm, member, tag(comm), what.buffer(), Mode::standard));
  completion_.wait_all(sends);
  for (Request* r : sends) operations_.drop(r);
}

bool Agreements::receive(const Communicator& comm, int member, Ballot& what) {
  Request* const r = operations_.start_receive(comm.collective(), comm, member, tag(comm), what.buffer());
  completion_.wait_all({&r, 1});
  const bool heard = r->status.failed < 0;
  operations_.drop(r);
  return heard;
}

// The speaker's part: it hears all other members before it knows who is left.
Agreements::Ballot Agreements::decide(const Communicator& comm, const Ballot& own) {
  const int size = comm.size();
  std::vector<Ballot> heard(static_cast<std::size_t>(size), own);
  std::vector<char> came(static_cast<std::size_t>(size), 1);
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  for (int i = 0; i < size; ++i)
    if (i != comm.rank) came[at(i)] = receive(comm, i, heard[at(i)]);
  Ballot agreed(comm);
  int flag = own.flag();
  std::vector<int> others;
  for (int i = 0; i < size; ++i) {
    if (!came[at(i)] || fails(comm, i) <= core_.clock.now()) continue;
    agreed.set(i);
    flag &= heard[at(i)].flag();
    if (i != comm.rank) others.push_back(i);
  }
  bool all_acknowledged = true;
  for (int i = 0; i < size; ++i)
    for (int gone = 0; gone < size; ++gone)
      if (agreed.of(i) && !agreed.of(gone)) all_acknowledged = all_acknowledged && heard[at(i)].of(gone);
  agreed.flag(flag);
  agreed.yes(all_acknowledged);
  agreed.name(own.name());
  send(comm, others, agreed);
  return agreed;
}

Agreement Agreements::agree(Communicator& comm, int flag, match::Context name) {
  ++comm.agreements;
  core_.polling.interrupted();
  Ballot own(comm), agreed(comm);
  own.flag(flag);
  own.name(name);
  for (int i = 0; i < comm.size(); ++i)
    if (acknowledged(comm, i)) own.set(i);
  const int speaker = this->speaker(comm);
  if (comm.rank == speaker) {
    agreed = decide(comm, own);
  } else {
    send(comm, {&speaker, 1}, own);
    (void)receive(comm, speaker, agreed);  // the speaker does not fail before this rank
  }
  Agreement result{agreed.flag(), agreed.yes(), {}, agreed.name()};
  for (int i = 0; i < comm.size(); ++i) result.alive.push_back(agreed.of(i));
  return result;
}

}  // namespace emu::rank
