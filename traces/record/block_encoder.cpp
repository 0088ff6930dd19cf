#include <array>
#include <utility>

#include "traces/record/block_codec.h"
#include "traces/record/block_columns.h"
#include "traces/record/record_format.h"
#include "traces/record/trace_record.pb.h"

namespace strata::traces::record {
namespace {

constexpr std::size_t max_message_bytes = 0x7fffffff;  // Protocol Buffers

void put_form(std::string& out, const LaneForm& form) {
  switch (form.kind) {
    case LaneForm::grid:
      out.push_back(static_cast<char>(form.kind | form.columns << 3));
      put_varint(out, zigzag(form.a));
      put_varint(out, zigzag(form.b));
      return;
    case LaneForm::moved:
      out.push_back(static_cast<char>(form.kind | form.back << 3));
      return;
    default:
      out.push_back(static_cast<char>(form.kind | form.shift << 3));
      out.push_back(static_cast<char>(form.bytes));
  }
}

}  // namespace

class BlockEncoder::State {
 public:
  void add(const CtaTrace& cta, Dictionary& dictionary) {
    predictor_.begin_cta();
    flags_.reserve(flags_.size() + cta.instructions.size());
    for (std::size_t w = 0; w + 1 < cta.warp_begin.size(); ++w) {
      const std::uint32_t begin = cta.warp_begin[w], end = cta.warp_begin[w + 1];
      put_varint(warps_, end - begin);
      predictor_.begin_warp();
      for (std::uint32_t i = begin; i < end; ++i) add(cta.instructions[i], cta, dictionary);
    }
  }
  void take(wire::Block& out) {
    out.set_warps(std::move(warps_));
    out.set_flags(std::move(flags_));
    out.set_codes(std::move(codes_));
    out.set_masks(std::move(masks_));
    out.set_forms(std::move(forms_));
    out.set_addresses(std::move(addresses_));
    std::size_t used = planes;
    while (used > 0 && differences_[used - 1].empty()) --used;
    for (std::size_t i = 0; i < used; ++i) out.add_differences(std::move(differences_[i]));
  }

 private:
  void add(const WarpInstruction& instruction, const CtaTrace& cta, Dictionary& dictionary) {
    unsigned flags = 0;
    const StaticPart part = static_part(instruction);
    const std::uint32_t expected = predictor_.code();
    std::uint32_t code = expected;
    if (expected >= dictionary.size() || dictionary[expected].part != part) {
      code = dictionary.code(part);
      if (code != expected) {
        flags |= new_code;
        put_varint(codes_, code);
      }
    }
    predictor_.learn_code(code);
    if (instruction.active_mask != predictor_.mask()) {
      flags |= new_mask;
      add_mask(instruction.active_mask);
    }
    if (instruction.address_kind == AddressKind::stride)
      flags |= add_strided(instruction);
    else if (instruction.address_kind == AddressKind::list && instruction.active_mask != 0)
      flags |= add_listed(instruction, cta);
    flags_.push_back(static_cast<char>(flags));
  }

  void add_mask(std::uint32_t mask) {
    std::uint64_t place = 0;
    for (const std::uint32_t known : predictor_.masks()) {
      if (known == mask) break;
      ++place;
    }
    put_varint(masks_, place < mask_choices ? place : mask_choices + (mask ^ predictor_.mask()));
    predictor_.learn_mask(mask);
  }

  unsigned add_strided(const WarpInstruction& instruction) {
    unsigned flags = 0;
    Seen& seen = predictor_.seen();
    std::int32_t& stride = instruction.active_lanes() == 1 ? seen.single_stride : seen.stride;
    if (instruction.stride != stride) {
      flags |= new_form;
      put_varint(forms_, zigzag(static_cast<Address>(static_cast<std::int64_t>(instruction.stride))));
      stride = instruction.stride;
    }
    return flags | add_address(instruction.address - strided_offset(seen, instruction.active_mask));
  }

  unsigned add_listed(const WarpInstruction& instruction, const CtaTrace& cta) {
    const Lanes lanes = listed_lanes(instruction, cta);
    unsigned flags = 0;
    Seen& seen = predictor_.seen();
    const LaneForm form = choose_form(lanes, seen.form, memory_, seen.lanes);
    if (!(form == seen.form)) {
      flags |= new_form;
      put_form(forms_, form);
      seen.form = form;
    }
    const Address first = lanes.at[first_lane(lanes.mask)] - listed_offset(form, lanes, memory_, seen.lanes);
    if (form.holds_first())
      predictor_.learn_address(first);
    else
      flags |= add_address(first);
    if (form.has_differences()) add_differences(form, lanes, seen.lanes);
    if (form.kind != LaneForm::grid) memory_.learn(seen.lanes, lanes);
    return flags;
  }

  void add_differences(const LaneForm& form, const Lanes& lanes, std::uint32_t row) {
    const DifferenceBase base(form, memory_, row, lanes.width);
    Address below = lanes.at[first_lane(lanes.mask)];
    for (std::uint32_t rest = form.holds_first() ? lanes.mask : lanes.mask & (lanes.mask - 1); rest != 0;
         rest &= rest - 1) {
      const unsigned lane = first_lane(rest);
      const auto difference = static_cast<std::int64_t>(lanes.at[lane] - base(lane, below));
      Address value = zigzag(static_cast<Address>(difference >> form.shift));
      for (std::size_t byte = 0; byte < form.bytes; ++byte, value >>= 8)
        differences_[byte].push_back(static_cast<char>(value));
      below = lanes.at[lane];
    }
  }

  unsigned add_address(Address address) {
    Seen& seen = predictor_.seen();
    unsigned flags = 0;
    if (address != predictor_.address(seen.choice)) {
      flags = new_address;
      const auto other = static_cast<std::uint8_t>(1 - seen.choice);
      if (address == predictor_.address(other)) {
        put_varint(addresses_, 0);
        seen.choice = other;
      } else {
        put_varint(addresses_, zigzag(address - predictor_.address(seen.choice)));
      }
    }
    predictor_.learn_address(address);
    return flags;
  }

  Predictor predictor_;
  LaneMemory memory_;
  std::string warps_, flags_, codes_, masks_, forms_, addresses_;
  std::array<std::string, planes> differences_;
};

BlockEncoder::BlockEncoder(Dictionary& dictionary)
    : dictionary_(dictionary), state_(std::make_unique<State>()) {}
BlockEncoder::~BlockEncoder() = default;

void BlockEncoder::add(std::uint32_t kernel, const CtaTrace& cta) {
  if (cta.instructions.size() > max_cta_instructions)
    throw FormatFault("expected at most " + std::to_string(max_cta_instructions) +
                      " instructions in a thread block, found " + std::to_string(cta.instructions.size()));
  state_->add(cta, dictionary_);
  if (!parts_.empty() && parts_.back().kernel == kernel &&
      parts_.back().first + parts_.back().count == cta.index)
    ++parts_.back().count;
  else
    parts_.push_back({kernel, cta.index, 1});
  instructions_ += cta.instructions.size();
  ++ctas_;
}

std::string BlockEncoder::finish(int level) {
  wire::Block message;
  for (const Part& part : parts_) {
    message.add_kernels(part.kernel);
    message.add_firsts(part.first);
    message.add_counts(part.count);
  }
  state_->take(message);
  if (message.ByteSizeLong() > max_message_bytes)
    throw FormatFault("expected at most 2 GiB in a block, found " + std::to_string(message.ByteSizeLong()) +
                      " bytes");
  state_ = std::make_unique<State>();
  parts_.clear();
  instructions_ = ctas_ = 0;
  return compress(message.SerializeAsString(), level);
}

std::string pack_cta(std::uint32_t kernel, const CtaTrace& cta, Dictionary& dictionary, int level) {
  BlockEncoder encoder(dictionary);
  encoder.add(kernel, cta);
  return encoder.finish(level);
}

}  // namespace strata::traces::record
