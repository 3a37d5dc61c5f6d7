// The wire of the protocol and the arithmetic of its vectors, implemented with MPI.
#pragma once

#include <mpi.h>

#include <set>
#include <vector>

#include "reduce/protocol/seams.h"

namespace reduce {

// Elements of an MPI datatype under an MPI operation.
class Typed : public Arithmetic {
 public:
  Typed(MPI_Datatype type, MPI_Op op);
  ~Typed() override;
  Typed(const Typed&) = delete;
  Typed& operator=(const Typed&) = delete;

  Memory make(std::int64_t count) const override;
  Memory part(const Memory& memory, std::int64_t index) const override;
  void copy(const Memory& from, const Memory& to, std::int64_t count) const override;
  void combine(const Memory& left, const Memory& right, std::int64_t count) const override;
  std::int64_t element_bytes() const override { return size_; }

  MPI_Datatype type() const { return type_; }
  bool commutes() const { return commutes_; }

 private:
  MPI_Datatype type_;
  const MPI_Op op_;
  bool named_ = true;  // a predefined datatype of MPI
  bool commutes_ = true;
  int size_ = 0;
  MPI_Aint extent_ = 0;
  MPI_Aint lower_ = 0;  // offset of the data of an element
  MPI_Aint span_ = 0;   // length of the data of an element
};

class Transport : public Wire {
 public:
  explicit Transport(MPI_Comm comm);
  ~Transport() override;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  void tell(int to, const Control& control) override;
  void send(int to, int tag, const Memory& data, std::int64_t count, const Arithmetic& arithmetic) override;
  int receive(int from, int tag, const Memory& into, std::int64_t count,
              const Arithmetic& arithmetic) override;
  void forget(int transfer) override;
  void give_up(int rank) override;
  double now() override { return MPI_Wtime(); }

  // Events since the previous call. With `wait`, the call waits for one.
  struct News {
    std::vector<std::pair<int, Control>> heard;  // with the sender
    std::vector<int> arrived;
    std::vector<int> missed;
    std::vector<int> failed;  // ranks
    bool none() const { return heard.empty() && arrived.empty() && missed.empty() && failed.empty(); }
  };
  News news(bool wait);
  // True if a part of `memory` is still being sent to a rank that is not given up.
  bool sending(const Memory& memory) const;
  // Receives all messages to this rank, which the others assume to have failed, until `farewells` ranks have said
  // farewell.
  void drain(int farewells);
  // Called when no rank sends any more: completes the sends, and stops listening.
  void close();
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

 private:
  struct Entry {
    enum Kind { control_in, control_out, data_out, data_in };
    Kind kind = control_in;
    int peer = -1;
    int transfer = -1;    // -1: forgotten
    bool certain = true;  // the other end takes part, unless it fails
    Memory memory;
    std::vector<std::int32_t> words;
  };
  // A longer message is sent in pieces; each begins with a word that is 1 if more pieces follow.
  static constexpr std::size_t most_words = 4096;

  void expect_control();
  void add(MPI_Request request, Entry entry);
  void remove(std::size_t index);
  void note(std::size_t index, const MPI_Status& status, bool failed, News& news);
  void note_failures(News& news);

  MPI_Comm comm_;
  int rank_ = 0;
  int ranks_ = 1;
  std::vector<std::int32_t> incoming_;
  std::vector<std::vector<std::int32_t>> begun_;  // by rank: the pieces received of an incomplete message
  std::vector<MPI_Request> requests_;
  std::vector<Entry> entries_;  // by the index of requests_
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<Memory> abandoned_;  // memory that MPI may still use
  std::vector<std::vector<std::int32_t>> abandoned_words_;
  std::set<int> noted_;  // failed ranks that were reported
  int transfers_ = 0;
  bool closing_ = false;
};

}  // namespace reduce
