// A message's memory as the rank sees it, without knowing MPI datatypes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "model/network.h"

namespace emu::rank {

struct Buffer;

// Conversion between a non-contiguous buffer and packed bytes. The layer mpi implements it with MPI_Pack
// and MPI_Unpack.
struct Layout {
  void (*pack)(const Buffer& from, std::byte* to);
  // `bytes` may be less than to.bytes: a shorter message fills the front of the type map. Returns false if the message
  // ends inside an element of the type map.
  bool (*unpack)(const Buffer& to, const std::byte* from, model::Bytes bytes);
  // Called when the request no longer needs the buffer. Null: nothing to do.
  void (*release)(const Buffer& buffer);
};

struct Buffer {
  void* address = nullptr;         // a send never writes through it
  model::Bytes bytes = 0;          // packed size
  const Layout* layout = nullptr;  // null: contiguous
  std::int64_t count = 0;          // for the layout: elements ...
  std::intptr_t type = 0;          // ... of this datatype

  void read_into(std::byte* to) const {
    if (layout)
      layout->pack(*this, to);
    else if (bytes > 0)
      std::memcpy(to, address, static_cast<std::size_t>(bytes));
  }
  // Returns false like Layout::unpack.
  bool fill_from(const std::byte* from, model::Bytes n) const {
    if (layout) return layout->unpack(*this, from, n);
    if (n > 0) std::memcpy(address, from, static_cast<std::size_t>(n));
    return true;
  }
  static Buffer contiguous(const void* address, model::Bytes bytes) {
    return Buffer{const_cast<void*>(address), bytes, nullptr, 0, 0};
  }
};

}  // namespace emu::rank
