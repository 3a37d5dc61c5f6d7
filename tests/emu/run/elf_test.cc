#include "program/elf.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace emu::app {
namespace {

// A symbol to look for in this program's table of dynamic symbols.
extern "C" __attribute__((visibility("default"), used)) int elf_test_marker() { return 1; }

class ElfFile : public testing::Test {
 protected:
  ~ElfFile() override { std::remove(path_.c_str()); }

  const std::string& file(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
    return path_;
  }
  static std::string own_bytes() {
    std::ifstream in("/proc/self/exe", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }

  std::string path_ = testing::TempDir() + "elf-test-" + std::to_string(::getpid());
};

TEST_F(ElfFile, ReadsThisProgram) {
  const auto elf = read_elf("/proc/self/exe");
  ASSERT_TRUE(elf) << elf.error().message;
  EXPECT_TRUE(elf->dynamic);
  EXPECT_TRUE(elf->needs("libc.so"));
  EXPECT_TRUE(elf->needs("libc.so.6"));
  EXPECT_FALSE(elf->needs("c.so"));
  EXPECT_FALSE(elf->needs_mpi());
  EXPECT_FALSE(elf->has_shim());
  const auto imported = [&](const char* name) {
    return std::find(elf->imports.begin(), elf->imports.end(), name) != elf->imports.end();
  };
  EXPECT_TRUE(imported("getpid"));
  EXPECT_FALSE(imported("elf_test_marker"));
}

TEST_F(ElfFile, Kinds) {
  EXPECT_EQ(*file_kind("/proc/self/exe"), FileKind::elf);
  EXPECT_EQ(*file_kind(file("#!/bin/sh\n")), FileKind::script);
  EXPECT_EQ(*file_kind(file("x")), FileKind::other);
  EXPECT_FALSE(file_kind(file("")));
  EXPECT_FALSE(file_kind("/nowhere"));
  EXPECT_FALSE(file_kind("/"));
}

TEST_F(ElfFile, Names) {
  Elf elf;
  elf.needed = {"/opt/lib/libmpich.so.12"};
  EXPECT_TRUE(elf.needs_mpi());
  EXPECT_FALSE(elf.has_shim());
  elf.needed = {"libemulator.so"};
  EXPECT_FALSE(elf.has_shim());
  elf.needed = {"libemu.so"};
  EXPECT_TRUE(elf.has_shim());
  elf = {};
  elf.imports = {"emu_is_active"};  // emu/emu.h refers to this in a program without libemu
  EXPECT_FALSE(elf.has_shim());
  elf.exports = {"emu_is_active"};
  EXPECT_TRUE(elf.has_shim());
}

TEST_F(ElfFile, NoElfFile) {
  EXPECT_NE(read_elf("/nowhere").error().message.find("/nowhere: No such file"), std::string::npos);
  EXPECT_NE(read_elf("/").error().message.find("not a regular file"), std::string::npos);
  EXPECT_NE(read_elf(file("#!/bin/sh\n")).error().message.find("expected an ELF file"), std::string::npos);
  EXPECT_NE(read_elf(file("")).error().message.find("expected an ELF file"), std::string::npos);
  EXPECT_NE(read_elf(file("\x7f"
                          "ELF"))
                .error()
                .message.find("damaged or cut off"),
            std::string::npos);
}

TEST_F(ElfFile, OtherMachines) {
  std::string bytes = own_bytes();
  bytes[4] = 1;  // 32 bits
  EXPECT_NE(read_elf(file(bytes)).error().message.find("another kind of machine"), std::string::npos);
  bytes = own_bytes();
  bytes[18] = 8;  // MIPS
  EXPECT_NE(read_elf(file(bytes)).error().message.find("another kind of machine"), std::string::npos);
}

// With any damage, the reader neither crashes nor reads beyond the file.
TEST_F(ElfFile, CutOffAnywhere) {
  const std::string bytes = own_bytes();
  for (std::size_t length = 0; length < bytes.size(); length += length < 1024 ? 37 : bytes.size() / 50)
    EXPECT_FALSE(read_elf(file(bytes.substr(0, length)))) << length;
}

TEST_F(ElfFile, DamagedAnywhereNearTheFront) {
  const std::string bytes = own_bytes().substr(0, 64 * 1024);
  for (std::size_t at = 16; at < 1024; at += 3) {
    std::string damaged = bytes;
    damaged[at] = '\xff';
    if (at + 1 < damaged.size()) damaged[at + 1] = '\xff';
    read_elf(file(damaged));
  }
}

}  // namespace
}  // namespace emu::app
