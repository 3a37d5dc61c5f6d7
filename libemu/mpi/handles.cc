#include "mpi/handles.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "comm/creation_messages.h"
#include "mpi/convert.h"
#include "mpi/entry.h"

namespace emu::mpi {

namespace {
constexpr int most_requests = 0x01000000;
constexpr MPI_Message first_message = 0x1f000000;
}  // namespace

Requests::Plan::~Plan() {
  if (buffer.layout && buffer.layout->release) buffer.layout->release(buffer);
}

Requests::Entry::Entry() = default;
Requests::Entry::Entry(Entry&&) noexcept = default;
Requests::Entry& Requests::Entry::operator=(Entry&&) noexcept = default;
Requests::Entry::~Entry() = default;

Requests::Entry& Requests::take(MPI_Request& handle) {
  int index;
  if (spare_.empty()) {
    index = static_cast<int>(entries_.size());
    if (index >= most_requests) stop_job("more than 16 million requests are under way in one rank", 1);
    entries_.push_back({});
  } else {
    index = spare_.back();
    spare_.pop_back();
  }
  handle = first_handle + index;
  return entries_[static_cast<std::size_t>(index)];
}

[[gnu::hot]] MPI_Request Requests::add(rank::Request* request, MPI_Comm comm) {
  MPI_Request handle;
  Entry& entry = take(handle);
  entry.request = request;
  entry.comm = comm;
  return handle;
}

MPI_Request Requests::add(rank::Request* request, MPI_Comm comm, std::unique_ptr<Composite> call) {
  const MPI_Request handle = add(request, comm);
  entries_[static_cast<std::size_t>(handle - first_handle)].call = std::move(call);
  return handle;
}

[[gnu::hot]] void Requests::settle(MPI_Request handle) {
  const Entry& entry = entries_[static_cast<std::size_t>(handle - first_handle)];
  if (entry.call && entry.request->status.failed < 0) entry.call->store();
}

MPI_Request Requests::add(std::unique_ptr<Plan> plan, MPI_Comm comm, std::unique_ptr<Composite> call) {
  MPI_Request handle;
  Entry& entry = take(handle);
  entry.plan = std::move(plan);
  entry.call = std::move(call);
  entry.comm = comm;
  return handle;
}

MPI_Request Requests::add(std::unique_ptr<Plan> plan, MPI_Comm comm) {
  return add(std::move(plan), comm, nullptr);
}

void Requests::start(MPI_Request handle) {
  if (handle == MPI_REQUEST_NULL) throw Error{MPI_ERR_REQUEST, "null request"};
  const Entry& found = find(handle);
  if (!found.plan) throw Error{MPI_ERR_REQUEST, "the request is not persistent", found.comm};
  if (found.request) throw Error{MPI_ERR_REQUEST, "the persistent request is under way already", found.comm};
  rank::Request* const request = found.plan->start();
  entries_[static_cast<std::size_t>(handle - first_handle)].request = request;
}

[[gnu::hot]] void Requests::retire(MPI_Request& handle) {
  settle(handle);
  Entry& entry = entries_[static_cast<std::size_t>(handle - first_handle)];
  if (entry.plan) {
    entry.request = nullptr;
    return;
  }
  remove(handle);
  handle = MPI_REQUEST_NULL;
}

[[gnu::hot]] const Requests::Entry& Requests::find(MPI_Request handle) const {
  static const Entry& none = *new Entry;
  if (handle == MPI_REQUEST_NULL) return none;
  const auto index = static_cast<std::size_t>(handle - first_handle);
  if (handle < first_handle || index >= entries_.size() ||
      (!entries_[index].request && !entries_[index].plan))
    throw Error{MPI_ERR_REQUEST, "invalid request (not started under emulation, or already complete)"};
  return entries_[index];
}

void Requests::remove(MPI_Request handle) {
  const int index = handle - first_handle;
  entries_[static_cast<std::size_t>(index)] = {};
  spare_.push_back(index);
  if (!kept_.empty() || !kept_operations_.empty() || !kept_types_.empty()) [[unlikely]]
    let_go();
}

bool Requests::used(MPI_Comm comm) const {
  return std::any_of(entries_.begin(), entries_.end(), [comm](const Entry& e) { return e.comm == comm; });
}

bool Requests::called_with(int handle) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [handle](const Entry& e) { return e.call && e.call->uses(handle); });
}

bool Requests::keep_operation(MPI_Op op) {
  if (!called_with(op)) return false;
  kept_operations_.push_back(op);
  return true;
}

bool Requests::keep_datatype(MPI_Datatype type) {
  if (!called_with(type)) return false;
  kept_types_.push_back(type);
  return true;
}

bool Requests::keep(MPI_Comm comm) {
  if (!used(comm)) return false;
  kept_.push_back(comm);
  return true;
}

// The program's callbacks for deleted attributes may call MPI.
void Requests::let_go() {
  for (;;) {
    const auto found =
        std::find_if_not(kept_.begin(), kept_.end(), [this](MPI_Comm comm) { return used(comm); });
    if (found == kept_.end()) break;
    MPI_Comm comm = *found;
    kept_.erase(found);
    try {
      creation::drop(process->calls.last, comm);
    } catch (const Error&) {  // from such a callback: no caller can handle it
    }
  }
  std::erase_if(kept_operations_,
                [this](MPI_Op op) { return !called_with(op) && PMPI_Op_free(&op) == MPI_SUCCESS; });
  for (;;) {
    const auto found = std::find_if_not(kept_types_.begin(), kept_types_.end(),
                                        [this](MPI_Datatype type) { return called_with(type); });
    if (found == kept_types_.end()) break;
    MPI_Datatype type = *found;
    kept_types_.erase(found);
    (void)free_datatype(process->calls.last, type);  // no caller can handle an error of the callback
  }
}

int free_datatype(const char* call, MPI_Datatype& type) {
  std::optional<ProgramRuns> callbacks;
  if (process->calls.has_callbacks) callbacks.emplace(call);
  return PMPI_Type_free(&type);
}

MPI_Message Messages::add(match::Message* message, MPI_Comm comm) {
  int index = static_cast<int>(entries_.size());
  if (spare_.empty()) {
    entries_.push_back({});
  } else {
    index = spare_.back();
    spare_.pop_back();
  }
  entries_[static_cast<std::size_t>(index)] = {message, comm};
  return first_message + index;
}

Messages::Entry Messages::take(MPI_Message handle) {
  const auto index = static_cast<std::size_t>(handle - first_message);
  if (handle < first_message || index >= entries_.size() || !entries_[index].message)
    throw Error{MPI_ERR_REQUEST, "invalid message (no matched probe has found it, or it has been received)"};
  spare_.push_back(static_cast<int>(index));
  return std::exchange(entries_[index], {});
}

std::shared_ptr<Communicator> Communicators::share(MPI_Comm comm) const {
  find(comm);
  return known_.at(comm);
}

[[gnu::hot]] Communicator& Communicators::find(MPI_Comm comm) const {
  if (comm == last_) return *last_found_;
  const auto it = known_.find(comm);
  if (it == known_.end()) throw Error{MPI_ERR_COMM, "invalid communicator"};
  last_ = comm;
  last_found_ = it->second.get();
  return *last_found_;
}

void Communicators::add_predefined(int number, int size) {
  add(MPI_COMM_WORLD, Communicator(2, rank::Members::evenly(0, size), number));
  // The context is equal on all ranks: only a rank itself sends with it.
  add(MPI_COMM_SELF, Communicator(4, rank::Members::evenly(number, 1), 0));
  last_found_ = known_.at(MPI_COMM_WORLD).get();
}

match::Context Communicators::new_context() {
  named_ += 2;
  return (static_cast<std::uint64_t>(process->self.number) + 1) << 40 | named_ << 1;
}

void Communicators::add(MPI_Comm comm, Communicator made) {
  known_[comm] = std::make_shared<Communicator>(std::move(made));
}

MPI_Comm Communicators::lone() {
  if (lone_ != MPI_COMM_NULL) return lone_;
  MPI_Group self;
  PMPI_Comm_group(MPI_COMM_SELF, &self);
  PMPI_Comm_create_group(MPI_COMM_SELF, self, 0, &lone_);
  PMPI_Group_free(&self);
  PMPI_Comm_set_errhandler(lone_, MPI_ERRORS_RETURN);
  return lone_;
}

MPI_Comm Communicators::handling(MPI_Comm comm) const {
  return with_handler_.count(comm) > 0 ? comm : MPI_COMM_WORLD;
}

// MPICH reports its own errors to the handler of the stand-in, which has a copy of MPI_COMM_WORLD's.
void Communicators::gave_handler(MPI_Comm comm) {
  with_handler_.insert(comm);
  if (comm != MPI_COMM_WORLD) return;
  MPI_Errhandler handler;
  PMPI_Comm_get_errhandler(comm, &handler);
  for (const auto& [handle, communicator] : known_)
    if (handle != MPI_COMM_WORLD && handle != MPI_COMM_SELF && with_handler_.count(handle) == 0)
      PMPI_Comm_set_errhandler(handle, handler);
  PMPI_Errhandler_free(&handler);
}

void Communicators::inherit_handler(MPI_Comm parent, MPI_Comm made) {
  const bool own = with_handler_.count(parent) > 0;
  MPI_Errhandler handler;
  PMPI_Comm_get_errhandler(own ? parent : MPI_COMM_WORLD, &handler);
  PMPI_Comm_set_errhandler(made, handler);
  PMPI_Errhandler_free(&handler);
  if (own)
    with_handler_.insert(made);
  else
    with_handler_.erase(made);
}

void Communicators::remove(MPI_Comm comm) {
  const auto it = known_.find(comm);
  last_ = MPI_COMM_WORLD;
  last_found_ = known_.at(MPI_COMM_WORLD).get();
  if (process->rank->failures().noticed()) freed_.push_back(std::move(it->second));
  known_.erase(it);
}

}  // namespace emu::mpi
