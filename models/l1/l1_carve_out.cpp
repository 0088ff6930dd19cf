#include "models/l1/l1_carve_out.h"

#include <sstream>

namespace strata {
namespace {

// Empty when a part of the text is no number of KiB that can be meant.
std::vector<std::uint64_t> read(const std::string& text) {
  std::vector<std::uint64_t> sizes;
  std::istringstream parts(text);
  for (std::string part; parts >> part;) {
    if (part.size() > 6 || part.find_first_not_of("0123456789") != std::string::npos) return {};
    sizes.push_back(std::stoull(part) * KiB);
  }
  return sizes;
}

bool leaves_whole_ways(std::uint64_t taken, Bytes size, int ways) {
  return taken < size && taken * static_cast<unsigned>(ways) % size == 0;
}

}  // namespace

L1CarveOut::L1CarveOut(const std::string& sizes, Bytes size, int ways)
    : size_(size), ways_(ways), sizes_(read(sizes)) {}

std::string L1CarveOut::fault(const std::string& sizes, Bytes size, int ways) {
  if (sizes.empty()) return {};
  const std::vector<std::uint64_t> all = read(sizes);
  if (all.empty()) return "is '" + sizes + "'; allowed: rising numbers of KiB, e.g. 0 8 16 32 64 96";
  const std::uint64_t* before = nullptr;
  for (const std::uint64_t& taken : all) {
    const std::string number = std::to_string(taken / KiB);
    if (before != nullptr && taken <= *before)
      return "names " + number + " behind " + std::to_string(*before / KiB) +
             "; allowed: rising numbers of KiB";
    if (!leaves_whole_ways(taken, size, ways))
      return "names " + number + ", which does not leave whole ways of $.size=" + to_text(size) +
             " with $.ways=" + std::to_string(ways) + "; allowed: multiples of " +
             to_text(Bytes(size / static_cast<unsigned>(ways))) + " below $.size";
    before = &taken;
  }
  return {};
}

int L1CarveOut::ways_beside(std::uint64_t shared_bytes) const {
  std::uint64_t taken = 0;
  for (const std::uint64_t size : sizes_) {
    taken = size;
    if (shared_bytes <= size) break;
  }
  return ways_ - static_cast<int>(taken * static_cast<unsigned>(ways_) / size_);
}

}  // namespace strata
