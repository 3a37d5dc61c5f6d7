#include "process/start/program_symbols.h"

#include <elf.h>
#include <link.h>
#include <strings.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <string_view>

namespace emu::mpi {

namespace {

// The references of an object to others are in its relocations. Its hash table is less
// complete: it may contain undefined weak symbols, and is empty if the object exports nothing.
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

struct Search {
  Wanted wanted = nullptr;
  bool own = false;  // only in the program itself, not in the libraries that it loaded
};

// The position of the symbol's number in a relocation.
constexpr int symbol_shift = sizeof(ElfW(Addr)) == 8 ? 32 : 8;

// True for the MPI library and libemu, whose references are not the program's.
bool of_mpi(const dl_phdr_info* object) {
  const char* const slash = std::strrchr(object->dlpi_name, '/');
  const char* const name = slash ? slash + 1 : object->dlpi_name;
  return std::strncmp(name, "libmpich", 8) == 0 || std::strncmp(name, "libemu.", 7) == 0;
}

// True if the object refers to a wanted symbol; -1: no further object counts.
int refers(dl_phdr_info* object, std::size_t, void* what) {
  const Search& search = *static_cast<Search*>(what);
  const int no = search.own ? -1 : 0;  // the program itself is the first object
  if (of_mpi(object)) return no;
  const ElfW(Dyn)* d = dynamic_section(object);
  if (!d) return no;
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
  if (!table.symbols || !table.strings) return no;
  for (const Relocations& relocations : {table.data, table.calls}) {
    const std::size_t count = relocations.first ? relocations.bytes / sizeof(ElfW(Rela)) : 0;
    for (std::size_t i = 0; i < count; ++i) {
      const ElfW(Sym)& symbol = table.symbols[relocations.first[i].r_info >> symbol_shift];
      if (symbol.st_shndx == SHN_UNDEF && search.wanted(table.strings + symbol.st_name)) return 1;
    }
  }
  return no;
}

bool declares(const char* symbol) { return std::strcmp(symbol, "emu_declare_compute") == 0; }

// True for an MPI function of C, of Fortran, or of the profiling interface, whose name begins with one of these.
bool begins(const char* symbol, std::initializer_list<std::string_view> names) {
  if (*symbol == 'P' || *symbol == 'p') ++symbol;
  return std::any_of(names.begin(), names.end(), [symbol](std::string_view name) {
    return strncasecmp(symbol, name.data(), name.size()) == 0;
  });
}

bool makes_windows(const char* symbol) {
  return begins(symbol, {"mpi_win_allocate", "mpi_win_create"}) &&
         !begins(symbol, {"mpi_win_create_keyval", "mpi_win_create_errhandler"});
}

bool moves_pointers(const char* symbol) {
  return begins(symbol, {"mpi_file_read_shared", "mpi_file_write_shared", "mpi_file_iread_shared",
                         "mpi_file_iwrite_shared"});
}

bool cancels(const char* symbol) { return begins(symbol, {"mpi_cancel"}); }

bool begins_sends(const char* symbol) {
  return begins(symbol, {"mpi_isend", "mpi_issend", "mpi_ibsend", "mpi_irsend", "mpi_send_init",
                         "mpi_ssend_init", "mpi_bsend_init", "mpi_rsend_init"}) &&
         !begins(symbol, {"mpi_isendrecv"});
}

// True if the program refers to such a symbol. The result is kept until further objects are loaded, also for forked
// ranks.
template <Wanted wanted, bool own = false>
bool program_refers() {
  static unsigned long long known = 0;
  static bool answer = false;
  if (const auto now = loaded_objects(); now != known) {
    Search search{wanted, own};
    answer = dl_iterate_phdr(&refers, &search) > 0;
    known = now;
  }
  return answer;
}

}  // namespace

unsigned long long loaded_objects() {
  unsigned long long number = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* to) {
        *static_cast<unsigned long long*>(to) = object->dlpi_adds;
        return 1;
      },
      &number);
  return number;
}

bool program_declares_compute() { return program_refers<&declares>(); }

bool program_makes_windows() { return program_refers<&makes_windows>(); }

bool program_cancels_sends() {
  return program_refers<&cancels, true>() && program_refers<&begins_sends, true>();
}

bool program_shares_pointers() { return program_refers<&moves_pointers>(); }

}  // namespace emu::mpi
