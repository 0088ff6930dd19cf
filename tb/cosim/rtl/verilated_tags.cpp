// l1_tags.sv behind what `timing: rtl` asks of the tags of a tag-split L1. `strata` is the design; the others
// have a fault each, which `check: model` must find.
#include <memory>

#include "Vl1_tags.h"
#include "models/l1/rtl_tag_array.h"
#include "tb/cosim/rtl/tag_designs.h"
#include "tb/cosim/rtl/verilated_design.h"

namespace {

using namespace strata;

class VerilatedTags final : public VerilatedDesign<Vl1_tags, RtlTagArray> {
 public:
  explicit VerilatedTags(int mutant) { top_.mutant = static_cast<CData>(mutant); }
  RtlTagShape shape() const override { return {32, 16, 4, 4, 13}; }
  void low(const RtlTagIn& in, RtlTagOut& out) override {
    top_.clk = 0;
    top_.op = in.op;
    top_.index = in.set;
    top_.number = in.number;
    top_.asked = in.asked;
    top_.fresh = in.fresh;
    top_.eval();
    out.present = top_.present;
    out.ways = top_.ways;
    out.take = top_.take;
    out.drop = top_.drop;
    out.enough = top_.enough;
  }
};

template <int mutant>
std::unique_ptr<RtlModule> make() {
  return std::make_unique<VerilatedTags>(mutant);
}

}  // namespace

void add_tag_designs(strata::PluginRows& rows) {
  const auto add = [&](const char* name, const char* summary, auto* maker) {
    rows.add(RtlDesign{"l1_tag_split", name, summary, maker});
  };
  add("strata", "tags of 32 sets of 16 sectors in 4 groups, LRU", make<0>);
  add("lru_stands", "a hit does not count as use", make<1>);
  add("shared_ignored", "sectors are found by their own part of the tag alone", make<2>);
  add("rest_stays", "a group that takes another shared tag keeps its other sectors", make<3>);
  add("reserved_goes", "reserved chunks are evicted", make<4>);
}
