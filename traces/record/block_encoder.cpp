#include <utility>

#include "traces/record/block_codec.h"
#include "traces/record/record_format.h"
#include "traces/record/trace_record.pb.h"

namespace strata::traces::record {
namespace {

constexpr std::size_t max_message_bytes = 0x7fffffff;  // Protocol Buffers

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

}  // namespace strata::traces::record
