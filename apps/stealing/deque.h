// Nodes that a rank still has to visit. Some are private; the others are chunks in its window, free for all ranks. A
// thief reads the numbers of opened and taken chunks, and takes the next chunk by compare and swap, without the owner's
// help.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "tree.h"

namespace stealing {

class Deque {
 public:
  // Collective over `comm`. A chunk has `chunk` nodes, and a rank opens at most `chunks` chunks in total.
  Deque(MPI_Comm comm, int chunk, int chunks);
  ~Deque();
  Deque(const Deque&) = delete;

  // --- private nodes, last in first out
  void push(const Node& node) { own_.push_back(node); }
  std::optional<Node> pop();
  // True if there are enough private nodes for a chunk and some more.
  bool rich() const { return own_.size() >= 2 * chunk_ && opened_ < chunks_; }

  // --- chunks
  // Opens a chunk of the oldest private nodes, which have the largest subtrees.
  void open();
  // Takes a chunk of `victim`, which may be this rank. False: it has none, or another thief was faster.
  bool take(int victim);

 private:
  // Numbers at the beginning of the window, before the chunks.
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
