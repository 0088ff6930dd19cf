#include "traces/record/block_codec.h"

#include <array>
#include <utility>

#include "traces/record/columns.h"
#include "traces/record/record_format.h"
#include "traces/record/trace_record.pb.h"

namespace strata::traces::record {
namespace {

constexpr std::size_t max_message_bytes = 0x7fffffff;  // limit of Protocol Buffers

void take(Columns& from, wire::Block& out) {
  out.set_warps(std::move(from.warps));
  out.set_flags(std::move(from.flags));
  out.set_codes(std::move(from.codes));
  out.set_masks(std::move(from.masks));
  out.set_forms(std::move(from.forms));
  out.set_addresses(std::move(from.addresses));
  std::size_t used = from.differences.size();
  while (used > 0 && from.differences[used - 1].empty()) --used;
  for (std::size_t i = 0; i < used; ++i) out.add_differences(std::move(from.differences[i]));
}

}  // namespace

void BlockEncoder::add(std::uint32_t kernel, const CtaTrace& cta) {
  if (cta.instructions.size() > max_cta_instructions)
    throw FormatFault("expected at most " + std::to_string(max_cta_instructions) +
                      " instructions in a thread block, found " + std::to_string(cta.instructions.size()));
  encoder_.add(CtaView(cta));
  count(kernel, cta.index, 1, cta.instructions.size());
}

void BlockEncoder::append(std::uint32_t kernel, EncodedCtas& ctas) {
  encoder_.columns().append(ctas.columns);
  count(kernel, ctas.first, ctas.count, ctas.instructions);
}

void BlockEncoder::count(std::uint32_t kernel, std::uint64_t first, std::uint64_t ctas,
                         std::uint64_t instructions) {
  if (!parts_.empty() && parts_.back().kernel == kernel && parts_.back().first + parts_.back().count == first)
    parts_.back().count += ctas;
  else
    parts_.push_back({kernel, first, ctas});
  instructions_ += instructions;
  ctas_ += ctas;
}

std::string BlockEncoder::finish(int level) {
  wire::Block message;
  for (const Part& part : parts_) {
    message.add_kernels(part.kernel);
    message.add_firsts(part.first);
    message.add_counts(part.count);
  }
  take(encoder_.columns(), message);
  if (message.ByteSizeLong() > max_message_bytes)
    throw FormatFault("expected at most 2 GiB in a block, found " + std::to_string(message.ByteSizeLong()) +
                      " bytes");
  encoder_.begin_block();
  encoder_.columns().clear();
  parts_.clear();
  instructions_ = ctas_ = 0;
  return compress(message.SerializeAsString(), level);
}

std::string pack_cta(std::uint32_t kernel, const CtaTrace& cta, Dictionary& dictionary, int level) {
  BlockEncoder encoder(dictionary);
  encoder.add(kernel, cta);
  return encoder.finish(level);
}

namespace {

LaneForm get_form(Column& forms) {
  const std::uint8_t byte = forms.byte(), value = byte >> 3;
  LaneForm form;
  form.kind = static_cast<LaneForm::Kind>(byte & 7);
  bool good = form.kind < LaneForm::kinds;
  if (form.kind == LaneForm::grid) {
    form.columns = value;
    form.a = unzigzag(forms.next());
    form.b = unzigzag(forms.next());
    good = value >= 1 && value <= 5;
  } else if (form.kind == LaneForm::moved) {
    form.back = value;
    good = value <= LaneMemory::depth;
  } else {
    form.shift = value;
    form.bytes = forms.byte();
    good = good && form.bytes >= 1 && form.bytes <= planes && value <= 15;
  }
  if (!good) throw FormatFault("expected a form of listed addresses, found " + std::to_string(byte));
  return form;
}

}  // namespace

class BlockDecoder::State {
 public:
  State(std::string_view frame, const std::vector<Part>& parts, const Dictionary& dictionary)
      : dictionary_(dictionary) {
    if (!in_.ParseFromString(decompress(frame))) throw FormatFault("expected a Block message");
    bool same = static_cast<std::size_t>(in_.kernels_size()) == parts.size() &&
                in_.firsts_size() == in_.kernels_size() && in_.counts_size() == in_.kernels_size();
    for (int i = 0; same && i < in_.kernels_size(); ++i) {
      const Part& part = parts[static_cast<std::size_t>(i)];
      same = in_.kernels(i) == part.kernel && in_.firsts(i) == part.first && in_.counts(i) == part.count;
    }
    if (!same) throw FormatFault("found other thread blocks in its place");
    if (in_.differences_size() > static_cast<int>(planes))
      throw FormatFault("expected at most 8 columns of differences");
    warps_ = {in_.warps(), "warps"};
    flags_ = {in_.flags(), "flags"};
    codes_ = {in_.codes(), "codes"};
    masks_ = {in_.masks(), "masks"};
    forms_ = {in_.forms(), "forms"};
    addresses_ = {in_.addresses(), "addresses"};
    for (int i = 0; i < in_.differences_size(); ++i)
      differences_[static_cast<std::size_t>(i)] = {in_.differences(i), "differences"};
  }

  void read(CtaTrace& cta, std::uint32_t warps) {
    predictor_.begin_cta();
    cta.warp_begin.reserve(warps + 1);
    cta.warp_begin.push_back(0);
    std::uint64_t total = 0;
    for (std::uint32_t w = 0; w < warps; ++w) {
      total += warps_.next();
      if (total > max_cta_instructions || total > flags_.left())
        throw FormatFault("expected " + std::to_string(total) + " instructions, found " +
                          std::to_string(flags_.left()));
      cta.warp_begin.push_back(static_cast<std::uint32_t>(total));
    }
    cta.instructions.reserve(total);
    for (std::uint32_t w = 0; w < warps; ++w) {
      predictor_.begin_warp();
      for (std::uint32_t left = cta.warp_begin[w + 1] - cta.warp_begin[w]; left != 0; --left)
        read(flags_.byte(), cta);
    }
  }

  void expect_end() const {
    for (const Column* column : {&warps_, &flags_, &codes_, &masks_, &forms_, &addresses_})
      column->expect_end();
    for (const Column& column : differences_) column.expect_end();
  }

 private:
  // Force-inlined: nearly all instructions of a stream take the predicted path.
  [[gnu::always_inline]] void read(unsigned flags, CtaTrace& cta) {
    if (flags > known_flags)
      throw FormatFault("expected instruction flags from 0 to 15, found " + std::to_string(flags));
    const std::uint64_t code = (flags & new_code) != 0 ? codes_.next() : predictor_.code();
    if (code >= dictionary_.size())
      throw FormatFault("expected a dictionary index below " + std::to_string(dictionary_.size()) +
                        ", found " + std::to_string(code));
    if ((flags & new_code) != 0) {
      predictor_.update_code(static_cast<std::uint32_t>(code));
    } else {
      predictor_.ensure_entry(static_cast<std::uint32_t>(code));
      predictor_.advance(static_cast<std::uint32_t>(code));
    }
    cta.instructions.push_back(dictionary_[static_cast<std::uint32_t>(code)].instruction);
    WarpInstruction& out = cta.instructions.back();
    if ((flags & new_mask) != 0) {
      const std::uint64_t value = masks_.next();
      predictor_.update_mask(value < mask_choices
                                 ? predictor_.masks()[value]
                                 : predictor_.mask() ^ static_cast<std::uint32_t>(value - mask_choices));
    }
    out.active_mask = predictor_.mask();
    if (out.address_kind == AddressKind::stride)
      read_strided(flags, out);
    else if (out.address_kind == AddressKind::list)
      read_listed(flags, out, cta);
  }

  [[gnu::always_inline]] void read_strided(unsigned flags, WarpInstruction& out) {
    History& history = predictor_.history();
    std::int32_t& stride = out.active_lanes() == 1 ? history.single_stride : history.stride;
    if ((flags & new_form) != 0)
      stride = static_cast<std::int32_t>(static_cast<std::int64_t>(unzigzag(forms_.next())));
    out.stride = stride;
    out.address = read_address(flags) + strided_offset(history, out.active_mask);
  }

  [[gnu::noinline]] void read_listed(unsigned flags, WarpInstruction& out, CtaTrace& cta) {
    out.address = cta.addresses.size();
    if (out.active_mask == 0) return;
    History& history = predictor_.history();
    if ((flags & new_form) != 0) history.form = get_form(forms_);
    const LaneForm& form = history.form;
    const Lanes* earlier = memory_.earlier(history.lanes, form.back);
    if ((form.kind == LaneForm::moved || form.kind == LaneForm::own) && earlier == nullptr)
      throw FormatFault("found listed addresses like earlier ones, but there are none");
    Lanes lanes;
    lanes.mask = out.active_mask;
    lanes.width = out.width;
    const unsigned first = first_lane(lanes.mask);
    if (!form.holds_first())
      lanes.at[first] = read_address(flags) + listed_offset(form, lanes, memory_, history.lanes);
    if (form.has_differences())
      read_differences(form, lanes, history.lanes);
    else
      for (std::uint32_t rest = lanes.mask & (lanes.mask - 1); rest != 0; rest &= rest - 1) {
        const unsigned lane = first_lane(rest);
        lanes.at[lane] = lanes.at[first] + (form.kind == LaneForm::grid
                                                ? form.offset(lane) - form.offset(first)
                                                : moved_distance(*earlier, first, lane, lanes.width));
      }
    if (form.holds_first()) predictor_.update_address(lanes.at[first]);
    for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1)
      cta.addresses.push_back(lanes.at[first_lane(rest)]);
    if (form.kind != LaneForm::grid) memory_.insert(history.lanes, lanes);
  }

  void read_differences(const LaneForm& form, Lanes& lanes, std::uint32_t row) {
    const DifferenceBase base(form, memory_, row, lanes.width);
    Address below = lanes.at[first_lane(lanes.mask)];
    for (std::uint32_t rest = form.holds_first() ? lanes.mask : lanes.mask & (lanes.mask - 1); rest != 0;
         rest &= rest - 1) {
      const unsigned lane = first_lane(rest);
      Address value = 0;
      for (std::size_t byte = 0; byte < form.bytes; ++byte)
        value |= static_cast<Address>(differences_[byte].byte()) << (8 * byte);
      below = lanes.at[lane] = base(lane, below) + (unzigzag(value) << form.shift);
    }
  }

  /// Address of lane 0, or of the first active lane where the form has its distance from lane 0.
  [[gnu::always_inline]] Address read_address(unsigned flags) {
    return (flags & new_address) == 0 ? predictor_.next_address(predictor_.history()) : read_new_address();
  }
  [[gnu::noinline]] Address read_new_address() {
    History& history = predictor_.history();
    Address address = predictor_.address(history.choice);
    const std::uint64_t value = addresses_.next();
    if (value < address_choices) {
      history.choice = static_cast<std::uint8_t>(1 - history.choice);
      address = predictor_.address(history.choice);
    } else {
      address += unzigzag(value);
    }
    predictor_.update_address(address);
    return address;
  }

  const Dictionary& dictionary_;
  Predictor predictor_;
  LaneMemory memory_;
  wire::Block in_;
  Column warps_, flags_, codes_, masks_, forms_, addresses_;
  std::array<Column, planes> differences_;
};

BlockDecoder::BlockDecoder(std::string_view frame, const std::vector<Part>& parts,
                           const Dictionary& dictionary)
    : state_(std::make_unique<State>(frame, parts, dictionary)) {
  for (const Part& part : parts) ctas_ += part.count;
}
BlockDecoder::~BlockDecoder() = default;

std::shared_ptr<CtaTrace> BlockDecoder::read(std::uint64_t index, std::uint32_t warps) {
  auto cta = std::make_shared<CtaTrace>();
  cta->index = index;
  state_->read(*cta, warps);
  if (++next_ == ctas_) state_->expect_end();
  return cta;
}

std::shared_ptr<CtaTrace> unpack_cta(std::string_view frame, std::uint32_t kernel, std::uint64_t index,
                                     std::uint32_t warps, const Dictionary& dictionary) {
  return BlockDecoder(frame, {{kernel, index, 1}}, dictionary).read(index, warps);
}

}  // namespace strata::traces::record
