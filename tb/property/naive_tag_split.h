#pragma once

#include "models/l1/l1_tag_split.h"
#include "tb/property/naive_l1.h"

namespace strata::tb {

/// The places of a tag-split cache, written from the paper's sections 3.1 and 3.3,
/// docs/blocks/l1-tag-split.md and the table of policies in docs/blocks/llc-slice.md. Policies: all but
/// random; nru_random with the numbers that the cache itself would draw. One access is one use, whatever
/// places it reads and fills.
class NaiveTagSplit final : public NaiveStore {
 public:
  NaiveTagSplit(const L1TagSplitParams& params, std::uint64_t seed);
  bool present(std::uint64_t line, int chunk) const override;
  void use(std::uint64_t line, const Sectors& asked) override;
  bool reserve(std::uint64_t line, const Sectors& asked, const Sectors& fresh) override;
  void arrive(std::uint64_t line, const Sectors& chunks) override;
  void drop(std::uint64_t line, const Sectors& chunks) override;
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
    int interval = 3;
  };
  enum class Policy { lru, nru, nru_random, srrip };
  struct Set {
    std::vector<Place> places;
    std::vector<Unit> units;
    std::uint64_t draw = 0;
  };
  Set& set_of(std::uint64_t line) { return sets_[index_(line)]; }
  std::uint64_t shared_tag(std::uint64_t line) const;
  std::size_t unit_of(std::size_t place) const;
  bool group_used(const Set& set, std::size_t group) const;
  /// Units that hold what is asked for of a line.
  std::vector<bool> holders(const Set& set, std::uint64_t line, const Sectors& asked) const;
  /// One access: `read` and `anew` are its units, `chosen` those that the policy let go for it.
  void access(Set& set, const std::vector<bool>& read, const std::vector<bool>& anew,
              const std::vector<Unit>& chosen);
  std::size_t victim(const Set& set, const std::vector<bool>& candidates) const;
  void vacate(Set& set, std::size_t place);
  /// What room for some chunks costs.
  struct Cost {
    std::vector<bool> taken, dropped, chosen;  // places, places, units
    int need = 0;
  };
  void take(const Set& set, std::uint64_t line, const Sectors& asked, Cost& cost) const;
  void take_groups(const Set& set, const std::vector<bool>& kept, Cost& cost) const;

  L1TagSplitParams params_;
  Policy policy_;
  SetIndex index_;
  std::size_t group_size_;
  std::vector<Set> sets_;
  long now_ = 0;
};

}  // namespace strata::tb
