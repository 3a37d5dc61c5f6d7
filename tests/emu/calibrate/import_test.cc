// emu calibrate --from: the files of other tools.
#include "calibrate/import.h"

#include <gtest/gtest.h>

namespace emu::app::calibration {
namespace {

Imported read(const std::string& text, Format format) {
  Imported all;
  const auto done = read_into(all, text, "x", format);
  EXPECT_TRUE(done) << done.error().message;
  return all;
}

std::string error_of(const std::string& text, Format format) {
  Imported all;
  const auto done = read_into(all, text, "x", format);
  EXPECT_FALSE(done);
  return done ? "" : done.error().message;
}

TEST(Import, Csv) {
  const Imported all =
      read("kind,bytes,seconds\n# a comment\nhalf_roundtrip,8,1e-6\nsend,8,2e-7\n", Format::csv);
  EXPECT_EQ(all.points.at("half_roundtrip")[0].bytes, 8);
  EXPECT_DOUBLE_EQ(all.points.at("send")[0].seconds, 2e-7);
  EXPECT_EQ(error_of("round,8,1e-6\n", Format::csv),
            "x:1: unknown kind of measurement: \"round\" (expected one of half_roundtrip, send, receive, "
            "stream, poll, "
            "reduce, copy)");
  EXPECT_EQ(error_of("send,8,fast\n", Format::csv), "x:1: invalid number: \"fast\" (expected 0 or more)");
  EXPECT_EQ(error_of("send,8\n", Format::csv), "x:1: expected three values: kind,bytes,seconds");
  EXPECT_EQ(error_of("\n", Format::csv),
            "x: holds no measurements of the format csv (expected lines kind,bytes,seconds)");
}

TEST(Import, OsuLatencyAndBandwidth) {
  const Imported all = read(
      "# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n1   1.25\n2   1.50\n"
      "# OSU MPI Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n1000   500.0\n"
      "# OSU MPI Bi-Directional Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n1000   900.0\n",
      Format::osu);
  ASSERT_EQ(all.points.at("half_roundtrip").size(), 2u);
  EXPECT_DOUBLE_EQ(all.points.at("half_roundtrip")[0].seconds, 1.25e-6);
  ASSERT_EQ(all.points.at("stream").size(), 1u);  // both directions at once is another kind of point
  EXPECT_DOUBLE_EQ(all.points.at("stream")[0].seconds, 2e-6);
}

// Outputs of several tests in one file, in any order.
TEST(Import, OsuTestsOfOtherKindsAreNotRead) {
  const std::string latency = "# OSU MPI Latency Test v7.3\n# Size   Avg Latency(us)\n1   1.25\n";
  const std::string bandwidth =
      "# OSU MPI-CUDA Bandwidth Test v7.3\n# Size   Bandwidth (MB/s)\n1000   500.0\n";
  const std::string others =
      "# OSU MPI Bi-Directional Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n1000   900.0\n"
      "# OSU MPI Allreduce Latency Test v7.3\n# Size       Avg Latency(us)\n4   8.05\n"
      "# OSU MPI_Put Latency Test v7.3\n# Window creation: MPI_Win_allocate\n# Size   Latency (us)\n1   "
      "2.05\n";
  const Imported all = read(others + bandwidth + latency, Format::osu);
  ASSERT_EQ(all.points.at("half_roundtrip").size(), 1u);
  EXPECT_DOUBLE_EQ(all.points.at("half_roundtrip")[0].seconds, 1.25e-6);
  ASSERT_EQ(all.points.at("stream").size(), 1u);
  EXPECT_DOUBLE_EQ(all.points.at("stream")[0].seconds, 2e-6);
  EXPECT_NE(error_of(others, Format::osu).find("x: holds no measurements of the format osu"),
            std::string::npos);
}

TEST(Import, LinesOfSpreadsheets) {
  const Imported all = read("\xef\xbb\xbfkind,bytes,seconds\r\nhalf_roundtrip,8,1e-6\r\n\r\n", Format::csv);
  EXPECT_EQ(all.points.at("half_roundtrip").size(), 1u);
}

TEST(Import, ImbPingPongAlone) {
  const Imported all = read(
      "#---\n# Benchmarking PingPong \n# #processes = 2 \n#bytes #repetitions t[usec] Mbytes/sec\n"
      "      0       1000         2.00         0.00\n   1024       1000         4.00       256.00\n"
      "# Benchmarking Sendrecv \n#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]\n"
      "      0       1000         9.00         9.00 9.00\n",
      Format::imb);
  ASSERT_EQ(all.points.at("half_roundtrip").size(), 2u);
  EXPECT_EQ(all.points.at("half_roundtrip")[0].bytes, 1);  // an empty message is one byte
  EXPECT_DOUBLE_EQ(all.points.at("half_roundtrip")[1].seconds, 4e-6);
}

// Saved from the output of PingPong: without the heading, or as cells.
TEST(Import, ImbTablesWithoutAHeading) {
  for (const std::string table :
       {"#bytes,#repetitions,t[usec],Mbytes/sec\n0,1000,2.00,0.00\n1024,1000,4.00,256.00\n",
        "# nodes a, b\n#bytes #repetitions t[usec] Mbytes/sec\n0 1000 2.00 0.00\n"
        "1024 1000 4.00 256.00\n"}) {
    const Imported all = read(table, Format::imb);
    ASSERT_EQ(all.points.at("half_roundtrip").size(), 2u) << table;
    EXPECT_EQ(all.points.at("half_roundtrip")[1].bytes, 1024) << table;
    EXPECT_DOUBLE_EQ(all.points.at("half_roundtrip")[1].seconds, 4e-6) << table;
    EXPECT_EQ(all.notes, (std::vector<std::string>{
                             "x: a table without the line \"# Benchmarking\" was read as one of PingPong"}))
        << table;
  }
  // Tables with times of several pairs of ranks, or of both directions at once.
  const std::string others =
      "#bytes,#repetitions,t_min[usec],t_max[usec],t_avg[usec],Mbytes/sec\n8,1000,1,3,2,4\n";
  EXPECT_EQ(
      error_of(others, Format::imb),
      "x: holds no measurements of the format imb (expected a table below \"# Benchmarking PingPong\")");
  EXPECT_EQ(
      error_of("# Benchmarking PingPing\n#bytes #repetitions t[usec] Mbytes/sec\n8 1000 1 4\n", Format::imb),
      "x: holds no measurements of the format imb (expected a table below \"# Benchmarking PingPong\")");
  // Decimal commas are no separators.
  EXPECT_EQ(
      error_of("#bytes\t#repetitions\tt[usec]\tMbytes/sec\n8\t1000\t1,5\t4\n", Format::imb),
      "x: holds no measurements of the format imb (expected a table below \"# Benchmarking PingPong\")");
}

TEST(Import, Netgauge) {
  const Imported all =
      read("## netgauge\nMessage Size\tTime (us)\n1\t1.5\n1\t1.7\n1024\t2.5\n", Format::netgauge);
  EXPECT_EQ(all.points.at("half_roundtrip").size(), 3u);
  EXPECT_DOUBLE_EQ(all.points.at("half_roundtrip")[2].seconds, 2.5e-6);
}

// Quoted in a document, or indented: the headings count as well.
TEST(Import, OsuHeadingsMayBeIndented) {
  const Imported all = read(
      "  # OSU MPI Latency Test v7.3\n  # Size   Latency (us)\n  8   1.25\n"
      "  # OSU MPI Bandwidth Test v7.3\n  # Size   Bandwidth (MB/s)\n  1000   500.0\n"
      "\t# OSU MPI Allreduce Latency Test v7.3\n\t# Size   Avg Latency(us)\n\t8   9.5\n",
      Format::osu);
  ASSERT_EQ(all.points.at("half_roundtrip").size(), 1u);
  EXPECT_DOUBLE_EQ(all.points.at("half_roundtrip")[0].seconds, 1.25e-6);
  ASSERT_EQ(all.points.at("stream").size(), 1u);
  EXPECT_DOUBLE_EQ(all.points.at("stream")[0].seconds, 2e-6);
}

TEST(Import, LinesMayBeLabelledWithTheirRank) {
  for (const std::string label :
       {"0: ", "00: ", " 0: ", "[0] ", "[1,0]<stdout>:", "[prterun-a-7@1,0]<stdout>: "}) {
    Imported osu, imb, netgauge;
    ASSERT_TRUE(read_into(osu,
                          label + "# OSU MPI Latency Test v7.3\n" + label + "\n" + label +
                              "# Size          Latency (us)\n" + label + "8                       1.50\n",
                          "l", Format::osu))
        << label;
    ASSERT_EQ(osu.points["half_roundtrip"].size(), 1u) << label;
    EXPECT_EQ(osu.points["half_roundtrip"][0].bytes, 8) << label;
    ASSERT_TRUE(read_into(imb,
                          label + "# Benchmarking PingPong\n" + label +
                              "       #bytes #repetitions      t[usec]   Mbytes/sec\n" + label +
                              "            4         1000         2.50         1.60\n",
                          "i", Format::imb))
        << label;
    EXPECT_DOUBLE_EQ(imb.points["half_roundtrip"][0].seconds, 2.5e-6) << label;
    ASSERT_TRUE(read_into(netgauge, label + "1 3.25\n", "n", Format::netgauge)) << label;
    EXPECT_DOUBLE_EQ(netgauge.points["half_roundtrip"][0].seconds, 3.25e-6) << label;
  }
}

// Several pairs at a time share the network, and the table does not contain their number.
TEST(Import, OsuTestsOfSeveralPairsAreNotRead) {
  const std::string table = "# Size   Latency (us)\n8   4.25\n";
  for (const std::string test :
       {"# OSU MPI Multi Latency Test v7.1\n", "# OSU MPI Multi-threaded Latency Test v7.1\n",
        "# Own MPI Broadcast Latency Test\n"})
    EXPECT_EQ(error_of(test + table, Format::osu),
              "x: holds no measurements of the format osu (expected a table of osu_latency or osu_bw below "
              "its heading "
              "\"# OSU MPI Latency Test\" or \"# OSU MPI Bandwidth Test\")");
}

// Two placements in one file: neither is the network that is meant.
TEST(Import, RunsThatDisagreeAreNamed) {
  const std::string first = "# OSU MPI Latency Test v7.3\n# Size   Latency (us)\n8   0.40\n16   0.40\n";
  EXPECT_TRUE(read(first + "# Size   Latency (us)\n8   0.50\n16   0.45\n", Format::osu).warnings.empty());
  const Imported apart = read(first + "# Size   Latency (us)\n8   3.60\n16   0.45\n", Format::osu);
  ASSERT_EQ(apart.warnings.size(), 1u);
  EXPECT_EQ(apart.warnings[0],
            "x:6: 8 B took 3.6 us, and in an earlier table 0.4 us; the target has the median of both");
}

TEST(Import, ImbBenchmarksOfSimilarNames) {
  const std::string titles = "#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec] Mbytes/sec\n";
  EXPECT_EQ(
      error_of("# Benchmarking Multi-PingPong\n" + titles + "8 1000 1.0 3.0 2.0 4.0\n", Format::imb),
      "x: holds no measurements of the format imb (expected a table below \"# Benchmarking PingPong\")");
  // The columns are those of the titles.
  const Imported all =
      read("# Benchmarking PingPong\r\n" + titles + "8 1000 1.0 3.0 2.0 4.0\r\n", Format::imb);
  EXPECT_DOUBLE_EQ(all.points.at("half_roundtrip")[0].seconds, 2e-6);
  EXPECT_EQ(error_of("# Benchmarking PingPong\n#bytes #repetitions Mbytes/sec Msg/sec\n8 1000 4.0 500\n",
                     Format::imb),
            "x:2: PingPong without a time (expected the column t[usec] or t_avg[usec])");
}

TEST(Import, NetgaugeStatistics) {
  const Imported all = read(
      "## Netgauge\n## A  -  B  C  D  E  (F G) - H  I  J  K  (L M)  -  N  O  P  Q\n"
      "8 - 0.10 0.20 0.30 0.40 (0.05 1) - 1.10 1.20 1.30 1.40 (0.06 2) - 50.0 60.0 70.0 80.0\n",
      Format::netgauge);
  ASSERT_EQ(all.points.at("half_roundtrip").size(), 1u);
  EXPECT_DOUBLE_EQ(all.points.at("half_roundtrip")[0].seconds, 1.3e-6);
  EXPECT_DOUBLE_EQ(all.points.at("send")[0].seconds, 0.3e-6);
}

TEST(Import, NetgaugeLogGP) {
  const Imported all = read(
      "# size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s o_r g G lsqu(g,G)\n# to get o: ...\n"
      "1 10 2.4 4.2 24.9 1.2 0.1 0.15 -nan -nan -nan\n1025 10 3.4 8.8 36.0 1.2 0.2 0.25 0.2 0.0004 -nan\n",
      Format::netgauge);
  ASSERT_EQ(all.points.at("half_roundtrip").size(), 2u);
  EXPECT_DOUBLE_EQ(all.points.at("half_roundtrip")[1].seconds, 1.7e-6);
  EXPECT_DOUBLE_EQ(all.points.at("send")[1].seconds, 0.2e-6);
  EXPECT_DOUBLE_EQ(all.points.at("receive")[1].seconds, 0.25e-6);
  EXPECT_NEAR(all.points.at("stream")[1].seconds, 0.6e-6, 1e-15);  // 9 further messages in 5.4 us
}

TEST(Import, NetgaugeTablesOfOtherPatterns) {
  EXPECT_EQ(
      error_of("# Fixed Work Quantum Benchmark\n# cycle number    duration [us]\n0   12\n1   12\n",
               Format::netgauge),
      "x:3: a row below \"# cycle number    duration [us]\" (expected the table of the pattern one_one or "
      "loggp, or rows of bytes and microseconds)");
}

TEST(Import, CsvOfSpreadsheets) {
  const Imported all =
      read("\"kind\";\"bytes\";\"seconds\"\n\"half_roundtrip\"; 8; 1e-6\n# a comment\n", Format::csv);
  EXPECT_DOUBLE_EQ(all.points.at("half_roundtrip")[0].seconds, 1e-6);
  EXPECT_EQ(error_of("kind,bytes,us\nhalf_roundtrip,8,1\n", Format::csv),
            "x:1: unknown titles: \"kind,bytes,us\" (expected kind,bytes,seconds)");
}

}  // namespace
}  // namespace emu::app::calibration
