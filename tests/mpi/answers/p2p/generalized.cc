// Generalized requests: arguments of their callbacks, and results of the calls; also together with messages.
#include "answers.h"

namespace {

// The calls of the callbacks of one request, and the codes that they return.
struct State {
  int value = 0, queries = 0, frees = 0, cancels = 0, complete = -1;
  int query_code = MPI_SUCCESS, free_code = MPI_SUCCESS;
  MPI_Request request = MPI_REQUEST_NULL;
};

int query(void* state, MPI_Status* status) {
  auto& s = *static_cast<State*>(state);
  ++s.queries;
  MPI_Status_set_elements(status, MPI_INT, s.value);
  MPI_Status_set_cancelled(status, s.cancels > 0);
  status->MPI_SOURCE = s.value + 1;
  status->MPI_TAG = s.value + 2;
  return s.query_code;
}

int release(void* state) {
  auto& s = *static_cast<State*>(state);
  ++s.frees;
  return s.free_code;
}

int cancel(void* state, int complete) {
  auto& s = *static_cast<State*>(state);
  ++s.cancels;
  s.complete = complete;
  if (!complete) MPI_Grequest_complete(s.request);
  return MPI_SUCCESS;
}

void tell(const char* what, const State& s) {
  show(what, std::vector<int>{s.queries, s.frees, s.cancels, s.complete, s.request == MPI_REQUEST_NULL});
}

void start(State& s, int value) {
  s.value = value;
  MPI_Grequest_start(query, release, cancel, &s, &s.request);
}

int class_of(int code) {
  int found = -1;
  MPI_Error_class(code, &found);
  return found;
}

void one_by_one() {
  State s;
  MPI_Status status;
  int flag = -1;
  start(s, 3);
  MPI_Test(&s.request, &flag, &status);
  show("not yet", flag);
  MPI_Request_get_status(s.request, &flag, &status);
  show("not yet", flag);
  MPI_Grequest_complete(s.request);
  MPI_Request_get_status(s.request, &flag, &status);
  show("looked at", flag);
  show("looked at", status, MPI_INT);
  tell("looked at", s);
  MPI_Wait(&s.request, &status);
  show("waited for", status, MPI_INT);
  tell("waited for", s);
  start(s, 4);
  MPI_Grequest_complete(s.request);
  MPI_Test(&s.request, &flag, MPI_STATUS_IGNORE);
  show("tested", flag);
  tell("tested", s);
}

void cancelled_or_freed() {
  State s;
  MPI_Status status;
  start(s, 5);
  MPI_Cancel(&s.request);
  MPI_Wait(&s.request, &status);
  show("cancelled", status, MPI_INT);
  tell("cancelled", s);
  State late;
  start(late, 6);
  MPI_Grequest_complete(late.request);
  MPI_Cancel(&late.request);
  tell("cancelled too late", late);
  MPI_Wait(&late.request, &status);
  State free;
  start(free, 7);
  MPI_Request copy = free.request;
  MPI_Request_free(&free.request);
  tell("freed", free);
  MPI_Grequest_complete(copy);
  tell("freed and complete", free);
  State after;
  start(after, 8);
  MPI_Grequest_complete(after.request);
  MPI_Request_free(&after.request);
  tell("complete and freed", after);
}

// Together with messages, in calls that wait for several requests.
void several(const Answers& me) {
  State s[3];
  int out = me.rank, in = -1, index = -1, flag = -1, done = -1, indices[5];
  MPI_Status statuses[5];
  MPI_Request all[5];
  const auto begin = [&] {
    for (int i = 0; i < 3; ++i) {
      start(s[i], 10 * i);
      all[i] = s[i].request;
    }
    MPI_Irecv(&in, 1, MPI_INT, (me.rank + me.size - 1) % me.size, 1, MPI_COMM_WORLD, &all[3]);
    MPI_Isend(&out, 1, MPI_INT, (me.rank + 1) % me.size, 1, MPI_COMM_WORLD, &all[4]);
  };
  begin();
  for (const State& each : s) MPI_Grequest_complete(each.request);
  MPI_Waitall(5, all, statuses);
  for (int i = 0; i < 4; ++i) show("all", statuses[i], MPI_INT);
  show("came", in);
  begin();
  MPI_Grequest_complete(s[1].request);
  MPI_Waitany(3, all, &index, statuses);
  show("any", index);
  show("any", statuses[0], MPI_INT);
  MPI_Grequest_complete(s[2].request);
  MPI_Waitsome(3, all, &done, indices, statuses);
  show("some", done);
  show("some", indices, static_cast<std::size_t>(done));
  MPI_Testall(5, all, &flag, statuses);
  show("none yet", flag);
  MPI_Testany(1, all, &index, &flag, statuses);
  show("none yet", flag);
  MPI_Grequest_complete(s[0].request);
  MPI_Testsome(1, all, &done, indices, statuses);
  show("tested", done);
  MPI_Waitall(5, all, statuses);
  for (const State& each : s) tell("several", each);
}

void wrong() {
  State s;
  MPI_Status status;
  s.query_code = MPI_ERR_UNKNOWN;
  start(s, 1);
  MPI_Grequest_complete(s.request);
  show("query fails", class_of(MPI_Wait(&s.request, &status)));
  tell("query fails", s);
  int value = 0;
  MPI_Request receive;
  MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &receive);
  show("not its own", class_of(MPI_Grequest_complete(receive)));
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
}

// An extension of MPICH: a callback that polls whether the request is complete.
int look(void* state, MPI_Status*) {
  auto& s = *static_cast<State*>(state);
  if (++s.complete == 3) MPI_Grequest_complete(s.request);
  return MPI_SUCCESS;
}
int see_to_it(int count, void** states, double, MPI_Status*) {
  for (int i = 0; i < count; ++i) MPI_Grequest_complete(static_cast<State*>(states[i])->request);
  return MPI_SUCCESS;
}

void extended() {
  MPI_Status status;
  State polled, waited;
  int flag = 0;
  polled.value = 21;
  MPIX_Grequest_start(query, release, cancel, look, see_to_it, &polled, &polled.request);
  while (!flag) MPI_Test(&polled.request, &flag, &status);
  show("polled", status, MPI_INT);
  MPIX_Grequest_class kind;
  MPIX_Grequest_class_create(query, release, cancel, look, see_to_it, &kind);
  waited.value = 22;
  MPIX_Grequest_class_allocate(kind, &waited, &waited.request);
  MPI_Wait(&waited.request, &status);
  show("waited", status, MPI_INT);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  one_by_one();
  cancelled_or_freed();
  several(me);
  extended();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  wrong();
}
