// Entry points that duplicate communicators in the background. The agreement of the members proceeds as steps of a
// collective; the duplicate exists when the request is complete.

#include <mpi.h>

#include <memory>
#include <optional>
#include <utility>

#include "collective/collective_call.h"
#include "comm/creation_messages.h"
#include "comm/intercommunicators.h"
#include "mpi/entry.h"
#include "mpi/objects.h"

using emu::mpi::Entry;
using emu::mpi::present;
using emu::rank::Rank;
namespace creation = emu::mpi::creation;

namespace emu::mpi {

namespace {

class Duplication final : public Composite {
 public:
  // `copy`: the handle that the program already has; MPI_COMM_NULL: this process has no room for another communicator.
  Duplication(const char* call, MPI_Comm comm, MPI_Comm copy)
      : call_(call), from_(objects->communicators.share(comm)), copy_(copy) {
    const bool room = copy != MPI_COMM_NULL;
    if (from_->inter())
      agreement_.emplace(*from_, sides_of(*from_), room);
    else
      agreement_.emplace(*from_, room);
  }
  ~Duplication() override {
    if (copy_ == MPI_COMM_NULL) return;
    try {
      creation::drop(call_, copy_);
    } catch (const Error&) {  // from a callback: no caller can handle it
    }
  }
  rank::Request* start(Rank& rank) {
    rank::Communicator& members = from_->inter() ? *from_->both : *from_;
    background_ = rank.start(members, rank::Background::next_tag(members), agreement_->schedule(),
                             agreement_->memory());
    return background_->request();
  }
  void store() override {
    if (copy_ == MPI_COMM_NULL || lacks_room()) return;
    objects->communicators.add(copy_, creation::duplicated(*from_, agreement_->name()));
    copy_ = MPI_COMM_NULL;
  }
  void check() const override { creation::check_room(agreement_->name()); }

 private:
  bool lacks_room() const { return creation::lacks_room(agreement_->name()); }

  const char* const call_;
  const std::shared_ptr<Communicator> from_;
  MPI_Comm copy_;  // null: it belongs to the program
  std::optional<creation::ContextAgreement> agreement_;
  std::unique_ptr<rank::Background> background_;
};

void duplicate(Rank& rank, const char* call, MPI_Comm comm, const MPI_Info* info, MPI_Comm* out,
               MPI_Request* request) {
  objects->communicators.find(comm);
  present(out);
  present(request);
  const MPI_Comm copy = creation::copied_stand_in(call, comm, info);
  auto duplication = std::make_unique<Duplication>(call, comm, copy);
  rank::Request* const started = duplication->start(rank);
  *out = copy;
  *request = objects->requests.add(started, comm, std::move(duplication));
}

}  // namespace

}  // namespace emu::mpi

extern "C" int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* out, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Comm_idup(comm, out, request);
  return entry.run(
      comm, [&](Rank& rank) { emu::mpi::duplicate(rank, "MPI_Comm_idup", comm, nullptr, out, request); });
}

extern "C" int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* out, MPI_Request* request) {
  const Entry entry(__func__);
  if (entry.native()) return PMPI_Comm_idup_with_info(comm, info, out, request);
  return entry.run(comm, [&](Rank& rank) {
    emu::mpi::duplicate(rank, "MPI_Comm_idup_with_info", comm, &info, out, request);
  });
}
