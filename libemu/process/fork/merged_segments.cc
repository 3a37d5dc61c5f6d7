#include "process/fork/merged_segments.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace emu::mpi {

namespace {

struct Range {
  std::uintptr_t begin = 0, end = 0;
};

Range pages_of(const dl_phdr_info& object, const ElfW(Phdr) & segment, std::uintptr_t rounding) {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
  return {begin / page * page, (begin + segment.p_memsz + rounding * (page - 1)) / page * page};
}

// Without effect if the kernel refuses it.
void protect(const Range& range, int protection) {
  if (range.end > range.begin)
    mprotect(reinterpret_cast<void*>(range.begin), range.end - range.begin, protection);
}

// The segments are in order of address.
void merge_read_only(const dl_phdr_info& object) {
  Range merged;
  bool code = false;
  const auto finish = [&] {
    if (code) protect(merged, PROT_READ | PROT_EXEC);
  };
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W)) continue;
    const Range pages = pages_of(object, segment, 1);
    if (pages.begin != merged.end) {
      finish();
      merged.begin = pages.begin;
      code = false;
    }
    merged.end = pages.end;
    code = code || (segment.p_flags & PF_X);
  }
  finish();
}

// The dynamic linker protects whole pages only: the last one may contain other data.
void merge_relocated(const dl_phdr_info& object) {
  for (int i = 0; i < object.dlpi_phnum; ++i)
    if (object.dlpi_phdr[i].p_type == PT_GNU_RELRO)
      protect(pages_of(object, object.dlpi_phdr[i], 0), PROT_READ | PROT_WRITE);
}

// For dl_iterate_phdr().
int merge(dl_phdr_info* object, std::size_t, void* objects) {
  const auto& all = *static_cast<const std::vector<const link_map*>*>(objects);
  const auto is_this = [&](const link_map* map) { return map->l_addr == object->dlpi_addr; };
  if (std::none_of(all.begin(), all.end(), is_this)) return 0;
  merge_read_only(*object);
  merge_relocated(*object);
  return 0;
}

}  // namespace

void merge_segments(const std::vector<const link_map*>& objects) {
  dl_iterate_phdr(merge, const_cast<std::vector<const link_map*>*>(&objects));
}

}  // namespace emu::mpi
