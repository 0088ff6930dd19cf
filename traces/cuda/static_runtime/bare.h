#pragma once

#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <initializer_list>
#include <sys/mman.h>
#include <sys/syscall.h>

/// System calls and texts without the C library. The program's C library is not initialized when this library
/// starts, and a second copy, the system's, might not fit the program's dynamic linker.
namespace strata::cuda {

inline long ask_system(long number, long a, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
#if defined(__x86_64__)
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
#else
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#endif
}

inline long number_of(const void* pointer) {
  return reinterpret_cast<long>(pointer);
}
/// Maps a file for reading; null if that fails.
inline const unsigned char* map_file(const char* path, std::size_t& bytes) {
  const long file = ask_system(SYS_openat, AT_FDCWD, number_of(path), O_RDONLY | O_CLOEXEC);
  if (file < 0) return nullptr;
  const long end = ask_system(SYS_lseek, file, 0, 2);
  const long at = end <= 0 ? -1 : ask_system(SYS_mmap, 0, end, PROT_READ, MAP_PRIVATE, file, 0);
  ask_system(SYS_close, file);
  if (at < 0 && at > -4096) return nullptr;
  bytes = static_cast<std::size_t>(end);
  return reinterpret_cast<const unsigned char*>(at);
}
inline void unmap_file(const unsigned char* data, std::size_t bytes) {
  ask_system(SYS_munmap, number_of(data), static_cast<long>(bytes));
}
inline bool protect(std::uint64_t first, std::uint64_t bytes, int protection) {
  return ask_system(SYS_mprotect, static_cast<long>(first), static_cast<long>(bytes), protection) == 0;
}

constexpr std::size_t length(const char* text) {
  std::size_t n = 0;
  while (text[n] != '\0') ++n;
  return n;
}
constexpr bool begins_with(const char* text, const char* first) {
  while (*first != '\0')
    if (*text++ != *first++) return false;
  return true;
}
constexpr bool same(const char* a, const char* b) {
  return begins_with(a, b) && length(a) == length(b);
}
/// The part after the last slash.
constexpr const char* file_name(const char* path) {
  const char* name = path;
  for (; *path != '\0'; ++path)
    if (*path == '/') name = path + 1;
  return name;
}
inline void say(const char* a, const char* b = "") {
  for (const char* text : {"strata: ", a, b, "\n"})
    ask_system(SYS_write, 2, number_of(text), static_cast<long>(length(text)));
}

// Targets of redirected calls of a static runtime library: an entry for each call of each of Strata's
// runtime libraries. An entry looks its call up on first use, when the program has loaded everything that
// Strata's library needs.

constexpr unsigned calls_of_a_version = 1024, first_version = 11, versions = 3;
constexpr unsigned entries = calls_of_a_version * versions;

/// The code of entry `number`.
const void* entry(unsigned number);
/// The call for entry `number`; never nullptr.
void* find_call(unsigned number);

}  // namespace strata::cuda
