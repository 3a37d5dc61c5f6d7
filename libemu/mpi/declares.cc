#include "mpi/declares.h"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>

namespace emu::mpi {

namespace {

struct Dynamic {
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  const std::uint32_t* gnu_hash = nullptr;
  const ElfW(Word) * hash = nullptr;

  // Undefined symbols stand in front of those that the hash table lists.
  std::size_t undefined_end() const { return gnu_hash ? gnu_hash[1] : hash ? hash[1] : 0; }
};

const ElfW(Dyn) * dynamic_section(const dl_phdr_info* object) {
  for (int i = 0; i < object->dlpi_phnum; ++i)
    if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
      return reinterpret_cast<const ElfW(Dyn)*>(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
  return nullptr;
}

int refers(dl_phdr_info* object, std::size_t, void*) {
  const ElfW(Dyn)* d = dynamic_section(object);
  if (!d) return 0;
  Dynamic table;
  for (; d->d_tag != DT_NULL; ++d) {
    const auto* address = reinterpret_cast<const void*>(d->d_un.d_ptr);
    if (d->d_un.d_ptr < object->dlpi_addr) continue;  // not relocated (the vdso)
    if (d->d_tag == DT_SYMTAB) table.symbols = static_cast<const ElfW(Sym)*>(address);
    if (d->d_tag == DT_STRTAB) table.strings = static_cast<const char*>(address);
    if (d->d_tag == DT_GNU_HASH) table.gnu_hash = static_cast<const std::uint32_t*>(address);
    if (d->d_tag == DT_HASH) table.hash = static_cast<const ElfW(Word)*>(address);
  }
  if (!table.symbols || !table.strings) return 0;
  for (std::size_t i = 1; i < table.undefined_end(); ++i) {
    const ElfW(Sym)& symbol = table.symbols[i];
    if (symbol.st_shndx == SHN_UNDEF &&
        std::strcmp(table.strings + symbol.st_name, "emu_declare_compute") == 0)
      return 1;
  }
  return 0;
}

}  // namespace

bool program_declares_compute() { return dl_iterate_phdr(&refers, nullptr) != 0; }

}  // namespace emu::mpi
