#include "check/reach.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

namespace emu::app {

namespace {

// Bytes that are loaded to `address`.
struct Bytes {
  GElf_Addr address = 0;
  const unsigned char* data = nullptr;
  std::size_t size = 0;

  GElf_Addr end() const { return address + size; }
  template <class Number>
  Number at(std::size_t offset) const {
    Number number;
    std::memcpy(&number, data + offset, sizeof number);
    return number;
  }
};

constexpr GElf_Word relr = 19;  // SHT_RELR, which older headers do not have

struct Code {
  Bytes bytes;
  std::set<std::string> names;
  bool reached = false;
};

class Reach {
 public:
  Reach(::Elf* elf, const std::set<std::string>& called) : elf_(elf), called_(called) {}

  std::set<std::string> unreached() {
    GElf_Ehdr header;
    if (!gelf_getehdr(elf_, &header) || header.e_machine != EM_X86_64 || !read()) return {};
    absolute_ = header.e_type == ET_EXEC;
    if (functions_.empty()) return {};
    read_relocations();
    find_stubs();
    cover();
    reach(header.e_entry);
    for (auto& [address, code] : functions_)
      for (const std::string& name : code.names)
        if (name == "main" || name == "_init" || name == "_fini" || called_.count(name)) reach(address);
    for (const Bytes& data : data_)
      for (std::size_t i = 0; absolute_ && i + 8 <= data.size; i += 8) reach(data.at<std::uint64_t>(i));
    while (!work_.empty()) {
      const Bytes next = work_.back();
      work_.pop_back();
      scan(next);
    }
    std::set<std::string> rest;
    for (const auto& [slot, name] : slots_)
      if (!found_.count(name)) rest.insert(name);
    return rest;
  }

 private:
  bool read() {
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section));) {
      GElf_Shdr header;
      if (!gelf_getshdr(section, &header)) return false;
      if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM) read_functions(section, header);
      if (!(header.sh_flags & SHF_ALLOC) || header.sh_type == SHT_NOBITS) continue;
      Elf_Data* const data = elf_rawdata(section, nullptr);
      if (!data || !data->d_buf) continue;
      const Bytes bytes{header.sh_addr, static_cast<const unsigned char*>(data->d_buf), data->d_size};
      const char* const name = section_name(header);
      if (!(header.sh_flags & SHF_EXECINSTR))
        data_.push_back(bytes);
      else if (std::strncmp(name, ".plt", 4) == 0)
        stub_sections_.push_back(bytes);
      else
        code_.push_back(bytes);
    }
    for (auto& [address, code] : functions_) limit(address, code);
    return true;
  }

  const char* section_name(const GElf_Shdr& header) {
    std::size_t names = 0;
    elf_getshdrstrndx(elf_, &names);
    const char* const name = elf_strptr(elf_, names, header.sh_name);
    return name ? name : "";
  }

  void read_functions(Elf_Scn* section, const GElf_Shdr& header) {
    Elf_Data* const data = elf_getdata(section, nullptr);
    GElf_Sym symbol;
    for (int i = 0; data && gelf_getsym(data, i, &symbol); ++i) {
      if (symbol.st_shndx == SHN_UNDEF) continue;
      const auto type = GELF_ST_TYPE(symbol.st_info);
      const char* const name = elf_strptr(elf_, header.sh_link, symbol.st_name);
      if (type != STT_FUNC && type != STT_GNU_IFUNC) continue;
      Code& code = functions_[symbol.st_value];
      code.bytes.size = std::max<std::size_t>(code.bytes.size, symbol.st_size);
      if (name) code.names.insert(name);
    }
  }

  // Where the function's bytes stand.
  void limit(GElf_Addr address, Code& code) const {
    code.bytes.address = address;
    for (const Bytes& section : code_) {
      if (address < section.address || address >= section.end()) continue;
      code.bytes.data = section.data + (address - section.address);
      code.bytes.size = std::min<std::size_t>(code.bytes.size, section.end() - address);
      return;
    }
    code.bytes.size = 0;
  }

  // The places that hold the addresses of imports; and functions whose addresses stand in data.
  void read_relocations() {
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section));) {
      GElf_Shdr header, symbols;
      if (gelf_getshdr(section, &header) && header.sh_type == relr) read_packed(section);
      if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA || !(header.sh_flags & SHF_ALLOC))
        continue;
      Elf_Data* const data = elf_getdata(section, nullptr);
      Elf_Scn* const table = elf_getscn(elf_, header.sh_link);
      Elf_Data* const names = table && gelf_getshdr(table, &symbols) ? elf_getdata(table, nullptr) : nullptr;
      GElf_Rela entry;
      for (int i = 0; data && gelf_getrela(data, i, &entry); ++i) {
        const auto kind = GELF_R_TYPE(entry.r_info);
        GElf_Sym symbol;
        const bool named = names && GELF_R_SYM(entry.r_info) > 0 &&
                           gelf_getsym(names, static_cast<int>(GELF_R_SYM(entry.r_info)), &symbol);
        const char* const name = named ? elf_strptr(elf_, symbols.sh_link, symbol.st_name) : nullptr;
        if (!named) {
          reach(static_cast<GElf_Addr>(entry.r_addend));
        } else if (symbol.st_shndx != SHN_UNDEF) {
          // Others may put another in its place, but it is in reach by its slot only.
          if (kind == R_X86_64_64)
            reach(symbol.st_value);
          else
            aliases_[entry.r_offset] = symbol.st_value;
        } else if (name && kind == R_X86_64_64) {
          slots_[entry.r_offset] = name;
          found_.insert(name);  // data can be read from anywhere
        } else if (name) {
          slots_[entry.r_offset] = name;
        }
      }
    }
  }

  // Places in data that hold addresses: one, or a bit for each of the 63 words behind those before (the generic ELF
  // specification's SHT_RELR).
  void read_packed(Elf_Scn* section) {
    Elf_Data* const data = elf_rawdata(section, nullptr);
    if (!data || !data->d_buf) return;
    const Bytes entries{0, static_cast<const unsigned char*>(data->d_buf), data->d_size};
    GElf_Addr place = 0;
    for (std::size_t i = 0; i + 8 <= entries.size; i += 8) {
      const auto entry = entries.at<std::uint64_t>(i);
      if (entry % 2 == 0) {
        reach_from(entry);
        place = entry + 8;
        continue;
      }
      for (unsigned bit = 1; bit < 64; ++bit)
        if (entry >> bit & 1) reach_from(place + (bit - 1) * 8);
      place += std::uint64_t{63} * 8;
    }
  }
  void reach_from(GElf_Addr place) {
    for (const Bytes& data : data_)
      if (place >= data.address && place + 8 <= data.end())
        reach(data.at<std::uint64_t>(static_cast<std::size_t>(place - data.address)));
  }

  // jmp *slot(%rip): what a call of an import goes to.
  void find_stubs() {
    for (const Bytes& section : stub_sections_)
      for (std::size_t i = 0; i + 6 <= section.size; ++i) {
        if (section.data[i] != 0xff || section.data[i + 1] != 0x25) continue;
        const GElf_Addr slot =
            section.address + i + 6 + static_cast<GElf_Addr>(section.at<std::int32_t>(i + 2));
        for (std::size_t start = i - i % 8, n = 0; n < 2; ++n, start -= start >= 8 ? 8 : 0)
          stubs_[section.address + start] = slot;
      }
  }

  // Code that belongs to no function that is known can be come to in ways that are not.
  void cover() {
    for (const Bytes& section : code_) {
      GElf_Addr at = section.address;
      for (auto i = functions_.lower_bound(at); i != functions_.end() && i->first < section.end(); ++i) {
        // What fills up to an aligned function may look like a reference to it.
        if (i->first > at + 15) work_.push_back(part(section, at, i->first));
        at = std::max(at, i->second.bytes.end());
      }
      if (at < section.end()) work_.push_back(part(section, at, section.end()));
    }
  }
  static Bytes part(const Bytes& section, GElf_Addr from, GElf_Addr to) {
    return {from, section.data + (from - section.address), static_cast<std::size_t>(to - from)};
  }

  void reach(GElf_Addr address) {
    const auto found = functions_.find(address);
    if (found == functions_.end() || found->second.reached) return;
    found->second.reached = true;
    work_.push_back(found->second.bytes);
  }

  void refer(GElf_Addr address) {
    if (const auto stub = stubs_.find(address); stub != stubs_.end()) address = stub->second;
    if (const auto alias = aliases_.find(address); alias != aliases_.end()) reach(alias->second);
    if (const auto slot = slots_.find(address); slot != slots_.end()) found_.insert(slot->second);
    reach(address);
  }

  void scan(const Bytes& bytes) {
    // Jumps over a short way: jmp, and those on a condition.
    for (std::size_t i = 0; bytes.data && i + 2 <= bytes.size; ++i)
      if (bytes.data[i] == 0xeb || (bytes.data[i] & 0xf0) == 0x70)
        refer(bytes.address + i + 2 + static_cast<GElf_Addr>(bytes.at<std::int8_t>(i + 1)));
    for (std::size_t i = 0; bytes.data && i + 4 <= bytes.size; ++i) {
      const auto number = bytes.at<std::int32_t>(i);
      if (number == 0) continue;  // what fills up to a function is no reference to it
      refer(bytes.address + i + 4 + static_cast<GElf_Addr>(number));
      if (absolute_) refer(static_cast<GElf_Addr>(static_cast<std::uint32_t>(number)));
    }
  }

  ::Elf* const elf_;
  const std::set<std::string>& called_;
  bool absolute_ = false;  // addresses stand in the code as they are
  std::vector<Bytes> code_, stub_sections_, data_;
  std::map<GElf_Addr, Code> functions_;
  std::map<GElf_Addr, std::string> slots_;  // the import whose address stands there
  std::map<GElf_Addr, GElf_Addr> aliases_;  // the file's own function whose address stands there
  std::map<GElf_Addr, GElf_Addr> stubs_;    // the slot that it jumps to
  std::vector<Bytes> work_;                 // reached, and not looked through
  std::set<std::string> found_;
};

}  // namespace

std::set<std::string> unreached_imports(const std::string& path, const std::set<std::string>& called) {
  elf_version(EV_CURRENT);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::set<std::string> rest;
  if (::Elf* const elf = elf_begin(fd, ELF_C_READ, nullptr)) {
    rest = Reach(elf, called).unreached();
    elf_end(elf);
  }
  ::close(fd);
  return rest;
}

}  // namespace emu::app
