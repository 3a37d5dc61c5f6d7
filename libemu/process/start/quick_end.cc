#include "process/start/quick_end.h"

#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <string>
#include <vector>

#include "process/start/fork_start.h"
#include "process/start/program_symbols.h"

namespace emu::mpi {

namespace {

bool allowed = false;
unsigned long long objects = 0;  // loaded when the ranks were forked

struct Object {
  const link_map* map = nullptr;
  std::vector<std::string> names;   // of its file, and DT_SONAME
  std::vector<std::string> needed;  // DT_NEEDED
  bool reached = false;
};

const char* base_name(const char* path) {
  const char* const slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}

Object read(const link_map* map) {
  Object object{map, {base_name(map->l_name)}, {}, false};
  const char* strings = nullptr;
  for (const ElfW(Dyn)* entry = map->l_ld; entry && entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_STRTAB &&
        entry->d_un.d_ptr >= map->l_addr)  // relocated, unlike the kernel's object
      strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  for (const ElfW(Dyn)* entry = map->l_ld; strings && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SONAME) object.names.emplace_back(strings + entry->d_un.d_val);
    if (entry->d_tag == DT_NEEDED) object.needed.emplace_back(strings + entry->d_un.d_val);
  }
  return object;
}

// The program is the first object.
std::vector<Object> read_all() {
  std::vector<Object> all;
  void* const program = dlopen(nullptr, RTLD_LAZY | RTLD_NOLOAD);
  for (const auto* map = static_cast<const link_map*>(program); map; map = map->l_next)
    all.push_back(read(map));
  if (program) dlclose(program);
  return all;
}

// Marks the objects that `from` needs, directly or indirectly.
void reach(std::vector<Object>& all, Object& from) {
  if (from.reached) return;
  from.reached = true;
  for (const std::string& needed : from.needed)
    for (Object& object : all)
      for (const std::string& name : object.names)
        if (name == needed) reach(all, object);
}

bool of_kernel(const Object& object) { return object.names.front().starts_with("linux-vdso"); }

}  // namespace

void allow_quick_end() {
  Dl_info info{};
  void* own = nullptr;
  if (dladdr1(reinterpret_cast<void*>(&allow_quick_end), &info, &own, RTLD_DL_LINKMAP) == 0) return;
  std::vector<Object> all = read_all();
  if (all.empty() || all.front().map == own) return;  // libemu is linked into the program
  for (Object& object : all)
    if (object.map == own) reach(all, object);
  all.front().reached = true;
  for (const Object& object : all)
    if (!object.reached && !of_kernel(object)) return;
  allowed = true;
  objects = loaded_objects();
}

bool may_end_quickly() { return allowed && forked_rank() && loaded_objects() == objects; }

}  // namespace emu::mpi
