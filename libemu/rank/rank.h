// One emulated rank: its virtual clock, its messages, its requests.
//
// Every operation starts at the rank's clock and moves it by the arithmetic of model/network.h. Single-threaded.
// Calls that wait return when the rule of order (match/order.h) allows the answer and the clock stands at the
// instant at which it was there.
#pragma once

#include <span>

#include "match/envelope.h"
#include "model/network.h"
#include "rank/buffer.h"
#include "rank/communicator.h"
#include "rank/request.h"
#include "trace/summary.h"

namespace emu::rank {

inline constexpr int proc_null = -1;  // as MPI_PROC_NULL: an operation with no peer completes at once, free

enum class Mode {
  standard,     // eager up to S bytes, rendezvous above
  synchronous,  // always rendezvous
  buffered,     // as standard, but complete for the caller at once
};

class Rank {
 public:
  // --- point-to-point. Peers are ranks in `comm`, or proc_null; receives also take any_source, any_tag.
  void send(const Communicator& comm, int to, int tag, const Buffer& data, Mode mode = Mode::standard);
  Status receive(const Communicator& comm, int from, int tag, const Buffer& into);
  Request* isend(const Communicator& comm, int to, int tag, const Buffer& data, Mode mode = Mode::standard);
  Request* ireceive(const Communicator& comm, int from, int tag, const Buffer& into);

  // --- completion. Null entries count as complete. A completed request is freed and its entry set to null.
  Status wait(Request*& request);
  void wait_all(std::span<Request*> requests, Status* statuses /* as many, or null */);
};

}  // namespace emu::rank
