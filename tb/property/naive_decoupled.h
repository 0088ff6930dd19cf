#pragma once

#include "models/l1/l1_decoupled_sectored.h"
#include "tb/property/naive_l1.h"

namespace strata::tb {

/// A decoupled sectored cache with LRU, written from docs/blocks/l1-decoupled-sectored.md: each place of a
/// frame says which line it holds a sector of, and the lines that a frame has tags for stand in a list.
class NaiveDecoupled final : public NaiveStore {
 public:
  explicit NaiveDecoupled(const L1DecoupledSectoredParams& params);
  bool present(std::uint64_t line, int sector) const override;
  void use(std::uint64_t line, const Sectors& asked) override;
  bool reserve(std::uint64_t line, const Sectors& asked, const Sectors& fresh) override;
  void arrive(std::uint64_t line, const Sectors& sectors) override;
  void drop(std::uint64_t line, const Sectors& sectors) override;
  void clear() override;
  long cycles = 0;

 private:
  struct Place {
    int tag = -1;  // of the frame; -1: empty
    bool reserved = false;
  };
  struct Tag {
    bool used = false;
    std::uint64_t line = 0;
    long last_use = 0;
  };
  struct Frame {
    std::vector<Place> places;
    std::vector<Tag> tags;
    long last_use = 0;
  };
  struct Spot {
    Frame* frame;
    int tag;
  };
  using Set = std::vector<Frame>;

  Spot spot_of(std::uint64_t line);
  std::vector<Spot> possible(Set& set, const Sectors& fresh);
  static int own(const Spot& spot);
  static int others(const Spot& spot, const Sectors& fresh);
  Spot choose(std::vector<Spot> spots, const Sectors& fresh) const;
  static bool reserved(const Spot& spot, const Sectors& fresh, bool own);
  static void tidy(Frame& frame);

  L1DecoupledSectoredParams params_;
  SetIndex index_;
  std::vector<Set> sets_;
  long now_ = 0;
};

}  // namespace strata::tb
