#include "reduce/library/transport.h"

#include <algorithm>
#include <cstring>

namespace reduce {

// --- arithmetic

Typed::Typed(MPI_Datatype type, MPI_Op op) : type_(type), op_(op) {
  // The predefined operations of MPI accept its predefined datatypes only, and no duplicates of them.
  int integers, addresses, types, combiner;
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  named_ = combiner == MPI_COMBINER_NAMED;
  if (!named_) MPI_Type_dup(type, &type_);
  int commutes = 0;
  MPI_Op_commutative(op, &commutes);
  commutes_ = commutes != 0;
  MPI_Aint lower = 0;
  MPI_Type_size(type, &size_);
  MPI_Type_get_extent(type, &lower, &extent_);
  MPI_Type_get_true_extent(type, &lower_, &span_);
}

Typed::~Typed() {
  if (!named_) MPI_Type_free(&type_);
}

Memory Typed::make(std::int64_t count) const {
  const std::int64_t bytes = count == 0 ? 0 : extent_ * (count - 1) + span_;
  const Memory all{new std::byte[static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1))],
                   std::default_delete<std::byte[]>()};
  return {all, all.get() - lower_};
}

Memory Typed::part(const Memory& memory, std::int64_t index) const {
  return {memory, memory.get() + index * extent_};
}

void Typed::copy(const Memory& from, const Memory& to, std::int64_t count) const {
  if (count == 0 || from.get() == to.get()) return;
  if (extent_ == size_ && span_ == size_) {
    std::memcpy(to.get() + lower_, from.get() + lower_, static_cast<std::size_t>(count * size_));
    return;
  }
  // Packing leaves the gaps between elements unchanged.
  std::vector<std::byte> packed(static_cast<std::size_t>(count * size_));
  const int bytes = static_cast<int>(packed.size());
  int position = 0;
  MPI_Pack(from.get(), static_cast<int>(count), type_, packed.data(), bytes, &position, MPI_COMM_SELF);
  position = 0;
  MPI_Unpack(packed.data(), bytes, &position, to.get(), static_cast<int>(count), type_, MPI_COMM_SELF);
}

void Typed::combine(const Memory& left, const Memory& right, std::int64_t count) const {
  MPI_Reduce_local(left.get(), right.get(), static_cast<int>(count), type_, op_);
}

// --- the wire

Transport::Transport(MPI_Comm comm) : comm_(comm), incoming_(most_words + 1) {
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &ranks_);
  begun_.resize(static_cast<std::size_t>(ranks_));
  expect_control();
}

// Nothing more is received from here on, but MPI may write to the buffers until MPI_Finalize: they are never freed.
Transport::~Transport() {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].memory) abandoned_.push_back(entries_[i].memory);
    abandoned_words_.push_back(std::move(entries_[i].words));
    MPI_Request_free(&requests_[i]);
  }
  abandoned_words_.push_back(std::move(incoming_));
  static std::vector<std::vector<Memory>> kept;
  static std::vector<std::vector<std::vector<std::int32_t>>> kept_words;
  kept.push_back(std::move(abandoned_));
  kept_words.push_back(std::move(abandoned_words_));
}

void Transport::close() {
  closing_ = true;
  Control last;
  last.kind = Control::here;
  tell(rank_, last);
  const auto waits = [](const Entry& entry) { return entry.kind != Entry::data_in && entry.certain; };
  while (std::any_of(entries_.begin(), entries_.end(), waits)) news(true);
}

void Transport::drain(int farewells) {
  while (farewells > 0) {
    const News news = this->news(true);
    for (const auto& [from, control] : news.heard) farewells -= control.kind == Control::farewell ? 1 : 0;
  }
  for (Entry& entry : entries_) entry.certain = entry.kind == Entry::control_in;
  close();
  for (int there = 1; there != 0;) {
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &there, &status);
    if (there == 0) return;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    std::vector<std::byte> message(static_cast<std::size_t>(std::max(bytes, 0)));
    MPI_Recv(message.data(), bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comm_, MPI_STATUS_IGNORE);
  }
}

void Transport::add(MPI_Request request, Entry entry) {
  requests_.push_back(request);
  entries_.push_back(std::move(entry));
}

void Transport::remove(std::size_t index) {
  requests_[index] = requests_.back();
  requests_.pop_back();
  if (index + 1 != entries_.size()) entries_[index] = std::move(entries_.back());
  entries_.pop_back();
}

void Transport::expect_control() {
  MPI_Request request;
  MPI_Irecv(incoming_.data(), static_cast<int>(incoming_.size()), MPI_INT32_T, MPI_ANY_SOURCE, control_tag,
            comm_, &request);
  add(request, {Entry::control_in, -1, -1, true, nullptr, {}});
}

void Transport::tell(int to, const Control& control) {
  const std::vector<std::int32_t> words = control.words();
  for (std::size_t at = 0; at < words.size(); at += most_words) {
    const std::size_t length = std::min(most_words, words.size() - at);
    Entry entry{Entry::control_out, to, -1, true, nullptr, {at + length < words.size() ? 1 : 0}};
    entry.words.insert(entry.words.end(), words.begin() + static_cast<std::ptrdiff_t>(at),
                       words.begin() + static_cast<std::ptrdiff_t>(at + length));
    MPI_Request request;
    MPI_Isend(entry.words.data(), static_cast<int>(entry.words.size()), MPI_INT32_T, to, control_tag, comm_,
              &request);
    add(request, std::move(entry));
  }
}

void Transport::send(int to, int tag, const Memory& data, std::int64_t count, const Arithmetic& arithmetic) {
  MPI_Request request;
  MPI_Isend(data.get(), static_cast<int>(count), static_cast<const Typed&>(arithmetic).type(), to, tag, comm_,
            &request);
  add(request, {Entry::data_out, to, -1, tag < first_pull_tag(ranks_), data, {}});
}

int Transport::receive(int from, int tag, const Memory& into, std::int64_t count,
                       const Arithmetic& arithmetic) {
  MPI_Request request;
  MPI_Irecv(into.get(), static_cast<int>(count), static_cast<const Typed&>(arithmetic).type(), from, tag,
            comm_, &request);
  add(request, {Entry::data_in, from, ++transfers_, true, into, {}});
  return transfers_;
}

void Transport::forget(int transfer) {
  for (Entry& entry : entries_)
    if (entry.kind == Entry::data_in && entry.transfer == transfer) entry.transfer = -1;
}

void Transport::give_up(int rank) {
  for (std::size_t i = entries_.size(); i-- > 0;) {
    if (entries_[i].peer != rank || entries_[i].kind == Entry::data_in) continue;
    if (entries_[i].memory) abandoned_.push_back(entries_[i].memory);
    abandoned_words_.push_back(std::move(entries_[i].words));
    MPI_Request_free(&requests_[i]);
    remove(i);
  }
}

bool Transport::sending(const Memory& memory) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.kind == Entry::data_out && !memory.owner_before(entry.memory) &&
           !entry.memory.owner_before(memory);
  });
}

Transport::News Transport::news(bool wait) {
  News news;
  const int size = static_cast<int>(requests_.size());
  indices_.resize(requests_.size());
  statuses_.resize(requests_.size());
  int count = 0;
  const int code =
      (wait ? MPI_Waitsome : MPI_Testsome)(size, requests_.data(), &count, indices_.data(), statuses_.data());
  if (code != MPI_SUCCESS) note_failures(news);
  if (count == MPI_UNDEFINED) return news;
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)]);
    const MPI_Status& status = statuses_[static_cast<std::size_t>(i)];
    note(index, status, code != MPI_SUCCESS && status.MPI_ERROR != MPI_SUCCESS, news);
  }
  // From the back, so that smaller indices stay valid. A request in doubt after an error is not null, and stays.
  std::sort(indices_.begin(), indices_.begin() + count, std::greater<>());
  bool control = false;
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)]);
    if (requests_[index] != MPI_REQUEST_NULL) continue;
    control |= entries_[index].kind == Entry::control_in;
    remove(index);
  }
  const bool last = closing_ && !news.heard.empty() && news.heard.back().first == rank_;
  if (control && !last) expect_control();
  return news;
}

void Transport::note(std::size_t index, const MPI_Status& status, bool failed, News& news) {
  const Entry& entry = entries_[index];
  if (entry.kind == Entry::data_in && entry.transfer >= 0)
    (failed ? news.missed : news.arrived).push_back(entry.transfer);
  if (entry.kind != Entry::control_in || failed) return;
  int words = 0;
  MPI_Get_count(&status, MPI_INT32_T, &words);
  std::vector<std::int32_t>& message = begun_[static_cast<std::size_t>(status.MPI_SOURCE)];
  message.insert(message.end(), incoming_.begin() + 1, incoming_.begin() + words);
  if (incoming_[0] != 0) return;
  news.heard.emplace_back(status.MPI_SOURCE, Control::from(message.data(), message.size()));
  message.clear();
}

// The failures are acknowledged, so that receives from any source can proceed.
void Transport::note_failures(News& news) {
  MPIX_Comm_failure_ack(comm_);
  MPI_Group failed, all;
  MPIX_Comm_failure_get_acked(comm_, &failed);
  MPI_Comm_group(comm_, &all);
  int count = 0;
  MPI_Group_size(failed, &count);
  for (int i = 0; i < count; ++i) {
    int rank = 0;
    MPI_Group_translate_ranks(failed, 1, &i, all, &rank);
    if (noted_.insert(rank).second) news.failed.push_back(rank);
  }
  MPI_Group_free(&failed);
  MPI_Group_free(&all);
}

}  // namespace reduce
