// Waits and tests. Their outcome is recorded: a wait for the requests that were completed. A test that completes
// nothing is not an event.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "skeleton/recorder/recorder.h"

using namespace emu::skeleton;

namespace {

// Reused memory: only one thread is recorded, and none of its calls is inside another.
std::vector<MPI_Request> spare_requests;
std::vector<std::int64_t> spare_list;

// The requests of one call. The call itself removes them from the program's array.
class Waiting {
 public:
  Waiting(int count, const MPI_Request* requests) {
    if (!recorder.active()) return;
    recorded_ = recorder.enter();
    if (!recorded_) return;
    requests_ = std::move(spare_requests);
    call_.list = std::move(spare_list);
    requests_.assign(requests, requests + std::max(count, 0));
    call_.list.clear();
  }
  // The request at `index` is complete.
  void done(int index, const MPI_Status& status) {
    bool of_any = false;
    if (!recorded_) return;
    const std::int32_t slot = recorder.end_request(requests_[static_cast<std::size_t>(index)], &of_any);
    if (slot < 0) return;
    call_.list.push_back(slot);
    if (of_any) {
      call_.source = status.MPI_SOURCE;
      call_.peer = any;
    }
  }
  ~Waiting() {
    if (!recorder.active()) return;
    if (call_.list.empty()) {
      recorder.leave();
    } else {
      std::sort(call_.list.begin(), call_.list.end());
      call_.function = Function::wait;
      recorder.leave(call_);
    }
    if (!recorded_) return;
    spare_requests = std::move(requests_);
    spare_list = std::move(call_.list);
  }
  Waiting(const Waiting&) = delete;

 private:
  bool recorded_ = false;
  std::vector<MPI_Request> requests_;
  Call call_;
};

// A status for each request, also if the program ignores statuses.
class Statuses {
 public:
  Statuses(int count, MPI_Status* given) : given_(given) {
    if (given == MPI_STATUSES_IGNORE) own_.resize(static_cast<std::size_t>(std::max(count, 1)));
  }
  MPI_Status* data() { return own_.empty() ? given_ : own_.data(); }
  const MPI_Status& operator[](int i) { return data()[i]; }

 private:
  MPI_Status* given_;
  std::vector<MPI_Status> own_;
};

}  // namespace

extern "C" {

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  EMU_NEXT(Wait);
  MPI_Status own;
  MPI_Status* const where = status == MPI_STATUS_IGNORE ? &own : status;
  Waiting waiting(1, request);
  const int code = next(request, where);
  waiting.done(0, *where);
  return code;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status* statuses) {
  EMU_NEXT(Waitall);
  Statuses where(count, statuses);
  Waiting waiting(count, requests);
  const int code = next(count, requests, where.data());
  for (int i = 0; i < count; ++i) waiting.done(i, where[i]);
  return code;
}

int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  EMU_NEXT(Waitany);
  MPI_Status own;
  MPI_Status* const where = status == MPI_STATUS_IGNORE ? &own : status;
  Waiting waiting(count, requests);
  const int code = next(count, requests, index, where);
  if (*index != MPI_UNDEFINED) waiting.done(*index, *where);
  return code;
}

int MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  EMU_NEXT(Waitsome);
  Statuses where(count, statuses);
  Waiting waiting(count, requests);
  const int code = next(count, requests, done, indices, where.data());
  for (int i = 0; *done != MPI_UNDEFINED && i < *done; ++i) waiting.done(indices[i], where[i]);
  return code;
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  EMU_NEXT(Test);
  MPI_Status own;
  MPI_Status* const where = status == MPI_STATUS_IGNORE ? &own : status;
  Waiting waiting(1, request);
  const int code = next(request, flag, where);
  if (*flag) waiting.done(0, *where);
  return code;
}

int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  EMU_NEXT(Testall);
  Statuses where(count, statuses);
  Waiting waiting(count, requests);
  const int code = next(count, requests, flag, where.data());
  for (int i = 0; *flag && i < count; ++i) waiting.done(i, where[i]);
  return code;
}

int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  EMU_NEXT(Testany);
  MPI_Status own;
  MPI_Status* const where = status == MPI_STATUS_IGNORE ? &own : status;
  Waiting waiting(count, requests);
  const int code = next(count, requests, index, flag, where);
  if (*flag && *index != MPI_UNDEFINED) waiting.done(*index, *where);
  return code;
}

int MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  EMU_NEXT(Testsome);
  Statuses where(count, statuses);
  Waiting waiting(count, requests);
  const int code = next(count, requests, done, indices, where.data());
  for (int i = 0; *done != MPI_UNDEFINED && i < *done; ++i) waiting.done(indices[i], where[i]);
  return code;
}

}  // extern "C"
