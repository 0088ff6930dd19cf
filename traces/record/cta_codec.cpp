#include "traces/record/cta_codec.h"

#include <array>

#include "traces/coalesce.h"
#include "traces/record/predictor.h"
#include "traces/record/record_format.h"
#include "traces/record/trace_record.pb.h"

namespace strata::traces::record {
namespace {

// Flags of an instruction: which predictions failed, so that a column holds the value.
constexpr unsigned new_code = 1, new_mask = 2, new_stride = 4, new_address = 8, known_flags = 15;
constexpr std::size_t max_message_bytes = 0x7fffffff;  // Protocol Buffers

class Encoder {
 public:
  Encoder(Dictionary& dictionary, const CtaTrace& cta)
      : dictionary_(dictionary), predictor_(dictionary), cta_(cta) {}

  void run(wire::Cta& out) {
    flags_.reserve(cta_.instructions.size());
    predictor_.begin_cta();
    for (std::size_t w = 0; w + 1 < cta_.warp_begin.size(); ++w) {
      const std::uint32_t begin = cta_.warp_begin[w], end = cta_.warp_begin[w + 1];
      out.add_warps(end - begin);
      predictor_.begin_warp();
      for (std::uint32_t i = begin; i < end; ++i) add(cta_.instructions[i]);
    }
    out.set_flags(std::move(flags_));
    out.set_codes(std::move(codes_));
    out.set_masks(std::move(masks_));
    out.set_strides(std::move(strides_));
    out.set_addresses(std::move(addresses_));
    out.set_lanes(std::move(lanes_));
  }

 private:
  void add(const WarpInstruction& instruction) {
    unsigned flags = 0;
    const bool listed = instruction.address_kind == AddressKind::list;
    std::array<Address, 32> lanes;
    const int count = listed ? lane_addresses(instruction, cta_, lanes) : 0;
    const Address address = listed ? (count > 0 ? lanes[0] : 0) : instruction.address;

    const StaticPart part = static_part(instruction);
    const std::uint32_t expected = predictor_.code();
    std::uint32_t code = expected;
    if (expected >= dictionary_.size() || dictionary_[expected].part != part) {
      code = dictionary_.code(part, address);
      if (code != expected) {
        flags |= new_code;
        put_varint(codes_, code);
      }
    }
    predictor_.learn_code(code);
    if (instruction.active_mask != predictor_.mask()) {
      flags |= new_mask;
      put_varint(masks_, instruction.active_mask);
      predictor_.learn_mask(instruction.active_mask);
    }
    if (instruction.address_kind == AddressKind::stride && instruction.stride != predictor_.stride()) {
      flags |= new_stride;
      put_varint(strides_, zigzag(static_cast<Address>(static_cast<std::int64_t>(instruction.stride))));
      predictor_.learn_stride(instruction.stride);
    }
    if (instruction.address_kind == AddressKind::stride || count > 0) {
      if (address != predictor_.address()) {
        flags |= new_address;
        put_varint(addresses_, zigzag(address - predictor_.address()));
      }
      predictor_.learn_address(address);
    }
    for (int i = 1; i < count; ++i)
      put_varint(lanes_, zigzag(lanes[static_cast<std::size_t>(i)] - lanes[static_cast<std::size_t>(i - 1)]));
    flags_.push_back(static_cast<char>(flags));
  }

  Dictionary& dictionary_;
  Predictor predictor_;
  const CtaTrace& cta_;
  std::string flags_, codes_, masks_, strides_, addresses_, lanes_;
};

class Decoder {
 public:
  Decoder(const Dictionary& dictionary, const wire::Cta& in)
      : dictionary_(dictionary),
        predictor_(dictionary),
        in_(in),
        codes_(in.codes(), "codes"),
        masks_(in.masks(), "masks"),
        strides_(in.strides(), "strides"),
        addresses_(in.addresses(), "addresses"),
        lanes_(in.lanes(), "lanes") {}

  std::shared_ptr<CtaTrace> run() {
    const std::string& flags = in_.flags();
    std::uint64_t total = 0;
    for (const std::uint32_t count : in_.warps()) total += count;
    if (total != flags.size())
      throw FormatFault("expected " + std::to_string(total) + " instructions, found " +
                        std::to_string(flags.size()));
    if (total > max_cta_instructions)
      throw FormatFault("expected at most 67108864 instructions in a thread block");
    auto cta = std::make_shared<CtaTrace>();
    cta->index = in_.index();
    cta->instructions.resize(flags.size());
    cta->warp_begin.push_back(0);
    predictor_.begin_cta();
    std::uint32_t at = 0;
    for (const std::uint32_t count : in_.warps()) {
      predictor_.begin_warp();
      for (const std::uint32_t end = at + count; at < end; ++at)
        read(static_cast<unsigned char>(flags[at]), cta->instructions[at], *cta);
      cta->warp_begin.push_back(at);
    }
    for (const Column* column : {&codes_, &masks_, &strides_, &addresses_, &lanes_}) column->expect_end();
    return cta;
  }

 private:
  void read(unsigned flags, WarpInstruction& out, CtaTrace& cta) {
    if (flags > known_flags)
      throw FormatFault("expected instruction flags from 0 to 15, found " + std::to_string(flags));
    const std::uint64_t code = (flags & new_code) != 0 ? codes_.next() : predictor_.code();
    if (code >= dictionary_.size())
      throw FormatFault("expected a dictionary index below " + std::to_string(dictionary_.size()) +
                        ", found " + std::to_string(code));
    predictor_.learn_code(static_cast<std::uint32_t>(code));
    out = dictionary_[static_cast<std::uint32_t>(code)].instruction;
    if ((flags & new_mask) != 0) predictor_.learn_mask(static_cast<std::uint32_t>(masks_.next()));
    out.active_mask = predictor_.mask();
    if ((flags & new_stride) != 0)
      predictor_.learn_stride(
          static_cast<std::int32_t>(static_cast<std::int64_t>(unzigzag(strides_.next()))));
    const bool listed = out.address_kind == AddressKind::list;
    if (!listed && out.address_kind != AddressKind::stride) return;
    const int count = out.active_lanes();
    if (listed)
      out.address = cta.addresses.size();
    else
      out.stride = predictor_.stride();
    if (listed && count == 0) return;
    const Address surprise = (flags & new_address) != 0 ? unzigzag(addresses_.next()) : 0;
    Address address = predictor_.address() + surprise;
    predictor_.learn_address(address);
    if (!listed) {
      out.address = address;
      return;
    }
    cta.addresses.push_back(address);
    for (int i = 1; i < count; ++i) cta.addresses.push_back(address += unzigzag(lanes_.next()));
  }

  const Dictionary& dictionary_;
  Predictor predictor_;
  const wire::Cta& in_;
  Column codes_, masks_, strides_, addresses_, lanes_;
};

}  // namespace

std::string encode_cta(std::uint32_t kernel, const CtaTrace& cta, Dictionary& dictionary, int level) {
  if (cta.instructions.size() > max_cta_instructions)
    throw FormatFault("expected at most " + std::to_string(max_cta_instructions) +
                      " instructions in a thread block, found " + std::to_string(cta.instructions.size()));
  wire::Cta message;
  message.set_kernel(kernel);
  message.set_index(cta.index);
  Encoder(dictionary, cta).run(message);
  if (message.ByteSizeLong() > max_message_bytes)
    throw FormatFault("expected at most 2 GiB in the frame of a thread block, found " +
                      std::to_string(message.ByteSizeLong()) + " bytes");
  return compress(message.SerializeAsString(), level);
}

std::shared_ptr<CtaTrace> decode_cta(std::string_view frame, std::uint32_t kernel, std::uint64_t cta,
                                     const Dictionary& dictionary) {
  const std::string data = decompress(frame);
  wire::Cta message;
  if (!message.ParseFromString(data)) throw FormatFault("expected a Cta message");
  if (message.kernel() != kernel || message.index() != cta)
    throw FormatFault("found thread block " + std::to_string(message.index()) + " of kernel " +
                      std::to_string(message.kernel()) + " in its place");
  return Decoder(dictionary, message).run();
}

}  // namespace strata::traces::record
