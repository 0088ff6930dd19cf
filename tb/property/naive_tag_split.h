#pragma once

#include "models/l1/l1_tag_split.h"
#include "tb/property/naive_l1.h"

namespace strata::tb {

/// The places of a tag-split cache, written from the paper's sections 3.1 and 3.3 and docs/l1.md. Policies:
/// lru and nru_random, the latter with the numbers that the cache itself would draw.
class NaiveTagSplit final : public NaiveStore {
 public:
  NaiveTagSplit(const L1TagSplitParams& params, std::uint64_t seed);
  bool present(std::uint64_t line, int chunk) const override;
  void use(std::uint64_t line, const Chunks& asked) override;
  bool reserve(std::uint64_t line, const Chunks& asked, const Chunks& fresh) override;
  void arrive(std::uint64_t line, const Chunks& chunks) override;
  void drop(std::uint64_t line, const Chunks& chunks) override;
  void clear() override;

  struct Place {
    bool used = false;
    bool reserved = false;
    std::uint64_t line = 0;
    int chunk = 0;
  };
  const std::vector<Place>& set(std::uint32_t set) const { return sets_[set].places; }

 private:
  struct Unit {  // a place, or a group: what makes room
    long last_use = 0;
    bool bit = false;
    bool filled = false;
  };
  struct Set {
    std::vector<Place> places;
    std::vector<Unit> units;
    std::uint64_t draw = 0;
  };
  Set& set_of(std::uint64_t line) { return sets_[index_(line)]; }
  std::uint64_t shared_tag(std::uint64_t line) const;
  std::size_t unit_of(std::size_t place) const;
  bool group_used(const Set& set, std::size_t group) const;
  void touch(Set& set, const std::vector<bool>& units);
  std::size_t victim(const Set& set, const std::vector<bool>& candidates) const;
  void vacate(Set& set, std::size_t place, const std::vector<bool>& taken);
  bool take(Set& set, std::uint64_t line, const Chunks& asked, std::vector<bool>& taken,
            std::vector<bool>& dropped, int need) const;
  bool take_groups(Set& set, const std::vector<bool>& kept, std::vector<bool>& taken,
                   std::vector<bool>& dropped, int need) const;

  L1TagSplitParams params_;
  SetIndex index_;
  std::size_t group_size_;
  std::vector<Set> sets_;
  long now_ = 0;
};

}  // namespace strata::tb
