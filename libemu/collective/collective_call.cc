#include "collective/collective_call.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "mpi/objects.h"

namespace emu::mpi {

namespace {

void check_count(model::Bytes count, int part) {
  if (count < 0)
    throw Error{MPI_ERR_COUNT,
                "negative count " + std::to_string(count) + " for rank " + std::to_string(part)};
}

// The tag of the messages of a blocking operation. Each function has its own, as in MPICH, so that messages of a failed
// call match no other operation. `call`: the function; another member may have called its form with large counts.
int tag_of(std::string_view call) {
  constexpr int most = 1 << 16;
  if (call.ends_with("_c")) call.remove_suffix(2);
  std::uint32_t sum = 2166136261;  // FNV-1a
  for (const char c : call) sum = (sum ^ static_cast<unsigned char>(c)) * 16777619;
  return 1 + static_cast<int>(sum % most);
}

std::byte* byte_at(const void* address, model::Bytes displacement) {
  return static_cast<std::byte*>(const_cast<void*>(address)) + displacement;
}

}  // namespace

Packed elements(const void* address, model::Bytes count, MPI_Datatype type) {
  if (count < 0) throw Error{MPI_ERR_COUNT, "negative count " + std::to_string(count)};
  const Type t = type_of(type);
  check_memory(address, count, t);
  return Packed(address, count, t);
}

void check_memory(const void* address, model::Bytes count, const Type& type) {
  if (!address && type.contiguous && count * type.size > 0)
    throw Error{MPI_ERR_BUFFER, "the buffer is a null pointer"};
}

void check_apart(const void* given, const void* result) {
  if (given && given == result && given != MPI_IN_PLACE)
    throw Error{MPI_ERR_BUFFER, "the contribution is in the buffer of the result; use MPI_IN_PLACE"};
}

void check_own_part(model::Bytes given, model::Bytes room) {
  if (given > room)
    throw Error{MPI_ERR_TRUNCATE, "this rank's own part, of " + std::to_string(given) +
                                      " bytes, does not fit into its place of " + std::to_string(room)};
}

// MPICH is asked once for each pair. The answer is for libemu, not for the program's error handlers.
void check_operation(MPI_Op op, const Type& type) {
  static auto& known = *new std::unordered_map<std::int64_t, bool>;
  const std::int64_t pair = std::int64_t{op} << 32 | static_cast<std::uint32_t>(type.handle);
  const auto found = known.find(pair);
  bool fits = found != known.end() && found->second;
  if (found == known.end()) {
    constexpr MPI_Comm asked[] = {MPI_COMM_WORLD, MPI_COMM_SELF};
    MPI_Errhandler before[2];
    for (int i = 0; i < 2; ++i) {
      PMPI_Comm_get_errhandler(asked[i], &before[i]);
      PMPI_Comm_set_errhandler(asked[i], MPI_ERRORS_RETURN);
    }
    int integers, addresses, types, combiner;
    std::int64_t a[4] = {}, b[4] = {};
    PMPI_Type_get_envelope(type.handle, &integers, &addresses, &types, &combiner);
    const bool named = combiner == MPI_COMBINER_NAMED;
    fits = op != MPI_REPLACE && op != MPI_NO_OP &&
           PMPI_Reduce_local(a, b, named ? 1 : 0, type.handle, op) == MPI_SUCCESS;
    for (int i = 0; i < 2; ++i) {
      PMPI_Comm_set_errhandler(asked[i], before[i]);
      PMPI_Errhandler_free(&before[i]);
    }
    if (named) known[pair] = fits;  // other handles may be reused for other types
  }
  if (!fits) throw Error{MPI_ERR_OP, "the operation is not defined for elements of this datatype"};
}

void Parts::add(std::byte* address, model::Bytes count, const Type& type) {
  const model::Bytes size = count * type.size;
  const auto offset = static_cast<model::Bytes>(copy_.size());
  blocks_.push_back({base_ ? address - base_ : offset, size});
  if (base_) return;
  parts_.emplace_back(address, count, type);
  copy_.resize(copy_.size() + static_cast<std::size_t>(size));
}

Parts::Parts(const void* address, const Numbers& counts, const Numbers& displacements, int count,
             const Type& type) {
  if (type.contiguous) base_ = byte_at(address, 0);
  for (int i = 0; i < count; ++i) {
    check_count(counts[i], i);
    add(byte_at(address, displacements[i] * type.extent), counts[i], type);
  }
}

Parts::Parts(const void* address, const Numbers& counts, const Numbers& displacements, int count,
             const MPI_Datatype* types) {
  std::vector<Type> all;
  for (int i = 0; i < count; ++i) {
    check_count(counts[i], i);
    all.push_back(type_of(counts[i] > 0 ? types[i] : MPI_BYTE));
  }
  if (std::all_of(all.begin(), all.end(), [](const Type& t) { return t.contiguous; }))
    base_ = byte_at(address, 0);
  for (int i = 0; i < count; ++i)
    add(byte_at(address, displacements[i]), counts[i], all[static_cast<std::size_t>(i)]);
}

void Parts::load() {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    parts_[i].load();
    std::copy_n(parts_[i].bytes(), blocks_[i].bytes, copy_.data() + blocks_[i].offset);
  }
}

void Parts::store() {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    std::copy_n(copy_.data() + blocks_[i].offset, blocks_[i].bytes, parts_[i].bytes());
    parts_[i].store();
  }
}

const model::NodeGroups* CollectiveCall::by_nodes(const model::AlgorithmQuery& asked, model::Algorithm as) {
  if (as != model::Algorithm::mpich || !process->target.shares_nodes()) return nullptr;
  if (!made_.node_groups)
    made_.node_groups = std::make_shared<model::NodeGroups>(comm_.rank, comm_.size(), [&](int member) {
      return process->network->place(comm_.world[member]).node;
    });
  return model::takes_nodes(*made_.node_groups, asked) ? made_.node_groups.get() : nullptr;
}

const rank::Communicator& CollectiveCall::rooted(int root) {
  if (root < 0 || root >= comm_.size())
    throw Error{MPI_ERR_ROOT, "invalid root " + std::to_string(root) + " in a communicator of size " +
                                  std::to_string(comm_.size())};
  root_ = root;
  return comm_;
}

[[gnu::hot]] rank::Memory CollectiveCall::memory() {
  const std::byte* const from = inputs.any() ? inputs.bytes() : input.bytes();
  std::byte* const to = outputs.any() ? outputs.bytes() : output.bytes();
  return with ? with->memory(from, to) : rank::Memory{from, to, nullptr, nullptr};
}

[[gnu::hot]] void CollectiveCall::load() {
  use_kept_types();
  input.load();
  inputs.load();
  if (!given_in_output) return;
  output.load();
  outputs.load();
}

[[gnu::hot]] void CollectiveCall::run(rank::Rank& rank) {
  load();
  if (!inter()) rank.joins(comm_, root_, bytes_);
  rank::Lengths lengths = rank::Lengths::agree;
  check_failed(rank.run(comm_, tag_of(process->calls.last), schedule, memory(), &lengths));
  store();
  check_lengths(lengths);
}

void CollectiveCall::keep_type(Packed& packed) {
  if (!packed.contiguous()) kept_.emplace_back(&packed, KeptType(packed.type()));
}

// The types are copies once the program has freed its own.
void CollectiveCall::use_kept_types() {
  for (const auto& [packed, kept] : kept_) packed->type() = kept.type();
}

void CollectiveCall::keep_types(Packed& packed, Parts& parts) {
  keep_type(packed);
  for (Packed& part : parts.copies()) keep_type(part);
}

void CollectiveCall::keep() {
  keep_types(input, inputs);
  keep_types(output, outputs);
  shared_ = objects->communicators.share(handle_);
  tag_ = rank::Background::next_tag(comm_);
}

rank::Request* CollectiveCall::start(rank::Rank& rank) {
  if (!shared_) {
    keep_types(output, outputs);
    shared_ = objects->communicators.share(handle_);
    tag_ = rank::Background::next_tag(comm_);
  }
  load();
  over_ = false;
  // Groups of an intercommunicator name the root differently.
  const rank::Named named = inter() ? rank::Named{name_} : rank::Named{name_, root_, bytes_};
  background_ = rank.start(comm_, tag_, schedule, memory(), named);
  return background_->request();
}

[[gnu::hot]] void CollectiveCall::store() {
  if (over_) return;
  over_ = true;
  use_kept_types();
  if (stored > 0) output.store(0, stored);
  outputs.store();
}

}  // namespace emu::mpi
