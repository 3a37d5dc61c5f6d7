// Nodes that a rank has still to visit. Some are its own; chunks of them lie open in its window, for whoever comes: a thief
// reads how many there are and how many are gone, and takes the next one by compare and swap, without the owner's help.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "tree.h"

namespace stealing {

class Deque {
 public:
  // Collective over `comm`. Chunks of `chunk` nodes; at most `chunks` of them are ever opened by a rank.
  Deque(MPI_Comm comm, int chunk, int chunks);
  ~Deque();
  Deque(const Deque&) = delete;

  // --- the own nodes, the last one first
  void push(const Node& node) { own_.push_back(node); }
  std::optional<Node> pop();
  // Whether there are so many that a chunk of them may go, and some stay.
  bool rich() const { return own_.size() >= 2 * chunk_ && opened_ < chunks_; }

  // --- chunks
  // The oldest own nodes, which have the largest subtrees, lie open.
  void open();
  // Takes a chunk of `victim`, which may be this rank. False: it has none, or another thief was faster.
  bool take(int victim);

 private:
  // In front of the chunks, in the window.
  enum Cell : int { gone, opened, cells };

  const std::size_t chunk_;
  const long chunks_;
  int rank_ = 0;
  long opened_ = 0;
  std::vector<Node> own_;
  std::vector<std::uint64_t> memory_;
  MPI_Win win_ = MPI_WIN_NULL;
};

}  // namespace stealing
