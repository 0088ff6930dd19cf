#include "traces/cuda/static_runtime/elf_file.h"

#include "traces/cuda/static_runtime/bare.h"

namespace strata::cuda {

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

}  // namespace strata::cuda
