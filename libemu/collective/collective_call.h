// A collective operation of the program, ready to be carried out: its schedule, and its data as packed bytes.
// All forms of the operation share it: a blocking call carries it out, or a request represents it, once or
// any number of times.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/intercollectives.h"
#include "model/two_level.h"
#include "mpi/convert.h"
#include "mpi/entry.h"
#include "mpi/objects.h"
#include "p2p/composite.h"
#include "rank/protocols/background.h"

namespace emu::mpi {

// The counts or displacements of an operation with different parts, of any integer type.
class Numbers {
 public:
  Numbers(const int* numbers) : narrow_(numbers) {}
  Numbers(const long* numbers) : wide_(numbers) {}  // MPI_Count and MPI_Aint
  model::Bytes operator[](int i) const { return narrow_ ? narrow_[i] : wide_[i]; }
  bool operator==(const Numbers&) const = default;  // compares the addresses

 private:
  const int* narrow_ = nullptr;
  const long* wide_ = nullptr;
};

// The parts of a v-operation as packed bytes in rank order, and their places in the
// program's memory. All functions throw Error for invalid counts and datatypes.
class Parts {
 public:
  Parts() = default;
  // `count` parts of one type; displacements are in its extents.
  Parts(const void* address, const Numbers& counts, const Numbers& displacements, int count,
        const Type& type);
  // Each part has its own type; displacements are in bytes. The type of an empty part is ignored.
  Parts(const void* address, const Numbers& counts, const Numbers& displacements, int count,
        const MPI_Datatype* types);
  bool any() const { return !blocks_.empty(); }
  std::byte* bytes() { return base_ ? base_ : copy_.data(); }
  std::vector<Packed>& copies() { return parts_; }
  const std::vector<model::Block>& blocks() const { return blocks_; }
  void load();
  void store();

 private:
  void add(std::byte* address, model::Bytes count, const Type& type);

  std::byte* base_ = nullptr;  // null: in copy_
  std::vector<model::Block> blocks_;
  std::vector<Packed> parts_;
  std::vector<std::byte> copy_;
};

// Elements in the program's memory. Throws Error for an invalid count or datatype.
Packed elements(const void* address, model::Bytes count, MPI_Datatype type);

// Throw Error: for a null pointer with a count above 0; if a rank's contribution is at the place of the result.
void check_memory(const void* address, model::Bytes count, const Type& type);
void check_apart(const void* given, const void* result);
// Throws Error if a rank's own part does not fit into its place in the result, for which there is no message.
void check_own_part(model::Bytes given, model::Bytes room);
// Throws Error if `op` is a predefined operation that does not apply to elements of `type`.
void check_operation(MPI_Op op, const Type& type);

// A reduction operation on packed bytes.
class Operator {
 public:
  Operator(MPI_Op op, const Type& type) : op_(op), type_(type) {
    if (op == MPI_OP_NULL || PMPI_Op_commutative(op, &commutative_) != MPI_SUCCESS)
      throw Error{MPI_ERR_OP, "invalid operation"};
    predefined_ = op == MPI_SUM || op == MPI_PROD || op == MPI_MAX || op == MPI_MIN || op == MPI_LAND ||
                  op == MPI_BAND || op == MPI_LOR || op == MPI_BOR || op == MPI_LXOR || op == MPI_BXOR ||
                  op == MPI_MAXLOC || op == MPI_MINLOC || op == MPI_REPLACE || op == MPI_NO_OP;
  }

  // Handles of operations and datatypes have different values.
  bool predefined() const { return predefined_; }
  bool is(int handle) const { return handle == op_ || handle == type_.handle; }
  model::Reduction reduction(model::Bytes count) const {
    return {count, std::max<model::Bytes>(type_.size, 1), commutative_ != 0, predefined_};
  }
  rank::Memory memory(const std::byte* input, std::byte* output) {
    return {input, output, &combine, this, predefined_};
  }

 private:
  static void combine(void* self, const std::byte* from, std::byte* into, model::Bytes bytes) {
    static_cast<Operator*>(self)->apply(from, into, bytes);
  }
  void apply(const std::byte* from, std::byte* into, model::Bytes bytes) {
    const model::Bytes count = bytes / std::max<model::Bytes>(type_.size, 1);
    if (count == 0) return;
    if (type_.contiguous) {
      check(operate(from, into, count));
      return;
    }
    // The operation expects elements in the datatype's memory layout.
    MPI_Aint lower, true_extent, lower_bound, extent;
    PMPI_Type_get_true_extent(type_.handle, &lower, &true_extent);
    PMPI_Type_get_extent(type_.handle, &lower_bound, &extent);
    const auto room = static_cast<std::size_t>(std::max<MPI_Aint>(extent, 0) * (count - 1) + true_extent);
    std::vector<std::byte> a(room), b(room);
    std::byte *const pa = a.data() - lower, *const pb = b.data() - lower;
    unpack(from, bytes, pa, count, type_.handle);
    unpack(into, bytes, pb, count, type_.handle);
    check(operate(pa, pb, count));
    pack(pb, count, type_.handle, into, bytes);
  }
  int operate(const void* from, void* into, model::Bytes count) {
    std::optional<OwnOperation> own;
    if (!predefined_) own.emplace();
    return PMPI_Reduce_local_c(from, into, count, type_.handle, op_);
  }
  static void check(int code) {
    if (code != MPI_SUCCESS) throw Error{MPI_ERR_OP, "the operation does not fit the datatype"};
  }

  MPI_Op op_;
  Type type_;
  int commutative_ = 1;
  bool predefined_ = true;
};

// An intercommunicator as this rank sees it.
inline model::Sides sides_of(const Communicator& inter) {
  return {inter.rank, inter.group.size(), inter.world.size(), inter.first};
}

class CollectiveCall final : public Composite {
 public:
  // Throws Error for an unknown communicator.
  explicit CollectiveCall(MPI_Comm comm)
      : name_(process->calls.last),
        handle_(comm),
        made_(objects->communicators.find(comm)),
        comm_(made_.inter() ? *made_.both : made_) {}
  CollectiveCall(const CollectiveCall&) = delete;

  // --- set by the functions that prepare a call (mpi/functions/prepare.h.in); they throw Error for invalid arguments
  // The communicator of the steps; for an intercommunicator, it has the members of both groups.
  const rank::Communicator& members() const { return comm_; }
  const Communicator& communicator() const { return made_; }
  bool inter() const { return made_.inter(); }
  // Its members by nodes, if `as` is an algorithm by node leaders for this operation; otherwise null.
  const model::NodeGroups* by_nodes(const model::AlgorithmQuery& asked, model::Algorithm as);
  const rank::Communicator& rooted(int root);
  // For the deadlock report: the bytes from or to each rank, on which members must agree, like the root.
  void agree(model::Bytes bytes) { bytes_ = bytes; }
  void combine_with(MPI_Op op, const Type& type) {
    with.emplace(op, type);
    if (with->predefined()) check_operation(op, type);
  }

  Packed input, output;
  Parts inputs, outputs;         // replace the former
  std::optional<Operator> with;  // of a reduction
  bool given_in_output = false;  // this rank's contribution is in output, or outputs
  model::Schedule schedule;
  // Number of elements of the result that are stored in output, or in outputs.
  model::Bytes stored = 0;

  // --- execution. These functions throw Error if the failure of a member broke the operation.
  void run(rank::Rank& rank);
  // Starts in the background, possibly again when the preceding execution is over.
  // The program may free the communicator and the result's datatypes meanwhile.
  rank::Request* start(rank::Rank& rank);
  // Called before the first start: the program may free the communicator
  // and all datatypes, and may start at other times than other members.
  void keep();
  void store() override;
  bool uses(int handle) const override { return with && with->is(handle); }

 private:
  rank::Memory memory();
  void load();
  void keep_type(Packed& packed);
  void keep_types(Packed& packed, Parts& parts);
  void use_kept_types();

  const char* const name_;  // the function that the program called
  const MPI_Comm handle_;
  Communicator& made_;
  rank::Communicator& comm_;
  std::shared_ptr<rank::Communicator> shared_;  // comm_, in the background
  int root_ = -1;                               // none
  model::Bytes bytes_ = -1;                     // members need not agree
  int tag_ = -1;                                // in the background
  std::unique_ptr<rank::Background> background_;
  std::vector<std::pair<Packed*, KeptType>> kept_;
  bool over_ = false;
};

}  // namespace emu::mpi
