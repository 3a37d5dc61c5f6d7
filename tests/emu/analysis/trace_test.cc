#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>

#include "analysis/state.h"
#include "analysis/trace_reader.h"

namespace emu::analysis {
namespace {

Instant at(std::int64_t ps) { return Instant::from_picoseconds(ps); }
Interval ps(std::int64_t n) { return Interval::picoseconds(n); }

record::Path computing(std::int64_t n) {
  record::Path path;
  path.compute = ps(n);
  return path;
}

class Trace : public testing::Test {
 protected:
  Trace() { std::filesystem::create_directory(folder_); }
  ~Trace() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<record::Recorder> recorder(int rank = 0) {
    auto made =
        record::Recorder::create(folder_, {rank, 2, "a \"target\"", "program", 5, "fast"},
                                 [this](const std::string& message) { failures_.push_back(message); });
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
  }
  std::string path() const { return record::file_of(folder_, 0); }
  std::string bytes() const {
    std::ifstream in(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& text) const { std::ofstream(path(), std::ios::binary) << text; }

  // All contents of a file: each event, and the end.
  std::string told() const {
    auto reader = Reader::open(path());
    if (!reader) return "error: " + reader.error().message;
    std::string text;
    Event e;
    for (;;) {
      const auto more = (*reader)->next(e);
      if (!more) return text + "error: " + more.error().message;
      if (!*more) break;
      const record::Envelope& m = e.message;
      text += std::to_string(static_cast<int>(e.kind)) + " " + std::to_string(e.from.picoseconds()) + "-" +
              std::to_string(e.now.picoseconds()) + " " + std::string(e.name);
      for (std::int64_t n :
           {e.wait.picoseconds(), e.cost.picoseconds(), e.flight.picoseconds(), e.polls, m.bytes})
        text += " " + std::to_string(n);
      for (int n : {e.kind == Record::operated ? static_cast<int>(m.operation) : static_cast<int>(m.kind),
                    m.peer, m.tag})
        text += " " + std::to_string(n);
      for (std::uint64_t n :
           {m.sequence, m.context, e.context, std::uint64_t{e.hop.rank}, std::uint64_t{e.hop.sequence}})
        text += " " + std::to_string(n);
      if (e.hop.operation) text += " an operation";
      if (e.failure >= 0)
        text += " rank " + std::to_string(e.failure) + " fails at " + std::to_string(e.fails.picoseconds());
      if (e.failed) text += " fails";
      if (e.gap) text += " gap";
      if (e.late) text += " late " + std::to_string(e.late->picoseconds());
      text += "\n";
    }
    return text + ((*reader)->complete() ? "complete" : "cut: " + (*reader)->cut());
  }

  // An event of every kind.
  void record_example(record::Recorder& r) {
    r.begin("interval", at(10));
    r.enter("MPI_Send", at(100));
    r.sent({record::MessageKind::eager, 1, 7, -3, 1 << 20, 2}, at(150), ps(30), ps(1000));
    r.leave();
    r.enter("MPI_Iprobe", at(200));
    r.polled(at(210));
    r.leave();
    r.enter("MPI_Iprobe", at(210));
    r.polled(at(220));
    r.leave();
    r.enter("MPI_Probe", at(220));
    r.found({record::MessageKind::request, 1, 0, 5, 0, 2}, at(300), record::Hop(1, 0));
    r.leave();
    r.enter("MPI_Wtime", at(300));  // without events
    r.leave();
    r.enter("MPI_Bcast", at(300));
    r.collective(3);
    r.received({record::MessageKind::request, 1, 99, 5, 8, 3}, at(400), ps(10), record::Hop(0, 12));
    r.leave();
    r.enter("MPI_Send", at(401));
    r.sent({record::MessageKind::answer, 0, 0, 5, 0, 3}, at(402), ps(1), ps(5));
    r.leave();
    r.enter("MPI_Win_lock", at(402));
    r.operated({.peer = 1, .context = 8, .operation = record::OperationKind::lock}, at(412), ps(3), ps(6));
    r.leave();
    r.enter("MPI_Get", at(420));
    r.operated({.peer = 1, .bytes = 0, .context = 8}, at(425), ps(5), ps(6));
    r.leave();
    r.enter("MPI_Win_flush", at(425));
    r.answered({.peer = 1, .sequence = 1, .bytes = 40, .context = 8}, at(437), record::Hop(0, 1, true));
    r.answered({.peer = 1, .sequence = 0, .bytes = 1, .context = 8}, at(440), record::Hop(1, 77, true));
    r.answered({.peer = 1, .sequence = 0, .bytes = 1, .context = 8}, at(440), record::Hop(1, 77));
    r.leave();
    r.enter("MPI_Iprobe", at(440));
    r.found({record::MessageKind::eager, 1, 2, 5, 0, 2}, at(440), record::Hop(1, 2), ps(13));
    r.leave();
    r.enter("MPI_Test", at(440));
    r.received({record::MessageKind::request, 1, 3, 5, 8, 3}, at(440), ps(0), record::Hop(0, 12), ps(0));
    r.answered({.peer = 1, .sequence = 0, .bytes = 1, .context = 8}, at(440), record::Hop(1, 77, true),
               ps(1));
    r.waited(at(440), 1, at(420), ps(2));
    r.leave();
    EXPECT_FALSE(r.end("another", at(500)));
    EXPECT_TRUE(r.end("interval", at(500)));
    EXPECT_FALSE(r.end("interval", at(500)));
    r.enter("MPI_Recv", at(500));
    r.waited(at(600), 1, at(550));
    r.leave();
    r.failed(at(601), computing(601), at(600), false);
    r.close();
  }

  const std::string folder_ = testing::TempDir() + "trace-test-" + std::to_string(::getpid());
  std::vector<std::string> failures_;
};

constexpr const char* example =
    "9 0-10 interval 0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "2 10-100 MPI_Send 0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "4 100-150  20 30 1000 0 1048576 0 1 -3 0 2 0 1048575 0 gap\n"
    "3 150-150  0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "2 150-200 MPI_Iprobe 0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "7 200-220  0 20 0 2 0 0 0 0 0 0 0 1048575 0\n"
    "3 220-220  0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "2 220-220 MPI_Probe 0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "6 220-300  80 0 0 0 0 1 1 5 0 2 0 1 0\n"
    "3 300-300  0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "2 300-300 MPI_Bcast 0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "8 300-300  0 0 0 0 0 0 0 0 0 0 3 1048575 0\n"
    "5 300-400  90 10 0 0 8 1 1 5 99 3 0 0 12\n"
    "3 400-400  0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "2 400-401 MPI_Send 0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "4 401-402  0 1 5 0 0 2 0 5 1 3 0 1048575 0\n"
    "3 402-402  0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "2 402-402 MPI_Win_lock 0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "16 402-412  7 3 6 0 0 1 1 0 0 8 0 1048575 0 gap\n"
    "3 412-412  0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "2 412-420 MPI_Get 0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "16 420-425  0 5 6 0 0 0 1 0 1 8 0 1048575 0\n"
    "3 425-425  0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "2 425-425 MPI_Win_flush 0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "17 425-437  12 0 0 0 40 0 1 0 1 8 0 0 1 an operation\n"
    "17 437-440  3 0 0 0 1 0 1 0 0 8 0 1 77 an operation\n"
    "17 440-440  0 0 0 0 1 0 1 0 0 8 0 0 0 an operation\n"
    "3 440-440  0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "2 440-440 MPI_Iprobe 0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "6 440-440  0 0 0 0 0 0 1 5 2 2 0 1 2 late 13\n"
    "3 440-440  0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "2 440-440 MPI_Test 0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "5 440-440  0 0 0 0 8 1 1 5 3 3 0 0 12 late 0\n"
    "17 440-440  0 0 0 0 1 0 1 0 0 8 0 1 77 an operation late 1\n"
    "15 440-440  0 0 0 0 0 0 0 0 0 0 0 1048575 0 rank 1 fails at 420 late 2\n"
    "3 440-440  0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "10 440-500 interval 0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "2 500-500 MPI_Recv 0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "15 500-600  100 0 0 0 0 0 0 0 0 0 0 1048575 0 rank 1 fails at 550\n"
    "3 600-600  0 0 0 0 0 0 0 0 0 0 0 1048575 0\n"
    "11 600-601  0 0 0 0 0 0 0 0 0 0 0 1048575 0 fails\n"
    "12 601-601  0 0 0 0 0 0 0 0 0 0 0 1048575 0\n";

TEST_F(Trace, ComesBackAsItWas) {
  record_example(*recorder());
  EXPECT_EQ(told(), std::string(example) + "complete");
  const auto reader = Reader::open(path());
  ASSERT_TRUE(reader);
  EXPECT_EQ((*reader)->header().ranks, 2);
  EXPECT_EQ((*reader)->header().target, "a \"target\"");
  EXPECT_EQ((*reader)->header().program, "program");
  EXPECT_EQ((*reader)->header().node, 5);
  EXPECT_EQ((*reader)->header().group, "fast");
}

// The node is down in [20, 30) and [45, 50): neither the wait nor the cost contains this time.
TEST_F(Trace, OutagesAreInNothingElse) {
  {
    const auto r = recorder();
    r->outage(at(20), at(30));
    r->outage(at(45), at(50));
    r->enter("MPI_Recv", at(35));
    r->received({record::MessageKind::eager, 1, 0, 0, 8, 2}, at(55), ps(8),
                record::Hop(1, 0));  // wait 7, cost 3, down, cost 5
    r->leave();
    r->finish(at(55), computing(55));
    r->close();
  }
  const auto reader = Reader::open(path());
  ASSERT_TRUE(reader);
  Event e;
  ASSERT_TRUE((*reader)->next(e));
  EXPECT_EQ(e.down, ps(10));
  ASSERT_TRUE((*reader)->next(e));
  EXPECT_EQ(e.kind, Record::received);
  EXPECT_EQ(e.wait, ps(7));
  EXPECT_EQ(e.cost, ps(8));
  EXPECT_EQ(e.down, ps(5));
  EXPECT_EQ(e.met, at(42));
  std::string text;
  stretches(e, [&](State state, Instant from, Instant until) {
    text += std::string(row_of(state).words) + " " + std::to_string(from.picoseconds()) + "-" +
            std::to_string(until.picoseconds()) + "; ";
  });
  EXPECT_EQ(text, "waiting 35-42; receive overhead 42-45; node down 45-50; receive overhead 50-55; ");
}

// The system's time of a computation with several records is part of the next one, and never exceeds it.
TEST_F(Trace, SystemTimeIsPartOfWhatWasComputed) {
  for (const std::int64_t more : {0, 61}) {
    const auto r = recorder();
    r->system(ps(10));
    r->enter("MPI_Wtime", at(40));  // nothing happens in it
    r->leave();
    r->system(ps(30 + more));
    r->begin("interval", at(100));
    r->end("interval", at(120));
    r->finish(at(120), computing(120));
    r->close();
    const auto reader = Reader::open(path());
    ASSERT_TRUE(reader);
    Event e;
    const auto read = (*reader)->next(e);
    ASSERT_EQ(read.has_value(), more == 0);
    if (!read) break;
    EXPECT_EQ(e.system, ps(40));
    ASSERT_TRUE((*reader)->next(e));
    EXPECT_EQ(e.system, Interval());
  }
}

// A prefix of any length reads as the front of the whole, and its end is distinguished from a proper end.
TEST_F(Trace, EveryPrefixReads) {
  {
    const auto r = recorder();
    for (int i = 0; i < 4000; ++i) {  // more than one block
      r->enter("MPI_Send", at(i * 1000));
      r->sent({record::MessageKind::eager, 1, 0, i, i * 100, 2}, at(i * 1000 + 7), ps(7), ps(123456789));
      r->leave();
    }
    r->finish(at(4000000), computing(4000000));
    r->close();
  }
  const std::string whole = bytes(), all = told();
  ASSERT_GT(whole.size(), 66000u);
  std::size_t end_of_block = record::preamble;  // of the second block: the first one is the header
  for (int i = 0; i < 2; ++i) {
    std::size_t size = 0;
    for (std::size_t byte = 4; byte-- > 0;)
      size = size << 8 | static_cast<unsigned char>(whole[end_of_block + byte]);
    end_of_block += record::block_header + size;
  }
  const auto interesting = [&](std::size_t n) {
    return n < 200 || (n + 20 > end_of_block && n < end_of_block + 20) || n + 20 > whole.size();
  };
  for (std::size_t length = 0; length < whole.size(); length += interesting(length + 1) ? 1 : 7) {
    if (!interesting(length) && length % 1001 != 0) continue;
    write(whole.substr(0, length));
    const std::string got = told();
    const std::size_t end = got.rfind('\n') == std::string::npos ? 0 : got.rfind('\n') + 1;
    ASSERT_EQ(all.compare(0, end, got, 0, end), 0) << length;
    ASSERT_EQ(got.find("complete"), std::string::npos) << length;
    ASSERT_NE(got.find(": position "), std::string::npos) << got.substr(end);
    ASSERT_EQ(got.find("damaged"), std::string::npos) << got.substr(end);
  }
}

TEST_F(Trace, WhatIsNoTraceIsNamed) {
  EXPECT_NE(told().find("rank.0: the trace cannot be read: No such file"), std::string::npos);
  write("");
  EXPECT_NE(told().find("position 0: the trace is cut off in its header"), std::string::npos);
  write("emutracf");
  EXPECT_NE(told().find("position 0: not a trace of emu"), std::string::npos);
  record_example(*recorder());
  std::string text = bytes();
  text[8] = static_cast<char>(record::version + 1);
  write(text);
  EXPECT_NE(told().find("position 8: the trace has version " + std::to_string(record::version + 1) +
                        "; this emu reads version " + std::to_string(record::version)),
            std::string::npos);
  text = bytes();
  text[8] = static_cast<char>(record::version);
  write(text + "x");
  EXPECT_NE(told().find("damaged: something follows its end"), std::string::npos);
}

// A changed byte is detected at any place.
TEST_F(Trace, EveryChangedByteIsNoticed) {
  record_example(*recorder());
  const std::string whole = bytes();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string text = whole;
    text[i] = static_cast<char>(text[i] ^ 0x15);
    write(text);
    const std::string got = told();
    ASSERT_EQ(got.find("complete"), std::string::npos) << i;
    ASSERT_NE(got.find(": position "), std::string::npos) << i << got;
  }
}

// Random contents with a correct checksum reach the reader of records.
TEST_F(Trace, FuzzedRecordsAreFailuresOrEvents) {
  record_example(*recorder());
  const std::string whole = bytes();
  std::mt19937 random(1);
  const auto le = [](std::uint32_t n) {
    std::string s;
    for (int i = 0; i < 4; ++i) s += static_cast<char>(n >> (8 * i));
    return s;
  };
  const std::size_t header =
      record::preamble + record::block_header + static_cast<unsigned char>(whole[record::preamble]);
  const std::string good = whole.substr(header + record::block_header);
  int damaged = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string contents = good;
    for (int n = 1 + static_cast<int>(random() % 4); n > 0; --n) {
      const std::size_t i = random() % contents.size();
      if (random() % 4 == 0)
        contents.erase(i, 1 + random() % 8);
      else
        contents[i] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
      if (contents.empty()) contents = "x";
    }
    write(whole.substr(0, header) + le(static_cast<std::uint32_t>(contents.size())) +
          le(record::checksum(reinterpret_cast<const std::uint8_t*>(contents.data()), contents.size())) +
          contents);
    const std::string got = told();
    if (got.find("damaged") != std::string::npos) ++damaged;
    ASSERT_TRUE(got.find(": position ") != std::string::npos || got.find("complete") != std::string::npos);
  }
  EXPECT_GT(damaged, 500);
}

// A full disk ends the recording, with one message. Everything written before is readable.
TEST_F(Trace, AFullDiskLeavesAReadableFront) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  {
    const auto r = recorder();
    for (int i = 0; i < 30000; ++i) {
      r->enter("MPI_Send", at(i * 1000));
      r->sent({record::MessageKind::eager, 1, 0, i, i * 100, 2}, at(i * 1000 + 7), ps(7), ps(123456789));
      r->leave();
    }
    r->finish(at(30000000), computing(30000000));
    r->close();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_EQ(failures_.size(), 1u);
  EXPECT_NE(failures_[0].find("the trace cannot be written: File too large; it ends at virtual time"),
            std::string::npos);
  const std::string got = told();
  EXPECT_GT(std::count(got.begin(), got.end(), '\n'), 3000);
  EXPECT_NE(got.find("the trace is cut off"), std::string::npos);
}

TEST_F(Trace, AFolderThatIsNotThereIsAFailure) {
  const auto made = record::Recorder::create("/nowhere", {}, [](const std::string&) {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "/nowhere/rank.0: the trace cannot be written: No such file or directory");
}

}  // namespace
}  // namespace emu::analysis
