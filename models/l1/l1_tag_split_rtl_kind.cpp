// RTL in the place of the tags of a tag-split L1: whether it fits, and how the block is made.
#include <cstdio>

#include "models/l1/l1.h"
#include "models/l1/l1_by_chunks.h"
#include "models/l1/l1_tag_split_rtl.h"

namespace strata {
namespace {

Faults check(const ParamSet& params, const RtlModule& design) {
  const auto& wanted = static_cast<const L1TagSplitParams&>(params);
  const auto* tags = dynamic_cast<const RtlTagArray*>(&design);
  if (tags == nullptr) return {{{}, "the RTL of l1_tag_split is no RtlTagArray"}};
  const RtlTagShape made = tags->shape();
  Faults faults;
  const auto compare = [&](const char* key, const char* what, int value, int allowed) {
    if (value != allowed)
      faults.push_back(param_fault(key, "gives " + std::to_string(value) + " " + what +
                                            ", and the RTL was made for " + std::to_string(allowed)));
  };
  compare("chunk", "chunks of a line", wanted.line_chunks(), made.chunks);
  compare("ways", "chunks of a set", wanted.set_chunks(), made.ways);
  compare("size", "sets", static_cast<int>(wanted.sets()), made.sets);
  compare("groups", "groups", wanted.groups, made.groups);
  compare("private_tag", "bits of a line's number for each chunk",
          wanted.private_tag + static_cast<int>(bits_for(wanted.sets() + 1)) - 1, made.shared_from);
  const auto refuse = [&](const char* key, bool fits, const char* knows) {
    if (!fits) faults.push_back(param_fault(key, std::string("is not what RTL knows: ") + knows));
  };
  refuse("mode", wanted.mode == L1TagSplitParams::Mode::fine, "fine");
  refuse("victims", wanted.victims == L1TagSplitParams::Victims::together, "together");
  refuse("texture_sets", wanted.texture_sets == 0, "0");
  refuse("replacement", wanted.replacement == replacement_row("lru"), "lru");
  return faults;
}

std::unique_ptr<Block> make(const char* name, const ParamSet& set, const BuildContext& context,
                            std::unique_ptr<RtlModule> design) {
  const auto& params = static_cast<const L1TagSplitParams&>(set);
  const auto tags = std::make_shared<RtlTags>();
  tags->rtl.reset(dynamic_cast<RtlTagArray*>(design.release()));
  tags->check = context.check_model;
  std::shared_ptr<void> given = tags;
  BuildContext own = context;
  own.shared = &given;
  auto block = std::make_unique<L1<L1TagSplitRtl>>(name, params, own);
  tags->differ = [l1 = block.get()](Address line, const std::string& what) {
    char where[80];
    std::snprintf(where, sizeof where, "the RTL differs from the model in cycle %llu, line 0x%llx: ",
                  static_cast<unsigned long long>(l1->clock().ledger_now()),
                  static_cast<unsigned long long>(line));
    SC_REPORT_ERROR(l1->name(), (where + what).c_str());
  };
  return block;
}

}  // namespace

const RtlPlace& l1_tag_split_rtl_place() {
  static const RtlPlace place = {check, make};
  return place;
}

}  // namespace strata
