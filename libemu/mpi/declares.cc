#include "mpi/declares.h"

#include <elf.h>
#include <link.h>
#include <strings.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string_view>

namespace emu::mpi {

namespace {

// Whatever an object uses of others stands in its relocations. Its hash table tells less: weak symbols may stand in it
// although they are undefined, and where nothing is exported it says nothing.
struct Relocations {
  const ElfW(Rela) * first = nullptr;
  std::size_t bytes = 0;
};

struct Dynamic {
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  Relocations data, calls;
};

const ElfW(Dyn) * dynamic_section(const dl_phdr_info* object) {
  for (int i = 0; i < object->dlpi_phnum; ++i)
    if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
      return reinterpret_cast<const ElfW(Dyn)*>(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
  return nullptr;
}

using Wanted = bool (*)(const char* symbol);

// The symbol's number in what a relocation says.
constexpr int symbol_shift = sizeof(ElfW(Addr)) == 8 ? 32 : 8;

// What programs call, and what calls it for them: their references are no program's.
bool of_mpi(const dl_phdr_info* object) {
  const char* const slash = std::strrchr(object->dlpi_name, '/');
  const char* const name = slash ? slash + 1 : object->dlpi_name;
  return std::strncmp(name, "libmpich", 8) == 0 || std::strncmp(name, "libemu.", 7) == 0;
}

// Whether the object refers to a symbol that `wanted`, a Wanted, wants.
int refers(dl_phdr_info* object, std::size_t, void* wanted) {
  if (of_mpi(object)) return 0;
  const ElfW(Dyn)* d = dynamic_section(object);
  if (!d) return 0;
  Dynamic table;
  for (; d->d_tag != DT_NULL; ++d) {
    if (d->d_tag == DT_RELASZ) table.data.bytes = d->d_un.d_val;
    if (d->d_tag == DT_PLTRELSZ) table.calls.bytes = d->d_un.d_val;
    const auto* address = reinterpret_cast<const void*>(d->d_un.d_ptr);
    if (d->d_un.d_ptr < object->dlpi_addr) continue;  // not relocated (the vdso)
    if (d->d_tag == DT_SYMTAB) table.symbols = static_cast<const ElfW(Sym)*>(address);
    if (d->d_tag == DT_STRTAB) table.strings = static_cast<const char*>(address);
    if (d->d_tag == DT_RELA) table.data.first = static_cast<const ElfW(Rela)*>(address);
    if (d->d_tag == DT_JMPREL) table.calls.first = static_cast<const ElfW(Rela)*>(address);
  }
  if (!table.symbols || !table.strings) return 0;
  for (const Relocations& relocations : {table.data, table.calls}) {
    const std::size_t count = relocations.first ? relocations.bytes / sizeof(ElfW(Rela)) : 0;
    for (std::size_t i = 0; i < count; ++i) {
      const ElfW(Sym)& symbol = table.symbols[relocations.first[i].r_info >> symbol_shift];
      if (symbol.st_shndx == SHN_UNDEF && (*static_cast<Wanted*>(wanted))(table.strings + symbol.st_name))
        return 1;
    }
  }
  return 0;
}

bool declares(const char* symbol) { return std::strcmp(symbol, "emu_declare_compute") == 0; }

bool makes_windows(const char* symbol) {
  const auto begins = [](const char* text, const char* with) {
    return strncasecmp(text, with, std::strlen(with)) == 0;
  };
  if (*symbol == 'P' || *symbol == 'p') ++symbol;
  return begins(symbol, "mpi_win_allocate") ||
         (begins(symbol, "mpi_win_create") && !begins(symbol, "mpi_win_create_keyval") &&
          !begins(symbol, "mpi_win_create_errhandler"));
}

// MPI_File_read_shared, MPI_File_iwrite_shared_c and the like.
bool moves_pointers(const char* symbol) {
  if (*symbol == 'P' || *symbol == 'p') ++symbol;
  constexpr std::string_view file = "mpi_file_";
  if (strncasecmp(symbol, file.data(), file.size()) != 0) return false;
  symbol += file.size();
  if (*symbol == 'I' || *symbol == 'i') ++symbol;
  return strncasecmp(symbol, "read_shared", 11) == 0 || strncasecmp(symbol, "write_shared", 12) == 0;
}

bool any_refers(Wanted wanted) { return dl_iterate_phdr(&refers, &wanted) != 0; }

}  // namespace

bool program_declares_compute() { return any_refers(&declares); }

bool program_makes_windows() { return any_refers(&makes_windows); }

bool program_shares_pointers() { return any_refers(&moves_pointers); }

}  // namespace emu::mpi
