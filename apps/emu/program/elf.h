// Contents of an executable or shared object: the libraries it needs and the functions it imports. For 64-bit ELF files
// of this machine; nothing is executed or loaded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/failure.h"

namespace emu::app {

struct Elf {
  bool dynamic = false;              // has a dynamic section: not a static program
  std::string interpreter;           // PT_INTERP: the dynamic linker that starts the program
  std::vector<std::string> needed;   // DT_NEEDED, in file order, as in the file ("libmpich.so.12")
  std::vector<std::string> imports;  // names of undefined dynamic symbols, without versions
  std::vector<std::string> exports;  // names of defined dynamic symbols, without versions

  // True if the file name of a needed library is `stem`, or starts with `stem` and a dot: needs("libemu.so").
  bool needs(std::string_view stem) const;
  // True if an MPI library is among the libraries that the file itself names.
  bool needs_mpi() const;
  // True if libemu is needed as a shared object, or its objects are linked into the file.
  bool has_shim() const;
};

enum class FileKind { elf, script, other };

// Kind of the beginning of `path`: an ELF header, "#!", or something else. Fails if it cannot be read.
Result<FileKind> file_kind(const std::string& path);

// True if the program runs with the rights of another user or group (setuid, setgid): the dynamic linker then ignores
// LD_PRELOAD.
bool has_other_rights(const std::string& path);
inline constexpr const char* other_rights =
    "runs with the rights of another user or group (setuid, setgid), so --preload has no effect; link it "
    "anew "
    "with emucc, emucxx or emufc, or take these rights from it";

// Fails if the file cannot be read, is not an ELF file, is for another kind of machine, or is damaged.
Result<Elf> read_elf(const std::string& path);

}  // namespace emu::app
