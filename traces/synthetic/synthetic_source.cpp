#include "traces/synthetic/synthetic_source.h"

#include <array>

#include "models/common/faults.h"

namespace strata::traces {
namespace {

using Pattern = SyntheticParams::Pattern;

// Registers of the generated code.
constexpr std::uint8_t index_register = 0, address_register = 2, store_register = 4, first_load_register = 8;
// PCs: each role has its own range, so that a PC names one static instruction.
constexpr std::uint32_t load_pc = 0x100, store_pc = 0x1000, atomic_pc = 0x2000, alu_pc = 0x3000,
                        exit_pc = 0xf0;

/// SplitMix64 (Steele, Lea, Flood 2014): any seed, a few cycles per number.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  /// 0 .. n - 1 for n up to 2^32.
  std::uint64_t below(std::uint64_t n) { return (next() >> 32) * n >> 32; }
  /// True with probability threshold / 2^32.
  bool chance(std::uint64_t threshold) { return next() >> 32 < threshold; }

 private:
  std::uint64_t state_;
};

std::uint64_t threshold(double probability) {
  return static_cast<std::uint64_t>(probability * 4294967296.0);
}

/// A pseudo-random permutation of 0 .. n - 1: a four-round Feistel network over the next even number of bits,
/// repeated while the result lies outside (cycle walking).
class Permutation {
 public:
  Permutation(std::uint64_t n, std::uint64_t seed) : n_(n) {
    while (std::uint64_t{1} << (2 * half_) < n) ++half_;
    Random random(seed);
    for (std::uint64_t& key : keys_) key = random.next();
  }
  std::uint64_t operator()(std::uint64_t value) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_) - 1;
    do {
      std::uint64_t left = value >> half_, right = value & mask;
      for (const std::uint64_t key : keys_) {
        const std::uint64_t mixed = left ^ ((right + key) * 0x9e3779b97f4a7c15 >> 32 & mask);
        left = right;
        right = mixed;
      }
      value = left << half_ | right;
    } while (value >= n_);
    return value;
  }

 private:
  std::uint64_t n_;
  unsigned half_ = 1;
  std::array<std::uint64_t, 4> keys_;
};

/// Lines that a warp loaded and used recently: candidates of a repeated load, available without a miss.
class RecentLines {
 public:
  void add(Address line) { lines_[added_++ % lines_.size()] = line; }
  /// The group has ended: its results have been read.
  void settle() { settled_ = added_; }
  bool empty() const { return settled_ == 0; }
  Address choose(Random& random, std::uint64_t window) const {
    const std::uint64_t choices = settled_ < window ? settled_ : window;
    return lines_[(settled_ - 1 - random.below(choices)) % lines_.size()];
  }

 private:
  std::array<Address, 128> lines_{};  // the largest window plus the largest group
  std::uint64_t added_ = 0;
  std::uint64_t settled_ = 0;
};

class CtaGenerator {
 public:
  CtaGenerator(const SyntheticParams& params, std::uint32_t kernel, std::uint64_t cta)
      : params_(params),
        kernel_(kernel),
        cta_(cta),
        granule_(params.warp_bytes()),
        slots_(params.footprint_bytes() / granule_),
        store_below_(threshold(params.stores)),
        atomic_below_(store_below_ + threshold(params.atomics)),
        hit_below_(threshold(params.hits)),
        hot_below_(threshold(params.hot_fraction)),
        order_(slots_ == 0 ? 1 : slots_, static_cast<std::uint64_t>(params.seed)) {
    any_access_.address_kind = AddressKind::stride;
    any_access_.active_mask = 0xffffffff;
    any_access_.width = 4;
    any_access_.stride = static_cast<std::int32_t>(params.lane_stride());
    any_access_.sources[0] = address_register;
  }

  std::shared_ptr<CtaTrace> run() {
    auto trace = std::make_shared<CtaTrace>();
    trace->index = cta_;
    const auto warps = static_cast<std::size_t>(params_.warps);
    const std::size_t per_warp =
        2 + static_cast<std::size_t>(params_.loads) * (1 + static_cast<std::size_t>(params_.alu));
    trace->instructions.reserve(warps * per_warp);
    trace->warp_begin.reserve(warps + 1);
    out_ = &trace->instructions;
    for (std::size_t w = 0; w < warps; ++w) {
      trace->warp_begin.push_back(static_cast<std::uint32_t>(out_->size()));
      run_warp(w);
    }
    trace->warp_begin.push_back(static_cast<std::uint32_t>(out_->size()));
    return trace;
  }

 private:
  void run_warp(std::uint64_t warp) {
    const auto loads = static_cast<std::uint64_t>(params_.loads);
    const auto group = params_.pattern == Pattern::chase ? 1 : static_cast<std::uint64_t>(params_.in_flight);
    warp_ = warp;
    warp_number_ = cta_ * static_cast<std::uint64_t>(params_.warps) + warp;
    Random mix(static_cast<std::uint64_t>(params_.seed) << 32 ^ kernel_);
    Random random(mix.next() ^ warp_number_ * 0xd1342543de82ef95);
    RecentLines recent;
    add_alu(0, index_register, no_register);
    for (std::uint64_t first = 0; first < loads; first += group) {
      const std::uint64_t count = loads - first < group ? loads - first : group;
      for (std::uint64_t slot = 0; slot < count; ++slot) add_access(slot, first + slot, random, recent);
      recent.settle();
      if (params_.alu == 0) continue;
      for (std::uint64_t slot = 0; slot < count; ++slot) add_uses(slot);
    }
    WarpInstruction exit;
    exit.pc = exit_pc;
    exit.op = OpClass::exit;
    exit.active_mask = 0xffffffff;
    out_->push_back(exit);
  }

  void add_access(std::uint64_t slot, std::uint64_t step, Random& random, RecentLines& recent) {
    const auto number = static_cast<std::uint32_t>(slot);
    WarpInstruction& access = out_->emplace_back(any_access_);
    const std::uint64_t kind = atomic_below_ == 0 ? atomic_below_ : random.next() >> 32;
    if (kind < store_below_) {
      access.op = OpClass::store;
      access.pc = store_pc + number * 16;
      access.sources[1] = store_register;
      access.address = fresh_address(step, random);
    } else if (kind < atomic_below_) {
      access.op = OpClass::atomic;
      access.pc = atomic_pc + number * 16;
      access.destination = static_cast<std::uint8_t>(first_load_register + slot);
      access.sources[1] = store_register;
      access.address = fresh_address(step, random);
    } else {
      access.op = params_.read_only ? OpClass::read_only_load : OpClass::load;
      access.pc = load_pc + number * 16;
      access.destination = static_cast<std::uint8_t>(first_load_register + slot);
      const bool repeat = hit_below_ != 0 && random.chance(hit_below_) && !recent.empty();
      access.address = repeat ? recent.choose(random, static_cast<std::uint64_t>(params_.reuse))
                              : fresh_address(step, random);
      if (!repeat && hit_below_ != 0) recent.add(access.address);
    }
    if (params_.pattern == Pattern::chase) make_chase(access);
  }

  /// One lane follows a pointer: the next address depends on the loaded value.
  static void make_chase(WarpInstruction& access) {
    access.active_mask = 1;
    access.stride = 0;
    access.width = 8;
    access.sources[0] = first_load_register;
    if (access.destination != no_register) access.destination_count = 2;
  }

  Address fresh_address(std::uint64_t step, Random& random) const {
    const Address base = params_.base;
    switch (params_.pattern) {
      case Pattern::random:
        return base + random.below(slots_) * granule_;
      case Pattern::hot_set:
        if (random.chance(hot_below_)) return base + random.below(params_.hot_size / granule_) * granule_;
        return base + (params_.hot_size + granule_ - 1) / granule_ * granule_ + wrapped(step) * granule_;
      case Pattern::chase:
        return base +
               order_((warp_number_ * static_cast<std::uint64_t>(params_.loads) + step) % slots_) * granule_;
      default:
        return base + wrapped(step) * granule_;
    }
  }
  /// The granule of an access when all warps of a kernel walk through the footprint together.
  std::uint64_t wrapped(std::uint64_t step) const {
    const std::uint64_t round = cta_ * static_cast<std::uint64_t>(params_.loads) + step;
    const std::uint64_t position = round * static_cast<std::uint64_t>(params_.warps) + warp_;
    return slots_ == 0 ? position : position % slots_;
  }

  void add_uses(std::uint64_t slot) {
    const auto loaded = static_cast<std::uint8_t>(first_load_register + slot);
    for (int i = 0; i < params_.alu; ++i)
      add_alu(alu_pc + static_cast<std::uint32_t>(slot) * 0x4000 + static_cast<std::uint32_t>(i) * 16,
              store_register, i == 0 ? loaded : store_register);
  }
  void add_alu(std::uint32_t pc, std::uint8_t destination, std::uint8_t source) {
    WarpInstruction alu;
    alu.pc = pc;
    alu.active_mask = 0xffffffff;
    alu.destination = destination;
    alu.sources[0] = source;
    out_->push_back(alu);
  }

  const SyntheticParams& params_;
  std::uint32_t kernel_;
  std::uint64_t cta_;
  std::uint64_t granule_;  ///< bytes between adjacent warp accesses
  std::uint64_t slots_;    ///< granules in the footprint, 0 = unbounded
  std::uint64_t store_below_, atomic_below_, hit_below_, hot_below_;
  Permutation order_;
  WarpInstruction any_access_;  // fields that all accesses share
  std::uint64_t warp_ = 0;      ///< of the CTA
  std::uint64_t warp_number_ = 0;
  std::vector<WarpInstruction>* out_ = nullptr;
};

}  // namespace

SyntheticSource::SyntheticSource(SyntheticParams params, std::uint64_t run_seed)
    : params_(std::move(params)) {
  require_valid(params_, "synthetic");
  if (params_.seed == 0) params_.seed = synthetic_seed(run_seed);
  for (int k = 0; k < params_.kernels; ++k) {
    KernelInfo info;
    info.name = to_spec(params_);
    info.id = static_cast<std::uint32_t>(k);
    info.grid.x = static_cast<std::uint32_t>(params_.ctas);
    info.block.x = static_cast<std::uint32_t>(params_.warps) * 32;
    info.registers = static_cast<std::uint32_t>(params_.registers);
    info.shared_bytes = static_cast<std::uint32_t>(params_.shared.count);
    kernels_.push_back(std::move(info));
  }
}

std::shared_ptr<const CtaTrace> SyntheticSource::fetch(std::uint32_t kernel, std::uint64_t cta) {
  if (kernel >= kernels_.size() || cta >= kernels_[kernel].ctas())
    throw TraceError(
        Fault{{description(), 0, 0},
              "no thread block " + std::to_string(cta) + " in kernel " + std::to_string(kernel)});
  return CtaGenerator(params_, kernel, cta).run();
}

std::uint64_t SyntheticSource::warp_instructions() const {
  const auto per_warp =
      2 + static_cast<std::uint64_t>(params_.loads) * (1 + static_cast<std::uint64_t>(params_.alu));
  return static_cast<std::uint64_t>(params_.kernels) * static_cast<std::uint64_t>(params_.ctas) *
         static_cast<std::uint64_t>(params_.warps) * per_warp;
}

}  // namespace strata::traces
