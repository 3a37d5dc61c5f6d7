#include "program/elf.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

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

// A file opened by libelf, which checks every access: a damaged file cannot crash it.
class Image {
 public:
  explicit Image(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) error_ = errno;
    elf_version(EV_CURRENT);
    if (fd_ >= 0) elf_ = elf_begin(fd_, ELF_C_READ_MMAP, nullptr);
  }
  ~Image() {
    elf_end(elf_);
    if (fd_ >= 0) ::close(fd_);
  }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  int error() const { return error_; }  // errno, if it cannot be opened
  ::Elf* elf() const { return elf_; }   // null if libelf cannot read it

 private:
  int fd_, error_ = 0;
  ::Elf* elf_ = nullptr;
};

// Checks that the segments and the table of sections of a header exist.
bool has_tables(::Elf* file, const GElf_Ehdr& header) {
  std::size_t segments = 0, sections = 0, bytes = 0;
  if (elf_getphdrnum(file, &segments) != 0 || elf_getshdrnum(file, &sections) != 0) return false;
  if (segments > 0 && header.e_phentsize != sizeof(Elf64_Phdr)) return false;
  if (!elf_rawfile(file, &bytes)) return false;
  return header.e_shoff <= bytes && header.e_shnum * sizeof(Elf64_Shdr) <= bytes - header.e_shoff;
}

std::vector<GElf_Phdr> segments_of(::Elf* file) {
  std::vector<GElf_Phdr> segments;
  GElf_Phdr segment;
  for (int i = 0; gelf_getphdr(file, i, &segment); ++i) segments.push_back(segment);
  return segments;
}

// The position in the file of the byte that is loaded to `address`.
std::optional<GElf_Off> file_offset(const std::vector<GElf_Phdr>& segments, GElf_Addr address) {
  for (const GElf_Phdr& s : segments)
    if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz)
      return address - s.p_vaddr + s.p_offset;
  return {};
}

// The entries of a dynamic section. False: the file is damaged.
bool read_entries(::Elf* file, const GElf_Phdr& segment, std::vector<GElf_Dyn>& entries) {
  const auto size = segment.p_filesz - segment.p_filesz % sizeof(Elf64_Dyn);
  Elf_Data* const data =
      elf_getdata_rawchunk(file, static_cast<std::int64_t>(segment.p_offset), size, ELF_T_DYN);
  GElf_Dyn entry;
  for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; ++i)
    entries.push_back(entry);
  return data != nullptr;
}

// Sets `interpreter`, which may be missing. False: the file is damaged.
bool read_interpreter(::Elf* file, Elf& elf) {
  for (const GElf_Phdr& segment : segments_of(file)) {
    if (segment.p_type != PT_INTERP) continue;
    const Elf_Data* const text =
        elf_getdata_rawchunk(file, static_cast<std::int64_t>(segment.p_offset), segment.p_filesz, ELF_T_BYTE);
    if (!text) return false;
    const auto* const path = static_cast<const char*>(text->d_buf);
    elf.interpreter.assign(path, ::strnlen(path, segment.p_filesz));
  }
  return true;
}

// Sets `dynamic` and `needed`, from the segments: a file need not have sections. False: it is damaged.
bool read_needed(::Elf* file, Elf& elf) {
  const std::vector<GElf_Phdr> segments = segments_of(file);
  for (const GElf_Phdr& segment : segments) {
    if (segment.p_type != PT_DYNAMIC) continue;
    elf.dynamic = true;
    std::vector<GElf_Dyn> entries;
    if (!read_entries(file, segment, entries)) return false;
    std::optional<GElf_Off> strings;
    GElf_Xword bytes = 0;
    for (const GElf_Dyn& entry : entries) {
      if (entry.d_tag == DT_STRTAB) strings = file_offset(segments, entry.d_un.d_ptr);
      if (entry.d_tag == DT_STRSZ) bytes = entry.d_un.d_val;
    }
    const Elf_Data* const text =
        strings ? elf_getdata_rawchunk(file, static_cast<std::int64_t>(*strings), bytes, ELF_T_BYTE)
                : nullptr;
    for (const GElf_Dyn& entry : entries) {
      if (entry.d_tag != DT_NEEDED) continue;
      if (!text || entry.d_un.d_val >= bytes) return false;
      const auto* const name = static_cast<const char*>(text->d_buf) + entry.d_un.d_val;
      elf.needed.emplace_back(name, ::strnlen(name, bytes - entry.d_un.d_val));
    }
  }
  return true;
}

// Sets `imports` and `exports` from the section of dynamic symbols. A file without section headers has
// neither. False: the file is damaged.
bool read_symbols(::Elf* file, Elf& elf) {
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(file, section));) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header)) return false;
    if (header.sh_type != SHT_DYNSYM) continue;
    Elf_Data* const data = elf_getdata(section, nullptr);
    if (!data) return false;
    GElf_Sym symbol;
    for (int i = 0; gelf_getsym(data, i, &symbol); ++i) {
      if (symbol.st_name == 0) continue;
      const char* const name = elf_strptr(file, header.sh_link, symbol.st_name);
      if (!name) return false;
      (symbol.st_shndx == SHN_UNDEF ? elf.imports : elf.exports).push_back(name);
    }
  }
  return true;
}

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
  if (bytes == std::string_view(ELFMAG, SELFMAG)) return FileKind::elf;
  return bytes.substr(0, 2) == "#!" ? FileKind::script : FileKind::other;
}

bool has_other_rights(const std::string& path) {
  struct stat file {};
  struct statvfs system {};
  if (stat(path.c_str(), &file) != 0 || statvfs(path.c_str(), &system) != 0 ||
      (system.f_flag & ST_NOSUID) != 0)
    return false;
  return ((file.st_mode & S_ISUID) != 0 && file.st_uid != getuid()) ||
         ((file.st_mode & S_ISGID) != 0 && (file.st_mode & S_IXGRP) != 0 && file.st_gid != getgid());
}

Result<Elf> read_elf(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    return fail(path + ": " + (error ? error.message() : "not a regular file"));
  const Image image(path);
  if (image.error()) return fail(path + ": cannot be opened: " + std::strerror(image.error()));
  if (const auto kind = file_kind(path); !kind || *kind != FileKind::elf)
    return fail(path + ": not a program for this machine (expected an ELF file)");
  GElf_Ehdr header;
  Elf elf;
  if (!gelf_getehdr(image.elf(), &header)) return fail(path + ": is a damaged or cut off ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != byte_order ||
      (machine != EM_NONE && header.e_machine != machine))
    return fail(path + ": is an ELF file for another kind of machine");
  if (!has_tables(image.elf(), header) || !read_interpreter(image.elf(), elf) ||
      !read_needed(image.elf(), elf) || !read_symbols(image.elf(), elf))
    return fail(path + ": is a damaged or cut off ELF file");
  return elf;
}

}  // namespace emu::app
