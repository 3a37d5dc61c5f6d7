#include "process/fork/huge_text.h"

#include <link.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/huge_pages.h"

namespace emu::mpi {

namespace {

struct Text {
  std::uintptr_t begin = 0, end = 0;
  bool alone = true;  // no other segment of libemu is in the last huge page
};

// For dl_iterate_phdr(): finds the segment of this function.
int find_text(dl_phdr_info* object, std::size_t, void* result) {
  auto& text = *static_cast<Text*>(result);
  const auto own = reinterpret_cast<std::uintptr_t>(&find_text);
  const auto begin = [&](const ElfW(Phdr) & segment) { return object->dlpi_addr + segment.p_vaddr; };
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || own < begin(segment) || own - begin(segment) >= segment.p_memsz)
      continue;
    text.begin = begin(segment);
    text.end = text.begin + segment.p_memsz;
  }
  if (text.end == 0) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && begin(segment) >= text.end &&
        begin(segment) < round_up_to_huge_page(text.end))
      text.alone = false;
  }
  return 1;
}

// Memory of this size that begins with a huge page. begin(): null if there is no memory.
class Room {
 public:
  explicit Room(std::size_t bytes) : bytes_(bytes + huge_page) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  ~Room() {
    if (memory_ != MAP_FAILED) munmap(memory_, bytes_);
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  void* begin() const {
    if (memory_ == MAP_FAILED) return nullptr;
    return reinterpret_cast<void*>(round_up_to_huge_page(reinterpret_cast<std::uintptr_t>(memory_)));
  }

 private:
  void* memory_;
  std::size_t bytes_;
};

}  // namespace

void move_text_to_huge_pages() {
  Text text;
  dl_iterate_phdr(find_text, &text);
  if (text.begin == 0 || text.begin % huge_page != 0 || !text.alone) return;
  const std::size_t bytes = round_up_to_huge_page(text.end) - text.begin;
  const Room room(bytes);
  void* const copy = room.begin();
  if (!copy || madvise(copy, bytes, MADV_HUGEPAGE) != 0) return;
  std::memcpy(copy, reinterpret_cast<const void*>(text.begin), text.end - text.begin);
  // An error: the pages are small, and every fork would copy their entries of the page table.
  if (!move_to_huge_pages(copy, bytes)) return;
  __builtin___clear_cache(static_cast<char*>(copy), static_cast<char*>(copy) + bytes);
  // Core dumps have the code in its file.
  if (madvise(copy, bytes, MADV_DONTDUMP) != 0 || mprotect(copy, bytes, PROT_READ | PROT_EXEC) != 0) return;
  // No code of libemu runs while the kernel replaces the pages. Only a lack of the kernel's own memory is an error; the
  // old pages may be gone then, and the job ends.
  (void)mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, reinterpret_cast<void*>(text.begin));
}

}  // namespace emu::mpi
