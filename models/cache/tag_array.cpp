#include "models/cache/tag_array.h"

#include <algorithm>

namespace strata {

TagArray::TagArray(std::uint64_t sets, int ways, int replacement, std::uint64_t seed)
    : stride_(static_cast<std::uint32_t>(ways + 7) / 8),
      ways_(static_cast<std::uint8_t>(ways)),
      lru_(make_lru({sets, ways, seed})),
      usable_(first_ways(ways)),
      sets_(sets),
      other_(replacement_policies().at(static_cast<std::size_t>(replacement)).make({sets, ways, seed})) {
  assert(sets > 0 && ways > 0 && ways <= 64);
  if (dynamic_cast<const ReplacementLru*>(other_.get()) != nullptr) other_.reset();
  has_other_ = other_ != nullptr;
  usual_ = !has_other_;
}

ReplacementLru TagArray::make_lru(const ReplacementShape& shape) {
  blocks_ = std::make_unique<Block[]>(shape.sets * stride_);
  if (ways_ > few_ways) return ReplacementLru(shape);
  return {shape, order_of(0), sizeof(Block)};
}

void TagArray::tell_hit(std::uint32_t set, int way, const Access* by) {
  other_->hit(set, way, ReplacementContext::of(by));
}

TagEntry TagArray::insert_elsewhere(std::uint32_t set, TagEntry line, const Access* by) {
  return replace(set, victim(set), line, by);
}

int TagArray::victim(std::uint32_t set, WayMask candidates) const {
  const int last = lru_.victim(set, candidates);  // empty ways come last
  return other_ == nullptr || !at(set)[last].valid() ? last : other_->victim(set, candidates);
}

void TagArray::invalidate_all() {
  for (std::uint32_t set = 0; set < sets_; ++set) std::fill_n(at(set), ways_, TagEntry{});
  if (other_ != nullptr) other_->invalidate_all();
}

std::uint64_t TagArray::valid_lines() const {
  return count([](const TagEntry&) { return true; });
}

}  // namespace strata
