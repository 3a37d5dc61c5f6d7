// Entry points that wait for requests, test them or free them.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>
#include <vector>

#include "mpi/convert.h"
#include "mpi/entry.h"
#include "mpi/objects.h"
#include "p2p/generalized.h"

using emu::mpi::check_status;
using emu::mpi::Entry;
using emu::mpi::Error;
using emu::mpi::Generalized;
using emu::mpi::objects;
using emu::mpi::present;
using emu::mpi::process;
using emu::mpi::Requests;
using emu::mpi::set_status;
using emu::rank::Rank;
using emu::rank::Request;

namespace {

// The request's entry. Throws Error if the program has completed or freed the request meanwhile: by another thread, or
// by an earlier entry of the array.
const Requests::Entry& entry_of(MPI_Request handle, const Request& r) {
  const auto& entry = objects->requests.find(handle);
  if (entry.request != &r)
    throw Error{MPI_ERR_REQUEST, "another call, or another entry of the array, has completed the request"};
  return entry;
}

// The error of a request that is over; nothing: there is none. A request in doubt remains under way.
std::optional<Error> error_of(MPI_Request handle, const Request& r) {
  const auto& entry = entry_of(handle, r);
  try {
    emu::mpi::check_failed(r.complete() ? -1 : r.doubt, MPIX_ERR_PROC_FAILED_PENDING);
    emu::mpi::check_failed(r.status);
    emu::mpi::check_fit(r.status, r.buffer.bytes);
    if (entry.call) entry.call->check();
  } catch (Error& error) {
    error.comm = entry.comm;
    return error;
  }
  return std::nullopt;
}

// The program's array of requests, looked up.
class Group {
 public:
  Group(int count, MPI_Request* handles) : handles_(handles) {
    if (count < 0) throw Error{MPI_ERR_COUNT, "negative count " + std::to_string(count)};
    if (count > 0 && !handles) throw Error{MPI_ERR_ARG, "the requests are a null pointer"};
    found_.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      const auto& entry = objects->requests.find(handles[i]);
      found_.push_back(entry.request);
      if (entry.call && entry.request) own_ = own_ || entry.call->generalized();
    }
  }
  // Calls the program's callbacks that complete its generalized requests: all of them, or as many as possible at once.
  void wait_for_own() const {
    for (int i = 0; own_ && i < size(); ++i)
      if (Generalized* const own = own_at(i)) own->wait();
  }
  void poll_own() const {
    for (int i = 0; own_ && i < size(); ++i)
      if (Generalized* const own = own_at(i)) own->poll();
  }
  Rank::Requests all() const { return found_; }
  int size() const { return static_cast<int>(found_.size()); }
  bool over(int i) const { return at(i) && at(i)->over(); }

  // Writes the status of a completed request and frees it; a request in doubt remains. Returns MPI's error code for
  // the request.
  int retire(int i, MPI_Status* status) {
    Request* r = at(i);
    if (r && own_ && own_at(i)) return retire_own(i, status);
    set_status(status, r ? r->status : emu::rank::Status{});
    if (!r) return MPI_SUCCESS;
    std::optional<Error> error = error_of(handles_[i], *r);
    if (r->complete()) {
      objects->requests.retire(handles_[i]);
      found_[static_cast<std::size_t>(i)] = nullptr;
      process->rank->free(r);
    }
    if (!error) return MPI_SUCCESS;
    const int code = error->code;
    if (!error_) error_ = std::move(error);
    return code;
  }
  // Called after all statuses are written: throws the error of the first request
  // that has one. The error of a single request goes to its communicator.
  void check(bool several) {
    if (!error_) return;
    if (several) {
      error_->code = MPI_ERR_IN_STATUS;
      error_->comm = MPI_COMM_NULL;  // MPICH uses the error handler of MPI_COMM_WORLD
    }
    throw *error_;
  }

 private:
  Generalized* own_at(int i) const {
    const auto& entry = objects->requests.find(handles_[i]);
    return entry.call ? entry.call->generalized() : nullptr;
  }
  int retire_own(int i, MPI_Status* status) {
    Request* const r = at(i);
    Generalized* const own = own_at(i);
    MPI_Status said;
    int code = own->query(said);
    if (status != MPI_STATUS_IGNORE) *status = said;
    const int released = own->release();
    if (code == MPI_SUCCESS) code = released;
    objects->requests.retire(handles_[i]);
    found_[static_cast<std::size_t>(i)] = nullptr;
    process->rank->free(r);
    if (code != MPI_SUCCESS && !error_) error_ = Error{code, "a callback of a generalized request failed"};
    return code;
  }
  Request* at(int i) const { return found_[static_cast<std::size_t>(i)]; }
  MPI_Request* handles_;
  // Small arrays need no allocation.
  std::array<std::byte, 64 * sizeof(Request*)> room_;
  std::pmr::monotonic_buffer_resource memory_{room_.data(), room_.size()};
  std::pmr::vector<Request*> found_{&memory_};
  bool own_ = false;  // some are pending generalized requests
  std::optional<Error> error_;
};

void check_statuses(int count, const MPI_Status* statuses) {
  if (count > 0) check_status(statuses);
}

MPI_Status* nth(MPI_Status* statuses, int i) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

void retire_all(Group& group, MPI_Status* statuses) {
  for (int i = 0; i < group.size(); ++i) {
    const int code = group.retire(i, nth(statuses, i));
    if (statuses != MPI_STATUSES_IGNORE) statuses[i].MPI_ERROR = code;
  }
  group.check(true);
}

void retire_some(Group& group, int* out_count, int* indices, MPI_Status* statuses) {
  *out_count = 0;
  for (int i = 0; i < group.size(); ++i) {
    if (!group.over(i)) continue;
    const int code = group.retire(i, nth(statuses, *out_count));
    if (statuses != MPI_STATUSES_IGNORE) statuses[*out_count].MPI_ERROR = code;
    indices[(*out_count)++] = i;
  }
  group.check(true);
}

void retire_one(Group& group, int index, int* out_index, MPI_Status* status) {
  *out_index = index < 0 ? MPI_UNDEFINED : index;
  if (index < 0)
    emu::mpi::set_empty_status(status);
  else
    group.retire(index, status);
  group.check(false);
}

// Frees a generalized request: the program's data at once, as in MPICH, the rest on completion. False for other
// requests.
bool free_own(Rank& rank, MPI_Request& request) {
  const auto& found = objects->requests.find(request);
  Generalized* const own = found.call ? found.call->generalized() : nullptr;
  if (!own) return false;
  own->freed = true;
  own->release();
  if (Request* const r = own->request(); r->complete()) {
    objects->requests.remove(request);
    rank.free(r);
  }
  request = MPI_REQUEST_NULL;
  return true;
}

// Checks the arguments of a call that completes some requests. False if none of them is active: the call returns.
bool begin_some(const Group& group, int count, int* out_count, int* indices, const MPI_Status* statuses) {
  present(out_count);
  if (count > 0) present(indices);
  check_statuses(count, statuses);
  if (std::ranges::any_of(group.all(), [](const Request* r) { return r != nullptr; })) return true;
  *out_count = MPI_UNDEFINED;
  return false;
}

}  // namespace

extern "C" int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Wait(request, status);
  return entry.run(MPI_COMM_WORLD, [&](Rank& rank) {
    Group group(1, request);
    check_status(status);
    group.wait_for_own();
    rank.wait_all(group.all());
    group.retire(0, status);
    group.check(false);
  });
}

extern "C" int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Waitall(count, requests, statuses);
  return entry.run(MPI_COMM_WORLD, [&](Rank& rank) {
    Group group(count, requests);
    check_statuses(count, statuses);
    group.wait_for_own();
    rank.wait_all(group.all());
    retire_all(group, statuses);
  });
}

extern "C" int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Waitany(count, requests, index, status);
  return entry.run(MPI_COMM_WORLD, [&](Rank& rank) {
    Group group(count, requests);
    present(index);
    check_status(status);
    group.poll_own();
    retire_one(group, rank.wait_any(group.all()), index, status);
  });
}

extern "C" int MPI_Waitsome(int count, MPI_Request requests[], int* out_count, int indices[],
                            MPI_Status statuses[]) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Waitsome(count, requests, out_count, indices, statuses);
  return entry.run(MPI_COMM_WORLD, [&](Rank& rank) {
    Group group(count, requests);
    if (!begin_some(group, count, out_count, indices, statuses)) return;
    group.poll_own();
    rank.wait_some(group.all());
    retire_some(group, out_count, indices, statuses);
  });
}

extern "C" int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Test(request, flag, status);
  return entry.run(MPI_COMM_WORLD, [&](Rank& rank) {
    Group group(1, request);
    present(flag);
    check_status(status);
    group.poll_own();
    int index;
    *flag = rank.test_any(group.all(), index) ? 1 : 0;
    if (*flag) group.retire(0, status);
    group.check(false);
  });
}

extern "C" int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Testall(count, requests, flag, statuses);
  return entry.run(MPI_COMM_WORLD, [&](Rank& rank) {
    Group group(count, requests);
    present(flag);
    check_statuses(count, statuses);
    group.poll_own();
    *flag = rank.test_all(group.all()) ? 1 : 0;
    if (*flag) retire_all(group, statuses);
  });
}

extern "C" int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Testany(count, requests, index, flag, status);
  return entry.run(MPI_COMM_WORLD, [&](Rank& rank) {
    Group group(count, requests);
    present(flag);
    present(index);
    check_status(status);
    group.poll_own();
    int found;
    *flag = rank.test_any(group.all(), found) ? 1 : 0;
    if (*flag)
      retire_one(group, found, index, status);
    else
      *index = MPI_UNDEFINED;
  });
}

extern "C" int MPI_Testsome(int count, MPI_Request requests[], int* out_count, int indices[],
                            MPI_Status statuses[]) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Testsome(count, requests, out_count, indices, statuses);
  return entry.run(MPI_COMM_WORLD, [&](Rank& rank) {
    Group group(count, requests);
    if (!begin_some(group, count, out_count, indices, statuses)) return;
    *out_count = 0;
    group.poll_own();
    if (rank.test_some(group.all())) retire_some(group, out_count, indices, statuses);
  });
}

extern "C" int MPI_Request_free(MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Request_free(request);
  return entry.run(MPI_COMM_WORLD, [&](Rank& rank) {
    if (*request == MPI_REQUEST_NULL) throw Error{MPI_ERR_REQUEST, "null request"};
    if (free_own(rank, *request)) return;
    if (const auto& found = objects->requests.find(*request); found.call && found.request)
      throw Error{MPI_ERR_REQUEST,
                  "the request has several messages, and cannot be freed before it is complete"};
    Request* const found = objects->requests.find(*request).request;
    if (found) emu::mpi::keep_type(*found);  // the datatype of a persistent request is freed with it
    objects->requests.remove(*request);
    *request = MPI_REQUEST_NULL;
    rank.free(found);
  });
}

// A send is cancelled only if the program was found to use this from the start (Process::uses).
extern "C" int MPI_Cancel(MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Cancel(request);
  return entry.run(MPI_COMM_WORLD, [&](Rank& rank) {
    const auto& found = objects->requests.find(*request);
    if (!found.request)
      throw Error{MPI_ERR_REQUEST, "null request, or a persistent one that is not under way"};
    if (Generalized* const own = found.call ? found.call->generalized() : nullptr) {
      if (const int code = own->cancel(); code != MPI_SUCCESS)
        throw Error{code, "a callback of a generalized request failed"};
      return;
    }
    if (found.call) throw Error{MPI_ERR_REQUEST, "the request has several messages, and cannot be cancelled"};
    if (found.request->kind == Request::Kind::receive)
      rank.cancel(found.request);
    else
      rank.withdraw(found.request);
  });
}

// As MPI_Test, without a change of the request.
extern "C" int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Request_get_status(request, flag, status);
  return entry.run(MPI_COMM_WORLD, [&](Rank& rank) {
    present(flag);
    check_status(status);
    const auto& found = objects->requests.find(request);
    Request* const r = found.request;
    Generalized* const own = found.call ? found.call->generalized() : nullptr;
    if (own) own->poll();
    int index;
    *flag = rank.test_any({&r, 1}, index) ? 1 : 0;
    if (*flag && r && entry_of(request, *r).request->complete()) objects->requests.settle(request);
    if (*flag) set_status(status, r ? r->status : emu::rank::Status{});
    if (!r && status != MPI_STATUS_IGNORE) status->MPI_ERROR = MPI_SUCCESS;  // not of another call
    if (!*flag) return;
    if (!own) {
      if (const auto error = r ? error_of(request, *r) : std::nullopt) throw *error;
      return;
    }
    MPI_Status said;
    const int code = own->query(said);
    if (status != MPI_STATUS_IGNORE) *status = said;
    if (code != MPI_SUCCESS) throw Error{code, "a callback of a generalized request failed"};
  });
}
