// The C interface of the library.
#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "reduce/library/engine.h"

using reduce::Engine;
using reduce::Memory;
using reduce::none;
using reduce::Outcome;
using reduce::Peer;
using reduce::Settings;
using reduce::Spec;
using reduce::Typed;

struct reduce_context {
  reduce_context(MPI_Comm comm, const reduce_settings& given, const Settings& settings)
      : comm(comm), engine(comm, given, settings) {}
  MPI_Comm comm;
  std::vector<std::unique_ptr<Typed>> kept;  // of messages that may still be in transit
  Engine engine;
  int open = 0;  // number of open requests
  std::vector<int> lost, left_out;
};

struct reduce_request {
  reduce_context* context = nullptr;
  std::unique_ptr<Typed> arithmetic;
  Memory input;
  Memory output;  // null: nowhere
  std::vector<int> jobs;
  std::vector<std::int64_t> begin;  // first element of each job
  std::vector<std::int64_t> count;
};

namespace {

constexpr int most_segments = 8;

std::string message;

int invalid(const std::string& text) {
  message = text;
  return REDUCE_INVALID;
}

// Memory that belongs to the program.
Memory outside(const void* memory) {
  return {static_cast<std::byte*>(const_cast<void*>(memory)), [](std::byte*) {}};
}

int segments(const reduce_settings& settings, const reduce_options& options, std::int64_t count,
             std::int64_t bytes) {
  std::int64_t segments = options.segments;
  if (segments == 0)
    segments =
        std::min<std::int64_t>(most_segments, (bytes + settings.segment_bytes - 1) / settings.segment_bytes);
  return static_cast<int>(std::max<std::int64_t>(1, std::min(segments, count)));
}

std::string wrong_settings(const reduce_settings& settings, int ranks) {
  if (settings.dealer < -1 || settings.dealer >= ranks)
    return "dealer: expected -1 or a rank from 0 to " + std::to_string(ranks - 1);
  if (settings.copies < 1) return "copies: expected 1 or more";
  for (int i = 0; i < settings.risky_count; ++i)
    if (settings.risky[i] < 0 || settings.risky[i] >= ranks)
      return "risky: expected ranks from 0 to " + std::to_string(ranks - 1);
  if (settings.detect != REDUCE_BY_HEARTBEAT && settings.detect != REDUCE_BY_ERRORS)
    return "detect: expected REDUCE_BY_HEARTBEAT or REDUCE_BY_ERRORS";
  if (!(settings.heartbeat > 0)) return "heartbeat: expected a time above 0";
  if (!(settings.limit > settings.heartbeat)) return "limit: expected a longer time than heartbeat's";
  if (settings.segment_bytes < 1 || settings.least_block < 1)
    return "segment_bytes and least_block: expected 1 or more";
  return {};
}

// With REDUCE_BY_ERRORS all ranks agree whether all have the communicator; otherwise no rank keeps it.
MPI_Comm duplicate(MPI_Comm comm, const reduce_settings& settings) {
  MPI_Comm own = MPI_COMM_NULL;
  const bool made = MPI_Comm_dup(comm, &own) == MPI_SUCCESS;
  int all = made ? 1 : 0;
  if (settings.detect == REDUCE_BY_ERRORS) {
    MPIX_Comm_failure_ack(comm);
    MPIX_Comm_agree(comm, &all);
  }
  if (all == 0) return MPI_COMM_NULL;  // not freed, because MPI_Comm_free is collective
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  return own;
}

std::string wrong_start(const reduce_context& context, const void* send, const void* receive, int count,
                        int root, const reduce_options& options) {
  const int ranks = context.engine.transport().ranks();
  const int rank = context.engine.transport().rank();
  if (count < 0) return "count: expected 0 or more";
  if (root < 0 || root >= ranks) return "root: expected a rank from 0 to " + std::to_string(ranks - 1);
  if (options.heir < -1 || options.heir >= ranks)
    return "heir: expected -1 or a rank from 0 to " + std::to_string(ranks - 1);
  if (options.segments < 0) return "segments: expected 0 or more";
  if (send == MPI_IN_PLACE && rank != root) return "send: expected MPI_IN_PLACE at the root only";
  if (rank == root && count > 0 && !receive) return "receive: expected a buffer at the root";
  return {};
}

// True if MPI applies `op` to elements of `type`. Its predefined operations refuse derived datatypes, duplicates,
// and some predefined datatypes.
bool defined(MPI_Op op, MPI_Datatype type) {
  const std::array<MPI_Comm, 2> comms{MPI_COMM_WORLD, MPI_COMM_SELF};
  std::array<MPI_Errhandler, 2> handlers;
  for (std::size_t i = 0; i < comms.size(); ++i) {
    MPI_Comm_get_errhandler(comms[i], &handlers[i]);
    MPI_Comm_set_errhandler(comms[i], MPI_ERRORS_RETURN);
  }
  char from, into;
  const int code = MPI_Reduce_local(&from, &into, 0, type, op);
  for (std::size_t i = 0; i < comms.size(); ++i) {
    MPI_Comm_set_errhandler(comms[i], handlers[i]);
    MPI_Errhandler_free(&handlers[i]);
  }
  return code == MPI_SUCCESS;
}

// True if the reduction of `request` is over, and its input is not in use any more.
bool over(const reduce_request& request) {
  const Engine& engine = request.context->engine;
  if (engine.mute() || engine.peer().excluded()) return true;
  for (int job : request.jobs)
    if (!engine.peer().outcome(job)) return false;
  return !engine.transport().sending(request.input);
}

// The outcome of a reduction from the outcomes of its segments: the result is at the ranks that have all segments.
// The targets of a job are the first live ranks of a fixed order: a target of an earlier segment that is not a target
// of the last one has failed.
Outcome together(const std::vector<const Outcome*>& segments) {
  Outcome all = *segments.back();
  std::vector<int> places;
  for (int rank : {all.root, all.heir}) {
    const bool everywhere = std::all_of(segments.begin(), segments.end(), [rank](const Outcome* one) {
      return one->root != none && (one->root == rank || one->heir == rank);
    });
    if (rank != none && everywhere) places.push_back(rank);
  }
  // True if every segment has a result. If no rank has them all, targets of earlier segments have failed.
  const bool each =
      std::all_of(segments.begin(), segments.end(), [](auto* one) { return one->root != none; });
  for (const Outcome* one : segments)
    for (int rank : {one->root, one->heir})
      if (each && places.empty() && rank != all.root && rank != all.heir) all.lost.push_back(rank);
  all.root = places.empty() ? none : places[0];
  all.heir = places.size() < 2 ? none : places[1];
  for (const Outcome* one : segments) {
    all.lost.insert(all.lost.end(), one->lost.begin(), one->lost.end());
    all.left_out.insert(all.left_out.end(), one->left_out.begin(), one->left_out.end());
  }
  for (std::vector<int>* list : {&all.lost, &all.left_out}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  return all;
}

int finish(reduce_request** handle, reduce_outcome* to) {
  const std::unique_ptr<reduce_request> request(*handle);
  *handle = nullptr;
  reduce_context& context = *request->context;
  --context.open;
  Peer& peer = context.engine.peer();
  if (context.engine.mute() || peer.excluded()) {
    if (to) *to = {-1, -1, 0, nullptr, 0, nullptr};
    context.kept.push_back(std::move(request->arithmetic));
    return REDUCE_EXCLUDED;
  }
  std::vector<const Outcome*> outcomes;
  for (int job : request->jobs) outcomes.push_back(peer.outcome(job));
  const Outcome outcome = together(outcomes);
  for (std::size_t i = 0; i < request->jobs.size(); ++i) {
    const Memory result = peer.take_result(request->jobs[i]);
    if (result && request->output && outcome.root != none)
      request->arithmetic->copy(result, request->arithmetic->part(request->output, request->begin[i]),
                                request->count[i]);
  }
  for (int job : request->jobs) peer.release(job);
  context.lost = outcome.lost;
  context.left_out = outcome.left_out;
  if (to)
    *to = {outcome.root,
           outcome.heir,
           static_cast<int>(context.lost.size()),
           context.lost.data(),
           static_cast<int>(context.left_out.size()),
           context.left_out.data()};
  return outcome.root == none ? REDUCE_LOST : REDUCE_OK;
}

}  // namespace

extern "C" const char* reduce_message() { return message.c_str(); }

extern "C" void reduce_default_settings(reduce_settings* settings) {
  *settings = {-1, 2, REDUCE_BY_HEARTBEAT, 1, 10, 4 << 20, 1024, 0, nullptr};
}

extern "C" void reduce_default_options(reduce_options* options) { *options = {-1, 0, 0, 0}; }

extern "C" int reduce_open(MPI_Comm comm, const reduce_settings* given, reduce_context** context) {
  *context = nullptr;
  reduce_settings settings;
  reduce_default_settings(&settings);
  if (given) settings = *given;
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  if (const std::string wrong = wrong_settings(settings, ranks); !wrong.empty())
    return invalid("reduce_open: " + wrong);
  int* largest = nullptr;
  int known = 0;
  MPI_Comm_get_attr(comm, MPI_TAG_UB, &largest, &known);
  if (known != 0 && reduce::most_tag(ranks) > *largest)
    return invalid("reduce_open: " + std::to_string(ranks) + " ranks: expected so few that " +
                   std::to_string(reduce::most_tag(ranks)) + " tags are not more than MPI has");
  const MPI_Comm own = duplicate(comm, settings);
  if (own == MPI_COMM_NULL) return REDUCE_FAILED;
  Settings protocol;
  protocol.ranks = ranks;
  protocol.dealer = settings.dealer < 0 ? ranks - 1 : settings.dealer;
  protocol.copies = settings.copies;
  protocol.least_block = settings.least_block;
  protocol.risky.insert(settings.risky, settings.risky + settings.risky_count);
  *context = new reduce_context(own, settings, protocol);
  return REDUCE_OK;
}

extern "C" int reduce_start(reduce_context* context, const void* send, void* receive, int count,
                            MPI_Datatype type, MPI_Op op, int root, const reduce_options* given,
                            reduce_request** to) {
  *to = nullptr;
  reduce_options options;
  reduce_default_options(&options);
  if (given) options = *given;
  if (const std::string wrong = wrong_start(*context, send, receive, count, root, options); !wrong.empty())
    return invalid("reduce_start: " + wrong);
  if (!defined(op, type)) return invalid("reduce_start: op: expected one that is defined for the datatype");
  const bool in_place = send == MPI_IN_PLACE;
  Engine& engine = context->engine;
  engine.wake();
  auto request = std::make_unique<reduce_request>();
  request->context = context;
  request->arithmetic = std::make_unique<Typed>(type, op);
  request->input = outside(in_place ? receive : send);
  if (receive) request->output = outside(receive);
  const Typed& arithmetic = *request->arithmetic;
  const int parts = segments(engine.given(), options, count, count * arithmetic.element_bytes());
  for (int i = 0; i < parts; ++i) {
    const std::int64_t begin = std::int64_t{count} * i / parts;
    const std::int64_t length = std::int64_t{count} * (i + 1) / parts - begin;
    Spec spec;
    spec.terms = {root, options.heir < 0 ? (root + 1) % engine.transport().ranks() : options.heir, length,
                  arithmetic.element_bytes(), options.leave_out != 0};
    spec.arithmetic = &arithmetic;
    spec.input = arithmetic.part(request->input, begin);
    if (request->output && !in_place) spec.output = arithmetic.part(request->output, begin);
    spec.ordered = !arithmetic.commutes();
    if (i == 0 && options.seconds_per_byte > 0)
      spec.speed = reduce::speed::from_rate(1 / options.seconds_per_byte);
    request->begin.push_back(begin);
    request->count.push_back(length);
    if (!engine.mute() && !engine.peer().excluded()) request->jobs.push_back(engine.peer().start(spec));
  }
  ++context->open;
  *to = request.release();
  return REDUCE_OK;
}

extern "C" int reduce_test(reduce_request** request, int* flag, reduce_outcome* outcome) {
  Engine& engine = (*request)->context->engine;
  if (!over(**request)) engine.progress(false);
  *flag = over(**request) ? 1 : 0;
  return *flag != 0 ? finish(request, outcome) : static_cast<int>(REDUCE_OK);
}

extern "C" int reduce_wait(reduce_request** request, reduce_outcome* outcome) {
  Engine& engine = (*request)->context->engine;
  while (!over(**request)) engine.progress(true);
  return finish(request, outcome);
}

extern "C" int reduce_close(reduce_context** context, int* failed) {
  if ((*context)->open != 0)
    return invalid("reduce_close: " + std::to_string((*context)->open) +
                   " reductions have not ended: expected reduce_wait for each");
  const bool part = (*context)->engine.close();
  if (failed) *failed = reduce_failed(*context, nullptr, 0);
  const MPI_Comm comm = (*context)->comm;
  delete *context;
  *context = nullptr;
  MPI_Comm own = comm;
  MPI_Comm_free(&own);
  return part ? REDUCE_OK : REDUCE_EXCLUDED;
}

extern "C" int reduce_failed(const reduce_context* context, int* ranks, int most) {
  int count = 0;
  for (int rank = 0; rank < context->engine.transport().ranks(); ++rank) {
    if (!context->engine.peer().failed(rank)) continue;
    if (count < most) ranks[count] = rank;
    ++count;
  }
  return count;
}

extern "C" void reduce_last_pieces(const reduce_context* context, double* seconds) {
  const std::vector<double>& last = context->engine.peer().last_pieces();
  std::copy(last.begin(), last.end(), seconds);
}

extern "C" void reduce_fail_at(reduce_context* context, double seconds) { context->engine.fail_at(seconds); }
