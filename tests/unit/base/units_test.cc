#include "base/units.h"

#include <gtest/gtest.h>

namespace emu {
namespace {

std::int64_t ps(const char* text) {
  const auto value = parse_interval(text);
  EXPECT_TRUE(value) << text << ": " << value.error().message;
  return value ? value->picoseconds() : -1;
}

std::int64_t fs_per_byte(const char* text) {
  const auto value = parse_time_per_byte(text);
  EXPECT_TRUE(value) << text << ": " << value.error().message;
  return value ? value->femtoseconds_per_byte() : -1;
}

std::int64_t bytes(const char* text) {
  const auto value = parse_bytes(text);
  EXPECT_TRUE(value) << text << ": " << value.error().message;
  return value ? *value : -1;
}

template <class T>
void expect_failure(const Result<T>& result, const char* part) {
  ASSERT_FALSE(result) << "expected a failure with: " << part;
  EXPECT_NE(result.error().message.find(part), std::string::npos) << result.error().message;
}

TEST(Units, Times) {
  EXPECT_EQ(ps("1ps"), 1);
  EXPECT_EQ(ps("1ns"), 1000);
  EXPECT_EQ(ps("12.1us"), 12'100'000);
  EXPECT_EQ(ps("0.182us"), 182'000);
  EXPECT_EQ(ps("3 ms"), 3'000'000'000);
  EXPECT_EQ(ps("1.5s"), 1'500'000'000'000);
  EXPECT_EQ(ps("2min"), 120'000'000'000'000);
  EXPECT_EQ(ps("1h"), 3'600'000'000'000'000);
  EXPECT_EQ(ps("0us"), 0);
  EXPECT_EQ(ps("0.000000us"), 0);
  EXPECT_EQ(ps("00012us"), 12'000'000);
}

// Values that binary fractions cannot represent: 0.1 us, 1.1 us ... are not whole in double.
TEST(Units, EveryTenthOfANanosecondIsExact) {
  for (int i = 0; i < 100'000; ++i) {
    const std::string text =
        std::to_string(i / 10'000) + "." + std::to_string(10'000 + i % 10'000).substr(1) + "us";
    ASSERT_EQ(ps(text.c_str()), i * 100) << text;
    ASSERT_EQ(fs_per_byte(text.c_str()), i * 100'000LL) << text;
  }
}

TEST(Units, RoundsOnceToTheNearest) {
  EXPECT_EQ(ps("1.4999999999999999ps"), 1);
  EXPECT_EQ(ps("1.5ps"), 2);
  EXPECT_EQ(ps("0.5ps"), 1);
  EXPECT_EQ(fs_per_byte("0.0005ps"), 1);
  EXPECT_EQ(fs_per_byte("3Gbit/s"), 2'666'667);
}

TEST(Units, TimesPerByteAndRates) {
  EXPECT_EQ(fs_per_byte("0.0268us"), 26'800'000);
  EXPECT_EQ(fs_per_byte("0.0722us"), 72'200'000);
  EXPECT_EQ(fs_per_byte("100Mbit/s"), 80'000'000);
  EXPECT_EQ(fs_per_byte("100 Gbit/s"), 80'000);
  EXPECT_EQ(fs_per_byte("1Tbit/s"), 8'000);
  EXPECT_EQ(fs_per_byte("8bit/s"), 1'000'000'000'000'000);
  EXPECT_EQ(fs_per_byte("12.5MB/s"), 80'000'000);
  EXPECT_EQ(fs_per_byte("12.5GB/s"), 80'000);
  EXPECT_EQ(fs_per_byte("1KiB/s"), 976'562'500'000);
  EXPECT_EQ(fs_per_byte("0us"), 0);
}

TEST(Units, Sizes) {
  EXPECT_EQ(bytes("0B"), 0);
  EXPECT_EQ(bytes("64KiB"), 65'536);
  EXPECT_EQ(bytes("64 kB"), 64'000);
  EXPECT_EQ(bytes("64KB"), 64'000);
  EXPECT_EQ(bytes("1.5MiB"), 1'572'864);
  EXPECT_EQ(bytes("2GiB"), 2'147'483'648);
  EXPECT_EQ(bytes("1GB"), 1'000'000'000);
  expect_failure(parse_bytes("0.3B"), "a whole number of bytes");
}

TEST(Units, WhatIsNoQuantitySaysWhatWouldBeRight) {
  expect_failure(parse_interval("12"), "no unit: \"12\" (expected a number and a unit, such as \"12.1us\")");
  expect_failure(parse_interval("12 "), "no unit");
  expect_failure(parse_interval(""), "empty value");
  expect_failure(parse_interval("-5us"), "negative value");
  expect_failure(parse_interval("us"), "invalid number");
  expect_failure(parse_interval(".5us"), "invalid number");
  expect_failure(parse_interval("5.us"), "invalid number");
  expect_failure(parse_interval("+5us"), "invalid number");
  expect_failure(parse_interval("nan us"), "invalid number");
  expect_failure(parse_interval("inf"), "invalid number");
  expect_failure(parse_interval(" 5us"), "invalid number");
  expect_failure(parse_interval("1.2.3us"), "unit \".3us\"");
  expect_failure(parse_interval("1e3us"), "unit \"e3us\"");
  expect_failure(parse_interval("5  us"), "unit \" us\"");
}

TEST(Units, TheWrongKindOfUnitSaysTheRightOnes) {
  expect_failure(parse_interval("5 sec"), "ps, ns, us, ms, s, min or h");
  expect_failure(parse_interval("64KiB"), "a unit of time");
  expect_failure(parse_interval("5US"), "a unit of time");
  expect_failure(parse_bytes("5us"), "a unit of size: B, kB");
  expect_failure(parse_bytes("64KIB"), "a unit of size");
  expect_failure(parse_time_per_byte("100Mbps"), "Mbit/s");
  expect_failure(parse_time_per_byte("64KiB"), "time per byte");
}

TEST(Units, WhatDoesNotFitIsAFailure) {
  expect_failure(parse_interval("2000h"), "too large: \"2000h\" (expected at most 1281h)");
  EXPECT_TRUE(parse_interval("1281h"));
  expect_failure(parse_interval("1282h"), "too large");
  expect_failure(parse_interval("999999999999999999h"), "too large");
  expect_failure(parse_interval("9999999999999999999us"), "too many digits");
  expect_failure(parse_interval("0.0000000000000000001us"), "too many digits");
  expect_failure(parse_interval("0.4ps"), "too small");
  expect_failure(parse_bytes("999999999999GiB"),
                 "too large: \"999999999999GiB\" (expected at most 4294967295GiB)");
  EXPECT_TRUE(parse_bytes("4294967295GiB"));
  expect_failure(parse_bytes("4294967296GiB"), "too large");
  expect_failure(parse_time_per_byte("0Mbit/s"), "above 0");
  expect_failure(parse_time_per_byte("100000Tbit/s"), "too small");
  expect_failure(parse_time_per_byte("0.000001bit/s"),
                 "too large: \"0.000001bit/s\" (expected at most 4611.686s per byte, 0.0017347235bit/s)");
  EXPECT_TRUE(parse_time_per_byte("0.0017347235bit/s"));
  expect_failure(parse_time_per_byte("0.001734bit/s"), "too large");
  EXPECT_TRUE(parse_time_per_byte("4611s"));
  expect_failure(parse_time_per_byte("4612s"), "too large: \"4612s\" (expected at most 4611s)");
}

TEST(Units, ShowsTimes) {
  const auto shown = [](std::int64_t ps, int digits = 3) {
    return format(Interval::picoseconds(ps), digits);
  };
  EXPECT_EQ(shown(0), "0 s");
  EXPECT_EQ(shown(1), "1 ps");
  EXPECT_EQ(shown(12'100'000), "12.1 us");
  EXPECT_EQ(shown(50'000'000), "50 us");
  EXPECT_EQ(shown(4'370'000'000'000), "4.37 s");
  EXPECT_EQ(shown(4'374'999'000'000, 6), "4.375 s");
  EXPECT_EQ(shown(834'123'456'000'000, 6), "834.123 s");
  EXPECT_EQ(shown(834'000'000'000'000), "834 s");
  EXPECT_EQ(shown(1'234'567'000'000'000, 3), "1235 s");
  EXPECT_EQ(shown(5'400'000'000'000'000), "1.5 h");
  EXPECT_EQ(shown(-1'500'000), "-1.5 us");
}

TEST(Units, ShowsSizes) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(832), "832 B");
  EXPECT_EQ(format_bytes(65'536), "64 KiB");
  EXPECT_EQ(format_bytes(1'572'864), "1.5 MiB");
  EXPECT_EQ(format_bytes(-2048), "-2 KiB");
}

}  // namespace
}  // namespace emu
