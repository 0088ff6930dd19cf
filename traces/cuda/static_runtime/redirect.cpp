// Redirects the calls of programs and libraries that contain NVIDIA's runtime library (nvcc's default) to
// Strata's, and makes its run-time compiler output PTX. The dynamic linker reports each object when it has
// been mapped, before its code runs (LD_AUDIT, rtld-audit(7)). If the object's symbol table has functions of
// the runtime, a jump is written over the begin of each.
#include <cstddef>
#include <cstdint>
#include <elf.h>
#include <link.h>
#include <new>

#include "traces/cuda/static_runtime/bare.h"

namespace strata::cuda {

/// A program or library, mapped for reading: its functions by name. Data beyond the end of the file are
/// treated as absent.
class ElfFile {
 public:
  explicit ElfFile(const char* path);
  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  /// Calls does(name, address, bytes, number) for each function defined in the first table of this type:
  /// SHT_SYMTAB or SHT_DYNSYM.
  template <class Does>
  void functions(std::uint32_t table, Does&& does) const {
    const Elf64_Shdr* const symbols = section_of(table);
    if (symbols == nullptr || symbols->sh_link >= sections_) return;
    const Elf64_Shdr& names = headers_[symbols->sh_link];
    if (!holds(names.sh_offset, names.sh_size) || names.sh_size == 0) return;
    const char* const text = reinterpret_cast<const char*>(data_ + names.sh_offset);
    if (text[names.sh_size - 1] != '\0') return;
    const auto* const all = reinterpret_cast<const Elf64_Sym*>(data_ + symbols->sh_offset);
    const std::size_t count = symbols->sh_size / sizeof *all;
    for (std::size_t i = 0; i < count; ++i)
      if (ELF64_ST_TYPE(all[i].st_info) == STT_FUNC && all[i].st_shndx != SHN_UNDEF &&
          all[i].st_name < names.sh_size)
        does(text + all[i].st_name, all[i].st_value, all[i].st_size, i);
  }
  /// The loaded segment that contains this address; null if there is none.
  const Elf64_Phdr* segment(std::uint64_t address) const;

 private:
  bool holds(std::uint64_t offset, std::uint64_t bytes) const {
    return offset <= bytes_ && bytes <= bytes_ - offset;
  }
  const Elf64_Shdr* section_of(std::uint32_t type) const;

  std::size_t bytes_ = 0, sections_ = 0, segments_ = 0;
  const unsigned char* data_ = nullptr;
  const Elf64_Shdr* headers_ = nullptr;
  const Elf64_Phdr* loads_ = nullptr;
};

namespace {

/// A line of /proc/self/maps: `first-end rwxp offset device inode   path`.
class Line {
 public:
  void add(char c) {
    if (length_ < sizeof text_) text_[length_++] = c;
  }
  bool holds(std::uint64_t address) const {
    std::size_t at = 0;
    const std::uint64_t first = hexadecimal(at);
    ++at;
    return address >= first && address < hexadecimal(at);
  }
  std::size_t folder(char* to, std::size_t most) const {
    std::size_t first = 0, end = length_;
    while (first < length_ && text_[first] != '/') ++first;
    while (end > first && text_[end - 1] != '/') --end;
    if (end - first > most) return 0;
    for (std::size_t i = first; i < end; ++i) to[i - first] = text_[i];
    return end - first;
  }
  void clear() { length_ = 0; }

 private:
  std::uint64_t hexadecimal(std::size_t& at) const {
    std::uint64_t value = 0;
    for (; at < length_; ++at) {
      const char c = text_[at];
      if (c >= '0' && c <= '9')
        value = value * 16 + static_cast<std::uint64_t>(c - '0');
      else if (c >= 'a' && c <= 'f')
        value = value * 16 + static_cast<std::uint64_t>(c - 'a' + 10);
      else
        break;
    }
    return value;
  }
  char text_[4352];
  std::size_t length_ = 0;
};

}  // namespace

/// The folder of this library's file, with a slash at its end, and its length; 0 if it is unknown or longer
/// than `most`.
std::size_t own_folder(char* to, std::size_t most) {
  const long file = ask_system(SYS_openat, AT_FDCWD, number_of("/proc/self/maps"), O_RDONLY | O_CLOEXEC);
  const auto own = reinterpret_cast<std::uint64_t>(&own_folder);
  Line line;
  std::size_t found = 0;
  char some[4096];
  for (long got = 1; file >= 0 && found == 0 && got > 0;) {
    got = ask_system(SYS_read, file, number_of(some), sizeof some);
    for (long i = 0; i < got && found == 0; ++i) {
      if (some[i] != '\n') {
        line.add(some[i]);
        continue;
      }
      if (line.holds(own)) found = line.folder(to, most);
      line.clear();
    }
  }
  if (file >= 0) ask_system(SYS_close, file);
  return found;
}

ElfFile::ElfFile(const char* path) : data_(map_file(path, bytes_)) {
  if (data_ == nullptr || bytes_ < sizeof(Elf64_Ehdr)) return;
  const auto& header = *reinterpret_cast<const Elf64_Ehdr*>(data_);
  for (int i = 0; i < SELFMAG; ++i)
    if (header.e_ident[i] != ELFMAG[i]) return;
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return;
  if (header.e_shentsize == sizeof(Elf64_Shdr) &&
      holds(header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr))) {
    headers_ = reinterpret_cast<const Elf64_Shdr*>(data_ + header.e_shoff);
    sections_ = header.e_shnum;
  }
  if (header.e_phentsize == sizeof(Elf64_Phdr) &&
      holds(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr))) {
    loads_ = reinterpret_cast<const Elf64_Phdr*>(data_ + header.e_phoff);
    segments_ = header.e_phnum;
  }
}

ElfFile::~ElfFile() {
  if (data_ != nullptr) unmap_file(data_, bytes_);
}

const Elf64_Shdr* ElfFile::section_of(std::uint32_t type) const {
  for (std::size_t i = 0; i < sections_; ++i)
    if (headers_[i].sh_type == type && holds(headers_[i].sh_offset, headers_[i].sh_size)) return &headers_[i];
  return nullptr;
}

const Elf64_Phdr* ElfFile::segment(std::uint64_t address) const {
  for (std::size_t i = 0; i < segments_; ++i)
    if (loads_[i].p_type == PT_LOAD && address >= loads_[i].p_vaddr &&
        address - loads_[i].p_vaddr < loads_[i].p_memsz)
      return &loads_[i];
  return nullptr;
}

namespace {

#if defined(__x86_64__)
constexpr unsigned char jump_code[] = {0xff, 0x25, 0, 0, 0, 0};  // jmp *0(%rip): to the address after it
#else
constexpr unsigned char jump_code[] = {0x50, 0, 0, 0x58, 0, 0x02, 0x1f, 0xd6};  // ldr x16, 8; br x16
#endif
constexpr std::uint64_t jump_bytes = sizeof jump_code + sizeof(void*);

bool is_call(const char* name) {
  return begins_with(name, "cuda") || begins_with(name, "__cuda");
}

/// One of Strata's runtime libraries: the file beside this one, and the names of its calls.
struct Runtime {
  char path[4096] = "";
  ElfFile* file = nullptr;  // stays mapped: names point into it
  const char* names[calls_of_a_version] = {};
  void* handle = nullptr;
};
Runtime runtimes[versions];
struct link_map* program = nullptr;

Runtime& runtime_of(unsigned version) {
  constexpr const char* files[versions] = {"libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"};
  Runtime& runtime = runtimes[version];
  if (runtime.file != nullptr) return runtime;
  const std::size_t folder = own_folder(runtime.path, sizeof runtime.path - 32);
  for (std::size_t i = 0; i <= length(files[version]); ++i) runtime.path[folder + i] = files[version][i];
  static unsigned char place[versions][sizeof(ElfFile)];
  runtime.file = new (place[version]) ElfFile(runtime.path);
  runtime.file->functions(SHT_DYNSYM,
                          [&](const char* name, std::uint64_t, std::uint64_t, std::size_t number) {
                            if (number < calls_of_a_version && is_call(name)) runtime.names[number] = name;
                          });
  return runtime;
}

/// The number of the call of this name; calls_of_a_version if Strata does not have it.
unsigned number_of_call(const Runtime& runtime, const char* name) {
  unsigned number = 0;
  while (number < calls_of_a_version &&
         (runtime.names[number] == nullptr || !same(runtime.names[number], name)))
    ++number;
  return number;
}

/// Identifies an object with a runtime library, and its version: names that only this version has.
struct Found {
  bool registers = false, has_bind_texture = false, has_properties_v2 = false;
  const Elf64_Phdr* code = nullptr;  ///< the segment of all calls
  unsigned version() const { return has_bind_texture ? 0 : has_properties_v2 ? 1 : 2; }
};
Found look(const ElfFile& file) {
  Found found;
  file.functions(SHT_SYMTAB, [&](const char* name, std::uint64_t address, std::uint64_t, std::size_t) {
    if (!is_call(name)) return;
    found.registers |= same(name, "__cudaRegisterFatBinary");
    if (same(name, "cudaLaunchKernel")) found.code = file.segment(address);
    found.has_bind_texture |= same(name, "cudaBindTexture");
    found.has_properties_v2 |= same(name, "cudaGetDeviceProperties_v2");
  });
  return found;
}

/// Short functions may be overwritten including their padding, but not the next function.
bool has_room(const ElfFile& file, std::uint64_t address, std::uint64_t bytes) {
  if (bytes >= jump_bytes) return true;
  bool room = true;
  file.functions(SHT_SYMTAB, [&](const char*, std::uint64_t other, std::uint64_t, std::size_t) {
    if (other > address && other - address < jump_bytes) room = false;
  });
  return room;
}

/// Makes the code of a segment writable during its lifetime.
class Writable {
 public:
  Writable(const Elf64_Phdr& segment, std::uint64_t base) {
    const std::uint64_t begin = base + segment.p_vaddr;
    first_ = segment.p_align > 1 ? begin / segment.p_align * segment.p_align : begin;
    bytes_ = begin + segment.p_memsz - first_;
    protection_ = ((segment.p_flags & PF_R) != 0 ? PROT_READ : 0) |
                  ((segment.p_flags & PF_W) != 0 ? PROT_WRITE : 0) |
                  ((segment.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
    good_ = protect(first_, bytes_, PROT_READ | PROT_WRITE);
  }
  ~Writable() { protect(first_, bytes_, protection_); }
  bool good() const { return good_; }

 private:
  std::uint64_t first_, bytes_;
  int protection_;
  bool good_;
};

void write_jump(std::uint64_t address, const void* to) {
  auto* const at = reinterpret_cast<unsigned char*>(address);
  const auto value = static_cast<std::uint64_t>(number_of(to));
  for (std::size_t i = 0; i < sizeof jump_code; ++i) at[i] = jump_code[i];
  for (std::size_t i = 0; i < sizeof value; ++i)
    at[sizeof jump_code + i] = static_cast<unsigned char>(value >> (8 * i));
  __builtin___clear_cache(reinterpret_cast<char*>(at), reinterpret_cast<char*>(at + jump_bytes));
}

void redirect(const ElfFile& file, std::uint64_t base, unsigned version, const Elf64_Phdr& code) {
  const Runtime& runtime = runtime_of(version);
  const Writable writable(code, base);
  if (!writable.good())
    return say("the program's runtime library cannot be replaced: its code cannot be written over");
  file.functions(SHT_SYMTAB, [&](const char* name, std::uint64_t address, std::uint64_t bytes, std::size_t) {
    if (!is_call(name) || file.segment(address) != &code) return;
    const unsigned number = number_of_call(runtime, name);
    if (number == calls_of_a_version) return;
    if (has_room(file, address, bytes))
      write_jump(base + address, entry(version * calls_of_a_version + number));
    else
      say(name, " of the program is too short to be replaced");
  });
}

/// Makes NVIDIA's run-time compiler output PTX whatever the program requests: for `sm_80` it makes both, and
/// machine code cannot be interpreted.
void redirect_compiler(const ElfFile& file, std::uint64_t base) {
  constexpr struct {
    const char *machine, *ptx;
  } calls[] = {{"nvrtcGetCUBIN", "nvrtcGetPTX"}, {"nvrtcGetCUBINSize", "nvrtcGetPTXSize"}};
  for (const auto& call : calls) {
    std::uint64_t from = 0, bytes = 0, to = 0;
    file.functions(SHT_DYNSYM, [&](const char* name, std::uint64_t address, std::uint64_t size, std::size_t) {
      if (same(name, call.machine)) from = address, bytes = size;
      if (same(name, call.ptx)) to = address;
    });
    const Elf64_Phdr* const code = file.segment(from);
    if (from == 0 || to == 0 || code == nullptr || bytes < jump_bytes) continue;
    const Writable writable(*code, base);
    if (writable.good()) write_jump(base + from, reinterpret_cast<const void*>(base + to));
  }
}

/// A function of the program's C library. Libraries loaded by another C library would get their own name
/// space.
template <class Function>
Function* of_c_library(const char* wanted) {
  for (struct link_map* map = program; map != nullptr; map = map->l_next) {
    const char* const name = file_name(map->l_name);
    if (!begins_with(name, "libc.so") && !begins_with(name, "libdl.so")) continue;
    const ElfFile file(map->l_name);
    std::uint64_t found = 0;
    file.functions(SHT_DYNSYM, [&](const char* one, std::uint64_t address, std::uint64_t, std::size_t) {
      if (found == 0 && same(one, wanted)) found = map->l_addr + address;
    });
    if (found != 0) return reinterpret_cast<Function*>(found);
  }
  return nullptr;
}

}  // namespace

void* find_call(unsigned number) {
  constexpr int bind_now = 2;         // RTLD_NOW
  constexpr long of_the_program = 0;  // LM_ID_BASE
  Runtime& runtime = runtimes[number / calls_of_a_version];
  auto* const load = of_c_library<void*(long, const char*, int)>("dlmopen");
  auto* const find = of_c_library<void*(void*, const char*)>("dlsym");
  if (runtime.handle == nullptr && load != nullptr)
    runtime.handle = load(of_the_program, runtime.path, bind_now);
  void* const call = runtime.handle == nullptr || find == nullptr
                         ? nullptr
                         : find(runtime.handle, runtime.names[number % calls_of_a_version]);
  if (call != nullptr) return call;
  say("cannot be loaded: ", runtime.path);
  ask_system(SYS_exit_group, 1);
  return nullptr;
}

}  // namespace strata::cuda

extern "C" __attribute__((visibility("default"))) unsigned la_version(unsigned of_linker) {
  return of_linker < LAV_CURRENT ? of_linker : LAV_CURRENT;
}

extern "C" __attribute__((visibility("default"))) unsigned la_objopen(struct link_map* map, Lmid_t space,
                                                                      std::uintptr_t*) {
  using namespace strata::cuda;
  if (space != LM_ID_BASE) return 0;
  if (program == nullptr) program = map;
  if (begins_with(file_name(map->l_name), "libcudart.so")) return 0;
  const ElfFile file(*map->l_name == '\0' ? "/proc/self/exe" : map->l_name);
  if (begins_with(file_name(map->l_name), "libnvrtc.so")) redirect_compiler(file, map->l_addr);
  const Found found = look(file);
  if (found.registers && found.code != nullptr) redirect(file, map->l_addr, found.version(), *found.code);
  return 0;
}
