#include "io/file_access.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "io/romio.h"
#include "model/collectives.h"
#include "mpi/convert.h"
#include "mpi/objects.h"
#include "process/log.h"

namespace emu::mpi {

namespace {

// Size of the range of an access, which ROMIO exchanges before a collective one.
constexpr model::Bytes range = 16;

// Transfers the data. Returns the number of bytes.
model::Bytes move(File& file, Where where, const Transfer& t, MPI_Status* status) {
  MPI_Status own{};
  MPI_Status* const found = status == MPI_STATUS_IGNORE ? &own : status;
  romio(file.handle, [&] {
    if (where.pointer == Where::Pointer::individual)
      return t.writes ? PMPI_File_write_c(file.handle, t.memory, t.count, t.type, found)
                      : PMPI_File_read_c(file.handle, t.memory, t.count, t.type, found);
    return t.writes ? PMPI_File_write_at_c(file.handle, where.offset, t.memory, t.count, t.type, found)
                    : PMPI_File_read_at_c(file.handle, where.offset, t.memory, t.count, t.type, found);
  });
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(found, MPI_BYTE, &bytes);
  return std::max<model::Bytes>(bytes, 0);
}

// Elements of the view; 0 for invalid arguments, which ROMIO will report.
long elements(const File& file, const Transfer& t) {
  MPI_Count size = 0;
  if (t.type == MPI_DATATYPE_NULL || PMPI_Type_size_x(t.type, &size) != MPI_SUCCESS) return 0;
  return t.count > 0 && file.etype > 0 ? t.count * size / file.etype : 0;
}

// The values of all members.
std::vector<long> of_all(rank::Rank& rank, const rank::Communicator& members, long own) {
  std::vector<long> all(static_cast<std::size_t>(members.size()));
  run(rank, members, model::allgather(members.rank, members.size(), sizeof own),
      {reinterpret_cast<const std::byte*>(&own), reinterpret_cast<std::byte*>(all.data()), nullptr, nullptr});
  return all;
}

// Each member's part follows those of the preceding members; the shared pointer moves behind all of them.
Where in_order(rank::Rank& rank, File& file, const Transfer& t) {
  const std::vector<long> all = of_all(rank, file.members, elements(file, t));
  const auto own = all.begin() + file.members.rank;
  const MPI_Offset total = std::accumulate(all.begin(), all.end(), MPI_Offset{0});
  if (!file.pointer)
    return at(std::exchange(file.shared, file.shared + total) +
              std::accumulate(all.begin(), own, MPI_Offset{0}));
  const long first = of_first(rank, file.members, file.members.rank == 0 ? file.pointer->move(total) : 0);
  return at(first + std::accumulate(all.begin(), own, MPI_Offset{0}));
}

// The position of a member's own access. An access that ROMIO will refuse moves no pointer.
Where alone(File& file, Where where, const Transfer& t) {
  if (where.pointer != Where::Pointer::shared) {
    check_pointers(file);
    return where;
  }
  const int forbids = t.writes ? MPI_MODE_RDONLY : MPI_MODE_WRONLY;
  if ((file.mode & forbids) != 0) return at(0);
  if (!file.pointer)
    stop_job(of_rank(process->calls.last) +
                 "moves the shared pointer of a file for one rank, but neither the program nor its libraries "
                 "refer to such functions (expected EMU_ONE_SIDED=1 for all ranks)",
             1);
  return at(file.pointer->move(elements(file, t)));
}

// Messages before a collective access. Returns the position of the access.
Where meet(rank::Rank& rank, File& file, Where where, const Transfer& t) {
  if (where.pointer == Where::Pointer::ordered) return in_order(rank, file, t);
  check_pointers(file);
  const std::byte own[range]{};
  std::vector<std::byte> all(static_cast<std::size_t>(range * file.members.size()));
  run(rank, file.members, model::allgather(file.members.rank, file.members.size(), range),
      {own, all.data(), nullptr, nullptr});
  return where;
}

model::Schedule background_schedule(const rank::Communicator& members, model::Bytes bytes) {
  using Kind = model::Step::Kind;
  model::Schedule schedule = model::allgather(members.rank, members.size(), range);
  schedule.steps.push_back({.kind = Kind::access, .slice = {.bytes = bytes}, .from = {}});
  schedule.steps.push_back({.kind = Kind::wait, .slice = {}, .from = {}});
  return schedule;
}

std::unique_ptr<SharedAccess> shared_access(rank::Rank& rank, File& file, Where where, const Transfer& t,
                                            MPI_Status* status) {
  // The order of the ranks must be known before the transfer.
  if (where.pointer == Where::Pointer::ordered)
    where = in_order(rank, file, t);
  else
    check_pointers(file);
  const model::Bytes bytes = move(file, where, t, status);
  note_access();
  queue_up(bytes);
  auto access = std::make_unique<SharedAccess>(rank, objects->files.find(file.handle), bytes);
  return access;
}

}  // namespace

SharedAccess::SharedAccess(rank::Rank& rank, std::shared_ptr<File> file, model::Bytes bytes)
    : file_(std::move(file)),
      schedule_(background_schedule(file_->members, bytes)),
      own_(range),
      all_(static_cast<std::size_t>(range * file_->members.size())),
      background_(rank.start(file_->members, rank::Background::next_tag(file_->members), schedule_,
                             {own_.data(), all_.data(), nullptr, nullptr}, {process->calls.last})) {
  background_->says(rank::Status{.bytes = bytes});
}

void access_alone(rank::Rank& rank, File& file, Where where, const Transfer& transfer, MPI_Status* status) {
  where = alone(file, where, transfer);
  pay(rank, move(file, where, transfer, status));
}

void access_together(rank::Rank& rank, File& file, Where where, const Transfer& transfer,
                     MPI_Status* status) {
  where = meet(rank, file, where, transfer);
  pay(rank, move(file, where, transfer, status));
}

MPI_Request start_alone(rank::Rank& rank, File& file, Where where, const Transfer& transfer) {
  where = alone(file, where, transfer);
  const model::Bytes bytes = move(file, where, transfer, MPI_STATUS_IGNORE);
  note_access();
  queue_up(bytes);
  return objects->requests.add(rank.start_access(bytes, rank::Status{.bytes = bytes}), MPI_COMM_WORLD);
}

MPI_Request start_together(rank::Rank& rank, File& file, Where where, const Transfer& transfer) {
  auto access = shared_access(rank, file, where, transfer, MPI_STATUS_IGNORE);
  rank::Request* const request = access->request();
  return objects->requests.add(request, MPI_COMM_WORLD, std::move(access));
}

void begin_together(rank::Rank& rank, File& file, Where where, const Transfer& transfer) {
  if (file.split) throw Error{MPI_ERR_IO, "a split collective operation of this file is under way already"};
  file.split = shared_access(rank, file, where, transfer, &file.found);
}

void end_together(rank::Rank& rank, File& file, MPI_Status* status) {
  if (!file.split) throw Error{MPI_ERR_IO, "no split collective operation of this file has begun"};
  const std::shared_ptr<SharedAccess> access = std::exchange(file.split, nullptr);
  rank::Request* const request = access->request();
  rank.wait_all({&request, 1});
  const rank::Status found = request->status;
  rank.free(request);
  check_failed(found);
  if (status != MPI_STATUS_IGNORE) *status = file.found;
}

}  // namespace emu::mpi
