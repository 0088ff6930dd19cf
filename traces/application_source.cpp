#include "traces/application_source.h"

#include <cstdio>

#include "models/common/faults.h"

namespace strata::traces {
namespace {

class ApplicationSource final : public InstructionSource {
 public:
  ApplicationSource(InstructionSource& program, std::uint32_t application)
      : program_(program), base_(application_base(application)), kernels_(program.kernels()) {
    for (KernelInfo& kernel : kernels_) kernel.application = application;
    for (const MemcpyInfo& copy : program.copies()) {
      copies_.push_back(copy);
      copies_.back().address = moved(copy.address);
    }
  }
  const std::vector<KernelInfo>& kernels() const override { return kernels_; }
  const std::vector<MemcpyInfo>& copies() const override { return copies_; }
  std::shared_ptr<const CtaTrace> fetch(std::uint32_t kernel, std::uint64_t cta) override;
  std::string description() const override { return program_.description(); }
  std::uint64_t warp_instructions() const override { return program_.warp_instructions(); }
  std::vector<SourceGap> gaps() const override { return program_.gaps(); }

 private:
  Address moved(Address address) const {
    if (address < application_end) return base_ + address;
    char text[128];
    std::snprintf(text, sizeof text,
                  "address 0x%llx lies beyond the 2^48 bytes that each of several applications has",
                  static_cast<unsigned long long>(address));
    throw TraceError({{program_.description(), 0, 0}, text});
  }
  void move_list(const CtaTrace& from, WarpInstruction& instruction, CtaTrace& to) const;

  InstructionSource& program_;
  const Address base_;
  std::vector<KernelInfo> kernels_;
  std::vector<MemcpyInfo> copies_;
};

// Address lists are copied: one list may serve an access to shared memory and one to device memory.
void ApplicationSource::move_list(const CtaTrace& from, WarpInstruction& instruction, CtaTrace& to) const {
  const auto first = static_cast<std::size_t>(instruction.address);
  const auto lanes = static_cast<std::size_t>(instruction.active_lanes());
  instruction.address = to.addresses.size();
  for (std::size_t i = first; i < first + lanes; ++i)
    to.addresses.push_back(touches_global_memory(instruction.op) ? moved(from.addresses[i])
                                                                 : from.addresses[i]);
}

std::shared_ptr<const CtaTrace> ApplicationSource::fetch(std::uint32_t kernel, std::uint64_t cta) {
  const std::shared_ptr<const CtaTrace> from = program_.fetch(kernel, cta);
  if (base_ == 0) return from;
  auto to = std::make_shared<CtaTrace>();
  to->index = from->index;
  to->warp_begin = from->warp_begin;
  to->instructions = from->instructions;
  to->addresses.reserve(from->addresses.size());
  for (WarpInstruction& instruction : to->instructions) {
    if (instruction.address_kind == AddressKind::list)
      move_list(*from, instruction, *to);
    else if (instruction.address_kind == AddressKind::stride && touches_global_memory(instruction.op))
      instruction.address = moved(instruction.address);
  }
  return to;
}

}  // namespace

std::unique_ptr<InstructionSource> make_application(InstructionSource& program, std::uint32_t application) {
  return std::make_unique<ApplicationSource>(program, application);
}

}  // namespace strata::traces
