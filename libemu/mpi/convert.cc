#include "mpi/convert.h"

#include <unordered_map>

#include "base/units.h"
#include "mpi/elements.h"
#include "mpi/objects.h"

namespace emu::mpi {

// A datatype that is needed after the call that named it. It is the program's until the
// program frees it. There is no copy for each buffer, because with more than a thousand
// datatypes MPICH packs too few bytes of some that were made after others were freed.
struct Kept {
  MPI_Datatype type;
  std::int64_t users = 0;
  bool own = false;  // a copy, because the program has freed its own
};

namespace {

// MPI_Pack refuses the address 0, which is MPI_BOTTOM: such elements get a datatype with moved displacements.
class PackedElements {
 public:
  PackedElements(const void* address, MPI_Count count, MPI_Datatype type)
      : address(const_cast<void*>(address)),
        count(count),
        type(type),
        moved_(address == MPI_BOTTOM && count > 0) {
    if (!moved_) return;
    const MPI_Count back = -shift;
    PMPI_Type_create_hindexed_c(1, &count, &back, type, &this->type);
    PMPI_Type_commit(&this->type);
    this->address = reinterpret_cast<void*>(shift);
    this->count = 1;
  }
  ~PackedElements() {
    if (moved_) PMPI_Type_free(&type);
  }
  PackedElements(const PackedElements&) = delete;

  void* address;
  MPI_Count count;
  MPI_Datatype type;

 private:
  static constexpr MPI_Aint shift = 4096;
  bool moved_;
};

// By the program's handle, while that is valid.
auto& kept_types = *new std::unordered_map<MPI_Datatype, Kept*>;

extern const rank::Layout derived, derived_kept, derived_lent;

Kept& kept_of(const rank::Buffer& buffer) { return *reinterpret_cast<Kept*>(buffer.type); }

MPI_Datatype type_of(const rank::Buffer& buffer) {
  return buffer.layout == &derived ? static_cast<MPI_Datatype>(buffer.type) : kept_of(buffer).type;
}

void pack_buffer(const rank::Buffer& from, std::byte* to) {
  pack(from.address, from.count, type_of(from), to, from.bytes);
}

bool unpack_buffer(const rank::Buffer& to, const std::byte* from, model::Bytes bytes) {
  if (bytes == 0) return true;
  const MPI_Datatype type = type_of(to);
  const model::Bytes element = to.bytes / to.count, whole = bytes / element, rest = bytes % element;
  unpack(from, whole * element, to.address, whole, type);
  if (rest == 0) return true;
  MPI_Count lower, extent;
  PMPI_Type_get_extent_c(type, &lower, &extent);
  // MPI_Unpack accepts whole elements only.
  return unpack_front(from + whole * element, rest, static_cast<std::byte*>(to.address) + whole * extent,
                      type);
}

Kept* kept_for_one_more(MPI_Datatype type) {
  Kept*& kept = kept_types[type];
  if (!kept) kept = new Kept{type};
  ++kept->users;
  return kept;
}

void let_go(Kept* kept) {
  if (--kept->users > 0) return;
  if (kept->own)
    PMPI_Type_free(&kept->type);
  else
    kept_types.erase(kept->type);
  delete kept;
}

void release_type(const rank::Buffer& buffer) { let_go(&kept_of(buffer)); }

const rank::Layout derived{&pack_buffer, &unpack_buffer, nullptr};
const rank::Layout derived_kept{&pack_buffer, &unpack_buffer, &release_type};
const rank::Layout derived_lent{&pack_buffer, &unpack_buffer, nullptr};  // of a kept datatype

[[gnu::cold, noreturn]] void invalid_tag(int tag) {
  throw Error{MPI_ERR_TAG, "invalid tag " + std::to_string(tag)};
}

[[gnu::cold, noreturn]] void invalid_rank(int rank, int size) {
  throw Error{MPI_ERR_RANK,
              "invalid rank " + std::to_string(rank) + " in a communicator of size " + std::to_string(size)};
}

[[gnu::hot]] void check_tag(int tag, bool receives) {
  if ((tag >= 0 && tag <= process->self.largest_tag) || (receives && tag == MPI_ANY_TAG)) return;
  invalid_tag(tag);
}

[[gnu::hot]] void check_peer(int peer, const rank::Communicator& comm, bool receives) {
  if ((peer >= 0 && peer < comm.size()) || peer == MPI_PROC_NULL || (receives && peer == MPI_ANY_SOURCE))
    return;
  invalid_rank(peer, comm.size());
}

static_assert(MPI_ANY_SOURCE == match::any_source && MPI_ANY_TAG == match::any_tag &&
              MPI_PROC_NULL == rank::proc_null);

// MPICH checks it when it packs.
bool committed(MPI_Datatype type) {
  std::byte none{};
  MPI_Count position = 0;
  return PMPI_Pack_c(&none, 0, type, &none, 0, &position, objects->communicators.lone()) == MPI_SUCCESS;
}

// `last`: the predefined type of the last lookup.
[[gnu::noinline]] Type look_up(MPI_Datatype handle, Type& last) {
  // Predefined types exist for ever, so their properties remain valid.
  static auto& predefined = *new std::unordered_map<MPI_Datatype, Type>;
  if (const auto it = predefined.find(handle); it != predefined.end()) return last = it->second;
  Type type{handle};
  int combiner;
  MPI_Aint lower;
  MPI_Count integers, addresses, counts, types, size = 0;
  if (handle == MPI_DATATYPE_NULL || PMPI_Type_size_c(handle, &size) != MPI_SUCCESS)
    throw Error{MPI_ERR_TYPE, "invalid datatype"};
  type.size = size;
  PMPI_Type_get_extent(handle, &lower, &type.extent);
  PMPI_Type_get_envelope_c(handle, &integers, &addresses, &counts, &types, &combiner);
  if (combiner == MPI_COMBINER_NAMED) {
    type.contiguous = lower == 0 && type.extent == size;
    last = predefined[handle] = type;
  } else if (!committed(handle)) {
    throw Error{MPI_ERR_TYPE, "the datatype is not committed"};
  }
  return type;
}

}  // namespace

void pack(const void* from, model::Bytes count, MPI_Datatype type, std::byte* to, model::Bytes bytes) {
  if (count == 0) return;
  const PackedElements elements(from, count, type);
  MPI_Count position = 0;
  PMPI_Pack_c(elements.address, elements.count, elements.type, to, bytes, &position, MPI_COMM_SELF);
}

void unpack(const std::byte* from, model::Bytes bytes, void* to, model::Bytes count, MPI_Datatype type) {
  if (count == 0) return;
  const PackedElements elements(to, count, type);
  MPI_Count position = 0;
  PMPI_Unpack_c(from, bytes, &position, elements.address, elements.count, elements.type, MPI_COMM_SELF);
}

[[gnu::hot]] Type type_of(MPI_Datatype handle) {
  static Type last{MPI_DATATYPE_NULL};
  return handle == last.handle && handle != MPI_DATATYPE_NULL ? last : look_up(handle, last);
}

[[gnu::hot]] rank::Buffer buffer_of(const void* address, MPI_Count count, MPI_Datatype handle) {
  if (count < 0) throw Error{MPI_ERR_COUNT, "negative count " + std::to_string(count)};
  if (count == 0 && handle == MPI_DATATYPE_NULL) return {};  // MPICH ignores the type then
  const Type type = type_of(handle);
  rank::Buffer buffer = rank::Buffer::contiguous(address, count * type.size);
  if (type.contiguous && buffer.bytes > 0 && !address)
    throw Error{MPI_ERR_BUFFER, "the buffer is a null pointer"};
  if (type.contiguous || buffer.bytes == 0) return buffer;
  buffer.layout = &derived;
  buffer.count = count;
  buffer.type = handle;
  return buffer;
}

KeptType::KeptType(MPI_Datatype type) : kept_(kept_for_one_more(type)) {}

KeptType::~KeptType() {
  if (kept_) let_go(kept_);
}

MPI_Datatype KeptType::type() const { return kept_->type; }

void keep_type(rank::Request& request) {
  if (!request.complete()) keep_type(request.buffer);
}

rank::Buffer borrowed(rank::Buffer buffer) {
  if (buffer.layout) buffer.layout = &derived_lent;
  return buffer;
}

void keep_type(rank::Buffer& buffer) {
  if (buffer.layout == &derived) {
    buffer.type = reinterpret_cast<std::intptr_t>(kept_for_one_more(static_cast<MPI_Datatype>(buffer.type)));
  } else if (buffer.layout == &derived_lent) {
    ++kept_of(buffer).users;
  } else {
    return;
  }
  buffer.layout = &derived_kept;
}

void keep_freed_type(MPI_Datatype type) {
  const auto found = kept_types.find(type);
  if (found == kept_types.end()) return;
  PMPI_Type_contiguous(1, type, &found->second->type);  // not MPI_Type_dup, which copies attributes
  PMPI_Type_commit(&found->second->type);
  found->second->own = true;
  kept_types.erase(found);
}

[[gnu::hot]] const rank::Communicator& sending(MPI_Comm comm, int to, int tag) {
  const rank::Communicator& c = objects->communicators.find(comm);
  check_peer(to, c, false);
  check_tag(tag, false);
  return c;
}

[[gnu::hot]] const rank::Communicator& receiving(MPI_Comm comm, int from, int tag) {
  const rank::Communicator& c = objects->communicators.find(comm);
  check_peer(from, c, true);
  check_tag(tag, true);
  return c;
}

void throw_no_status() { throw Error{MPI_ERR_ARG, "the status is a null pointer"}; }

[[gnu::hot]] void set_status(MPI_Status* out, const rank::Status& status) {
  if (out == MPI_STATUS_IGNORE) return;
  check_status(out);
  // The status that MPICH writes for this length: most messages are as long as the one before. Threads do not write it
  // at the same time, since the calling thread holds the lock of the rank.
  static struct {
    model::Bytes bytes = -1;
    bool cancelled = false;
    MPI_Status status{};
  } last;
  if (status.bytes != last.bytes || status.cancelled != last.cancelled) {
    PMPI_Status_set_cancelled(&last.status, status.cancelled ? 1 : 0);
    PMPI_Status_set_elements_x(&last.status, MPI_BYTE, status.bytes);
    last.bytes = status.bytes;
    last.cancelled = status.cancelled;
  }
  last.status.MPI_SOURCE = status.source;
  last.status.MPI_TAG = status.tag;
  last.status.MPI_ERROR = out->MPI_ERROR;  // belongs to calls that complete several requests
  *out = last.status;
}

void set_empty_status(MPI_Status* out) { set_status(out, rank::Status{}); }

void throw_misfit(const rank::Status& status, model::Bytes room) {
  if (status.source == MPI_ANY_SOURCE)
    check_lengths(status.truncated ? rank::Lengths::truncated : rank::Lengths::disagree);
  if (!status.truncated)
    throw Error{MPI_ERR_TRUNCATE, "a message of " + std::to_string(status.bytes) + " bytes from rank " +
                                      std::to_string(status.source) + ", tag " + std::to_string(status.tag) +
                                      ", ends inside an element of the receive buffer's datatype"};
  throw Error{MPI_ERR_TRUNCATE, "message truncated: " + std::to_string(status.bytes) + " bytes from rank " +
                                    std::to_string(status.source) + ", tag " + std::to_string(status.tag) +
                                    ", do not fit into the receive buffer of " + std::to_string(room) +
                                    " bytes"};
}

void throw_failed(int failed, int code) {
  const auto when = [](Instant at) { return format(at - Instant::start(), 9); };
  const int node = process->target.place(process->self.size)[static_cast<std::size_t>(failed)];
  throw Error{code, "rank " + std::to_string(failed) + " failed at " +
                        when(process->rank->failures().at(failed)) + " with its node, " +
                        std::to_string(node) + ", noticed at " + when(process->rank->now()) +
                        ". To continue, set MPI_ERRORS_RETURN or another error handler"};
}

void check_lengths(rank::Lengths lengths) {
  if (lengths == rank::Lengths::truncated)
    throw Error{MPI_ERR_TRUNCATE,
                "message truncated: another member contributes more than this one has room for"};
  if (lengths == rank::Lengths::disagree)
    throw Error{MPI_ERR_OTHER, "the members do not agree how long the data is"};
}

int run_unless_broken(rank::Rank& rank, const rank::Communicator& comm, const model::Schedule& schedule,
                      const rank::Rank::Memory& memory) {
  rank::Lengths lengths = rank::Lengths::agree;
  const int failed = rank.run(comm, comm.round, schedule, memory, &lengths);
  if (failed < 0) check_lengths(lengths);
  return failed;
}

void run(rank::Rank& rank, const rank::Communicator& comm, const model::Schedule& schedule,
         const rank::Rank::Memory& memory) {
  check_failed(run_unless_broken(rank, comm, schedule, memory));
}

Packed::Packed(const void* address, model::Bytes count, const Type& type)
    : address_(const_cast<void*>(address)), count_(count), type_(type), contiguous_(type.contiguous) {
  if (!contiguous_) copy_.resize(static_cast<std::size_t>(size()));
}

void Packed::load() {
  if (!contiguous_) pack(address_, count_, type_.handle, copy_.data(), size());
}

void Packed::store(model::Bytes first, model::Bytes count) {
  if (contiguous_) return;
  unpack(copy_.data() + first * type_.size, count * type_.size,
         static_cast<std::byte*>(address_) + first * type_.extent, count, type_.handle);
}

}  // namespace emu::mpi
