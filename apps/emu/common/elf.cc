#include "common/elf.h"

#include <linux/elf.h>  // not <elf.h>: that name is taken by the header above

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>

namespace emu::app {
namespace {

#if defined(__x86_64__)
constexpr unsigned machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned machine = EM_AARCH64;
#elif defined(__riscv)
constexpr unsigned machine = EM_RISCV;
#elif defined(__powerpc64__)
constexpr unsigned machine = EM_PPC64;
#else
constexpr unsigned machine = EM_NONE;
#endif
constexpr unsigned char byte_order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

Result<std::string> contents(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    return fail(path + ": " + (error ? error.message() : "is no regular file"));
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(path + ": cannot be opened: " + std::strerror(errno));
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// The file's bytes, with every access checked: a damaged file must not crash the reader.
class Image {
 public:
  explicit Image(std::string bytes) : bytes_(std::move(bytes)) {}

  bool inside(std::uint64_t offset, std::uint64_t size) const {
    return offset <= bytes_.size() && size <= bytes_.size() - offset;
  }
  template <class T>
  std::optional<T> at(std::uint64_t offset) const {
    if (!inside(offset, sizeof(T))) return {};
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }
  // The zero-terminated string at `offset`; nullopt if no zero follows.
  std::optional<std::string> string_at(std::uint64_t offset) const {
    if (offset >= bytes_.size()) return {};
    const auto end = bytes_.find('\0', offset);
    if (end == std::string::npos) return {};
    return bytes_.substr(offset, end - offset);
  }

 private:
  std::string bytes_;
};

// The `count` records of type T at `offset`; nullopt if they reach beyond the file.
template <class T>
std::optional<std::vector<T>> records(const Image& image, std::uint64_t offset, std::uint64_t count) {
  if (count > UINT32_MAX || !image.inside(offset, count * sizeof(T))) return {};
  std::vector<T> result;
  for (std::uint64_t i = 0; i < count; ++i) result.push_back(*image.at<T>(offset + i * sizeof(T)));
  return result;
}

// Where the byte that is loaded to `address` stands in the file.
std::optional<std::uint64_t> file_offset(std::span<const Elf64_Phdr> segments, std::uint64_t address) {
  for (const Elf64_Phdr& s : segments) {
    if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz)
      return address - s.p_vaddr + s.p_offset;
  }
  return {};
}

// Fills in `dynamic` and `needed`. False: the file is damaged.
bool read_needed(const Image& image, std::span<const Elf64_Phdr> segments, Elf& elf) {
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_DYNAMIC) continue;
    const auto entries = records<Elf64_Dyn>(image, segment.p_offset, segment.p_filesz / sizeof(Elf64_Dyn));
    if (!entries) return false;
    elf.dynamic = true;
    std::optional<std::uint64_t> strings;
    for (const Elf64_Dyn& entry : *entries)
      if (entry.d_tag == DT_STRTAB) strings = file_offset(segments, entry.d_un.d_ptr);
    for (const Elf64_Dyn& entry : *entries) {
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag != DT_NEEDED) continue;
      const auto name = strings ? image.string_at(*strings + entry.d_un.d_val) : std::nullopt;
      if (!name) return false;
      elf.needed.push_back(*name);
    }
  }
  return true;
}

// Fills in `imports` and `exports` from the section of dynamic symbols. A file without section headers has
// neither. False: the file is damaged.
bool read_symbols(const Image& image, const Elf64_Ehdr& header, Elf& elf) {
  if (header.e_shoff == 0 || header.e_shentsize != sizeof(Elf64_Shdr)) return true;
  const auto sections = records<Elf64_Shdr>(image, header.e_shoff, header.e_shnum);
  if (!sections) return false;
  for (const Elf64_Shdr& section : *sections) {
    if (section.sh_type != SHT_DYNSYM) continue;
    if (section.sh_link >= sections->size()) return false;
    const std::uint64_t strings = (*sections)[section.sh_link].sh_offset;
    const auto symbols = records<Elf64_Sym>(image, section.sh_offset, section.sh_size / sizeof(Elf64_Sym));
    if (!symbols) return false;
    for (const Elf64_Sym& symbol : *symbols) {
      if (symbol.st_name == 0) continue;
      const auto name = image.string_at(strings + symbol.st_name);
      if (!name) return false;
      (symbol.st_shndx == SHN_UNDEF ? elf.imports : elf.exports).push_back(*name);
    }
  }
  return true;
}

bool is_elf(std::string_view bytes) { return bytes.substr(0, SELFMAG) == std::string_view(ELFMAG, SELFMAG); }

}  // namespace

bool Elf::needs(std::string_view stem) const {
  return std::any_of(needed.begin(), needed.end(), [&](const std::string& path) {
    const std::string name = std::filesystem::path(path).filename();
    return name == stem || name.compare(0, stem.size() + 1, std::string(stem) + ".") == 0;
  });
}

bool Elf::needs_mpi() const {
  for (const char* library : {"libmpich.so", "libmpichcxx.so", "libmpichfort.so", "libmpi.so", "libmpicxx.so",
                              "libmpi_cxx.so", "libmpifort.so", "libmpi_mpifh.so"})
    if (needs(library)) return true;
  return false;
}

bool Elf::has_shim() const {
  return needs("libemu.so") || std::find(exports.begin(), exports.end(), "emu_is_active") != exports.end();
}

Result<FileKind> file_kind(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  char start[SELFMAG] = {};
  in.read(start, sizeof start);
  if (in.gcount() == 0) return fail(path + (in.eof() ? ": is empty" : ": cannot be read"));
  const std::string_view bytes(start, static_cast<std::size_t>(in.gcount()));
  if (is_elf(bytes)) return FileKind::elf;
  return bytes.substr(0, 2) == "#!" ? FileKind::script : FileKind::other;
}

Result<Elf> read_elf(const std::string& path) {
  auto bytes = contents(path);
  if (!bytes) return tl::unexpected(bytes.error());
  const auto damaged = [&] { return fail(path + ": is a damaged or cut off ELF file"); };
  if (!is_elf(*bytes)) return fail(path + ": is no program for this machine (no ELF file)");
  const Image image(std::move(*bytes));
  const auto header = image.at<Elf64_Ehdr>(0);
  if (!header) return damaged();
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != byte_order ||
      (machine != EM_NONE && header->e_machine != machine))
    return fail(path + ": is an ELF file for another kind of machine");
  if (header->e_phnum != 0 && header->e_phentsize != sizeof(Elf64_Phdr)) return damaged();
  const auto segments = records<Elf64_Phdr>(image, header->e_phoff, header->e_phnum);
  Elf elf;
  if (!segments || !read_needed(image, *segments, elf) || !read_symbols(image, *header, elf))
    return damaged();
  return elf;
}

}  // namespace emu::app
