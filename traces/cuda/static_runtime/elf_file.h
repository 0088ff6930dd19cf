#pragma once

#include <cstddef>
#include <cstdint>
#include <elf.h>

namespace strata::cuda {

/// A program or library, mapped to be read: its functions by name. What lies beyond the end of the file is
/// not there.
class ElfFile {
 public:
  explicit ElfFile(const char* path);
  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  /// Calls does(name, address, bytes, number) for each function that is defined in the first table of this
  /// type: SHT_SYMTAB or SHT_DYNSYM.
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
  /// The part of the program that is loaded with this address; nullptr: there is none.
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

}  // namespace strata::cuda
