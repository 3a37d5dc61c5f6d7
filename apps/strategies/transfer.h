// Long messages between named ranks, in pieces whose size fits into an int.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <span>

namespace strategies {

inline constexpr std::size_t piece_bytes = std::size_t{1} << 28;

inline void send_bytes(std::span<const std::byte> data, int to, int tag, MPI_Comm comm) {
  for (; !data.empty(); data = data.subspan(std::min(piece_bytes, data.size()))) {
    MPI_Send(data.data(), static_cast<int>(std::min(piece_bytes, data.size())), MPI_BYTE, to, tag, comm);
  }
}

inline void receive_bytes(std::span<std::byte> data, int from, int tag, MPI_Comm comm) {
  for (; !data.empty(); data = data.subspan(std::min(piece_bytes, data.size()))) {
    MPI_Recv(data.data(), static_cast<int>(std::min(piece_bytes, data.size())), MPI_BYTE, from, tag, comm,
             MPI_STATUS_IGNORE);
  }
}

}  // namespace strategies
