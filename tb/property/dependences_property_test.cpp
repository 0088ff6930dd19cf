// SmCore on decoded CTAs against a specification that keeps a time for every register.
#include <algorithm>
#include <array>
#include <deque>
#include <random>
#include <vector>

#include "models/common/coalesce.h"
#include "models/sm_cluster/decoded_cta.h"
#include "models/sm_cluster/sm_cluster_params.h"
#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"

namespace strata::tb {

/// One warp on one scheduler, word for word as docs/blocks/sm-cluster.md says it and cycle by cycle: every
/// register has a time from which it can be used, and every instruction looks at all of them. A specification
/// to hold SmCore against, as slow as it is plain.
class RegisterSm {
 public:
  struct Line {
    Cycle sent;
    Address line;
    std::uint8_t sectors;
  };

  /// `latency`: from sending a line to its answer.
  RegisterSm(const SmClusterParams& params, const CtaTrace& cta, Cycle latency)
      : params_(params), cta_(cta), latency_(latency) {
    ready_.fill(0);
    for (Cycle now = 1; next_ < cta.instructions.size() || !queue_.empty() || !loads_.empty(); ++now) {
      take_replies(now);
      send(now);
      if (next_ < cta.instructions.size()) issue(now);
    }
  }

  std::vector<Cycle> issues;
  std::vector<Line> lines;

 private:
  struct Load {
    std::size_t index;
    std::vector<Cycle> answers;  // of the lines sent
    std::size_t lines_left;
  };
  struct Queued {
    std::size_t index;
    Cycle entered;
    LineAccesses lines;
    int sent;
  };
  static bool returns(const WarpInstruction& i);
  const WarpInstruction& at(std::size_t index) const { return cta_.instructions[index]; }
  void set(const WarpInstruction& i, Cycle time);
  void end(std::size_t place);
  void take_replies(Cycle now);
  std::size_t load_of(std::size_t index) const;
  void send(Cycle now);
  bool usable(int reg, Cycle now) const {
    return reg == no_register || ready_[static_cast<std::size_t>(reg)] <= now;
  }
  static bool touches_memory(const WarpInstruction& i) {
    return touches_global_memory(i.op) || touches_shared_memory(i.op);
  }
  // How many of the instructions that it stands for execute on each of the six classes, and without a unit.
  static std::array<int, 7> on_units(const WarpInstruction& i);
  Cycle* earliest(std::size_t unit) {
    return std::min_element(units_[unit].data(), units_[unit].data() + params_.units()[unit]->units);
  }
  bool units_free(const WarpInstruction& i, Cycle now);
  Cycle begin_on_units(const WarpInstruction& i, Cycle now, Cycle last_slot);
  bool can_issue(const WarpInstruction& i, Cycle now);
  void issue(Cycle now);

  const SmClusterParams& params_;
  const CtaTrace& cta_;
  const Cycle latency_;
  std::size_t next_ = 0;
  std::array<Cycle, no_register> ready_{};
  Cycle free_ = 0, shared_free_ = 0, buffered_from_ = 0;
  int fetched_ = 0;                                       // instructions that have issued
  std::array<std::array<Cycle, most_units>, 6> units_{};  // from when on each is free
  std::deque<Queued> queue_;
  std::vector<Load> loads_;
};

bool RegisterSm::returns(const WarpInstruction& i) {
  if (i.op == OpClass::atomic) return i.destination != no_register || i.first_use != 0;
  return i.op == OpClass::load || i.op == OpClass::read_only_load;
}

void RegisterSm::set(const WarpInstruction& i, Cycle time) {
  for (int r = i.destination; r < i.destination + i.destination_count && r < no_register; ++r)
    ready_[static_cast<std::size_t>(r)] = time;
}

void RegisterSm::end(std::size_t place) {
  const WarpInstruction& i = at(loads_[place].index);
  if (i.first_use == 0) set(i, 0);
  loads_.erase(loads_.begin() + static_cast<std::ptrdiff_t>(place));
}

void RegisterSm::take_replies(Cycle now) {
  for (std::size_t i = 0; i < loads_.size();) {
    const Load& load = loads_[i];
    const auto due = [=](Cycle answer) { return answer < now; };
    if (load.lines_left == 0 && !load.answers.empty() &&
        std::all_of(load.answers.begin(), load.answers.end(), due))
      end(i);
    else
      ++i;
  }
}

std::size_t RegisterSm::load_of(std::size_t index) const {
  const auto same = [=](const Load& load) { return load.index == index; };
  return static_cast<std::size_t>(std::find_if(loads_.begin(), loads_.end(), same) - loads_.begin());
}

void RegisterSm::send(Cycle now) {
  while (!queue_.empty() && queue_.front().entered < now && queue_.front().lines.count == 0) {
    const std::size_t load = load_of(queue_.front().index);
    if (load < loads_.size()) end(load);
    queue_.pop_front();
  }
  if (queue_.empty() || queue_.front().entered >= now) return;
  Queued& head = queue_.front();
  const LineAccess& line = head.lines.lines[static_cast<std::size_t>(head.sent++)];
  lines.push_back({now, line.line, line.sectors});
  const std::size_t load = load_of(head.index);
  if (load < loads_.size()) {
    loads_[load].answers.push_back(now + latency_);
    --loads_[load].lines_left;
  }
  if (head.sent == head.lines.count) queue_.pop_front();
}

std::array<int, 7> RegisterSm::on_units(const WarpInstruction& i) {
  std::array<int, 7> on{};
  int left = i.weight != 0 ? i.weight : 1;
  for (std::size_t k = 0; k < 4 && i.op != OpClass::sfu; ++k) {
    on[1 + k] = std::min<int>(left, i.units[k]);
    left -= on[1 + k];
  }
  on[i.op == OpClass::sfu ? 5 : i.op == OpClass::alu ? 0 : 6] = left;
  return on;
}

bool RegisterSm::units_free(const WarpInstruction& i, Cycle now) {
  const std::array<int, 7> on = on_units(i);
  for (std::size_t unit = 0; unit < 6; ++unit)
    if (on[unit] != 0 && *earliest(unit) > now) return false;
  return true;
}

Cycle RegisterSm::begin_on_units(const WarpInstruction& i, Cycle now, Cycle last_slot) {
  const std::array<int, 7> on = on_units(i);
  const auto alu = static_cast<Cycle>(params_.alu_latency);
  Cycle result = on[6] != 0 ? last_slot + alu : 0;
  for (std::size_t unit = 0; unit < 6; ++unit) {
    const UnitParams& its = *params_.units()[unit];
    for (int n = 0; n < on[unit]; ++n) {
      Cycle* const free = earliest(unit);
      const Cycle start = std::max(*free, now + static_cast<Cycle>(n));
      *free = start + static_cast<Cycle>(its.interval);
      result = std::max(
          result, std::max(start, last_slot) + (its.latency != 0 ? static_cast<Cycle>(its.latency) : alu));
    }
  }
  return result;
}

bool RegisterSm::can_issue(const WarpInstruction& i, Cycle now) {
  if (now < free_ || now < buffered_from_) return false;
  for (const std::uint8_t source : i.sources)
    if (!usable(source, now)) return false;
  for (int r = i.destination; r <= i.destination || r < i.destination + i.destination_count; ++r)
    if (r <= no_register && !usable(r, now)) return false;
  for (const Load& load : loads_)
    if (at(load.index).first_use != 0 && load.index + at(load.index).first_use <= next_) return false;
  if (!touches_memory(i)) return units_free(i, now);
  if (touches_shared_memory(i.op)) return now >= shared_free_;
  if (!touches_global_memory(i.op)) return true;
  return queue_.size() < static_cast<std::size_t>(params_.lsu_depth) &&
         (!returns(i) || loads_.size() < static_cast<std::size_t>(params_.loads_per_warp));
}

void RegisterSm::issue(Cycle now) {
  const WarpInstruction& i = at(next_);
  if (!can_issue(i, now)) return;
  issues.push_back(now);
  const auto times = static_cast<Cycle>(i.weight != 0 ? i.weight : 1);
  const Cycle slots = i.op == OpClass::alu ? times * static_cast<Cycle>(params_.alu_interval) : times;
  free_ = now + slots;
  for (Cycle n = 0; n < times && params_.instruction_buffer != 0; ++n) {
    if (++fetched_ % params_.instruction_buffer != 0) continue;
    buffered_from_ = std::max(buffered_from_, free_) + static_cast<Cycle>(params_.fetch_bubble);
  }
  if (touches_global_memory(i.op)) {
    queue_.push_back({next_, now, {}, 0});
    coalesce(i, cta_, static_cast<unsigned>(params_.line.count), queue_.back().lines);
    if (returns(i)) {
      loads_.push_back({next_, {}, static_cast<std::size_t>(queue_.back().lines.count)});
      if (i.first_use == 0) set(i, never);
    }
  } else if (touches_shared_memory(i.op)) {
    const auto extra = static_cast<Cycle>(std::max(shared_passes(i, cta_).cycles, 1) - 1);
    shared_free_ = now + 1 + extra;
    set(i, now + extra + static_cast<Cycle>(params_.shared_latency));
  } else {
    set(i, begin_on_units(i, now, now + slots - 1));
  }
  ++next_;
}

}  // namespace strata::tb

using namespace strata;
using namespace strata::tb;

namespace {

using Random = std::mt19937_64;

int up_to(Random& random, int most) {
  return static_cast<int>(random() % static_cast<unsigned>(most + 1));
}

// Short latencies mostly, any allowed one at times.
int latency(Random& random) {
  return 1 + (random() % 4 == 0 ? up_to(random, 999) : up_to(random, 40));
}

SmClusterParams random_params(Random& random) {
  SmClusterParams params;
  params.schedulers = 1;
  params.alu_latency = latency(random);
  for (UnitParams* const units : params.units()) {
    units->latency = random() % 3 == 0 ? 0 : latency(random);
    units->interval = random() % 3 == 0 ? 1 : 1 + up_to(random, random() % 2 == 0 ? 5 : 63);
    units->units = 1 + up_to(random, most_units - 1);
  }
  params.shared_latency = latency(random);
  params.alu_interval = random() % 2 == 0 ? 1 : 1 + up_to(random, 63);
  params.lsu_depth = 1 + up_to(random, 63);
  if (random() % 3 == 0) params.instruction_buffer = 1 + up_to(random, random() % 2 == 0 ? 3 : 63);
  params.fetch_bubble = 1 + up_to(random, random() % 2 == 0 ? 3 : 63);
  params.arbitration = random() % 2 == 0 ? Arbitration::fixed : Arbitration::oldest;
  params.loads_per_warp = 1 + up_to(random, 31);
  params.line.count = std::uint64_t{32} << random() % 4;
  return params;
}

std::uint8_t random_register(Random& random, int registers) {
  const std::uint64_t kind = random() % 8;
  if (kind == 0) return static_cast<std::uint8_t>(250 + random() % 6);
  return kind < 3 ? no_register : static_cast<std::uint8_t>(up_to(random, registers));
}

WarpInstruction random_instruction(Random& random, CtaTrace& cta, int registers) {
  WarpInstruction i;
  i.pc = static_cast<std::uint32_t>(random());
  i.op = static_cast<OpClass>(random() % static_cast<unsigned>(OpClass::count_));
  if (random() % 2 == 0) i.op = OpClass::alu;
  i.active_mask = random() % 3 == 0 ? static_cast<std::uint32_t>(random()) : ~0U;
  if (random() % 20 == 0) i.active_mask = 0;
  i.width = static_cast<std::uint8_t>(1U << random() % 5);
  i.destination = random_register(random, registers);
  i.destination_count = static_cast<std::uint8_t>(random() % 4 == 0 ? random() % 6 : 1);
  for (std::uint8_t& source : i.sources) source = random_register(random, registers);
  if (random() % 2 == 0) std::fill(i.sources.begin() + 1, i.sources.end(), no_register);
  i.weight = static_cast<std::uint8_t>(random() % 8 != 0 ? 1 : random() % 4 != 0 ? random() % 4 : random());
  if (random() % 2 == 0)
    for (std::uint8_t& units : i.units)
      units = static_cast<std::uint8_t>(random() % 3 == 0 ? random() % 9 : 0);
  if (random() % 3 == 0)
    i.first_use = static_cast<std::uint8_t>(random() % 8 == 0 ? random() : random() % 12);
  i.address_kind = static_cast<AddressKind>(random() % 3);
  if (i.address_kind == AddressKind::stride) {
    constexpr std::int32_t strides[] = {0, 4, 8, 128, -64, 4096};
    i.address = 0x7f0000000000 + random() % 4096 * 4;
    i.stride = strides[random() % 6];
  } else if (i.address_kind == AddressKind::list) {
    i.address = cta.addresses.size();
    for (int lane = 0; lane < i.active_lanes(); ++lane)
      cta.addresses.push_back(random() % 8 == 0 ? 0 : 0x10000 + random() % 8192 * 4);
  }
  return i;
}

// A warp of the same program, as a rule: elsewhere in memory, with other lanes, or a little different.
std::vector<WarpInstruction> another_warp(Random& random, CtaTrace& cta, std::vector<WarpInstruction> warp) {
  const Address moves[] = {0, 32, 128, 4096};
  for (WarpInstruction& i : warp) {
    if (i.address_kind == AddressKind::stride) {
      i.address += moves[random() % 4];
      if (random() % 16 == 0) i.address %= 16;  // lanes with address 0 do not count
      if (random() % 16 == 0) i.stride = random() % 2 == 0 ? 4 : -4;
      if (random() % 16 == 0) i.active_mask = 15;
    }
    if (random() % 32 == 0) i.active_mask = static_cast<std::uint32_t>(random());
    if (random() % 64 == 0) i.sources[random() % 5] = random_register(random, 8);
    if (random() % 64 == 0) i.weight = static_cast<std::uint8_t>(random() % 4);
    if (random() % 64 == 0) i.units[random() % 4] = static_cast<std::uint8_t>(random() % 3);
    if (i.address_kind != AddressKind::list) continue;  // addresses of its own, in case it has more lanes
    i.address = cta.addresses.size();
    for (int lane = 0; lane < 32; ++lane) cta.addresses.push_back(random() % 8192 * 4);
  }
  if (random() % 8 == 0) warp[random() % warp.size()] = random_instruction(random, cta, 8);
  if (random() % 8 == 0) warp.pop_back();
  if (warp.empty()) warp.push_back(random_instruction(random, cta, 8));
  return warp;
}

}  // namespace

TEST_CASE("Random instructions issue in the cycles that registers with times allow") {
  const unsigned seed = 20261122;
  INFO("seed " << seed);
  Random random(seed);
  std::size_t issued = 0;
  for (int n = 0; n < 600; ++n) {
    const SmClusterParams params = random_params(random);
    const int registers = 1 + up_to(random, 40), count = 1 + up_to(random, 300);
    CtaTrace cta;
    for (int i = 0; i < count; ++i) cta.instructions.push_back(random_instruction(random, cta, registers));
    cta.warp_begin = {0, static_cast<std::uint32_t>(count)};
    CoreBench bench(params);
    bench.latency = 1 + static_cast<Cycle>(up_to(random, 300));
    const RegisterSm expected(params, cta, bench.latency);
    bench.launch_cta(cta);
    bench.run(never);
    INFO("stream " << n);
    REQUIRE(bench.issues == expected.issues);
    REQUIRE(bench.lines.size() == expected.lines.size());
    for (std::size_t i = 0; i < bench.lines.size(); ++i) {
      REQUIRE(bench.lines[i].sent == expected.lines[i].sent);
      REQUIRE(bench.lines[i].line == expected.lines[i].line);
      REQUIRE(bench.lines[i].sectors == __builtin_popcount(expected.lines[i].sectors));
    }
    issued += bench.issues.size();
  }
  CHECK(issued > 50000);
}

TEST_CASE("A warp decodes as it would alone, however like the one before it is") {
  const unsigned seed = 20261123;
  INFO("seed " << seed);
  Random random(seed);
  int shared = 0;
  for (int n = 0; n < 400; ++n) {
    const SmClusterParams params = random_params(random);
    CtaTrace all;
    std::vector<WarpInstruction> warp;
    for (int i = up_to(random, 30); i >= 0; --i) warp.push_back(random_instruction(random, all, 8));
    all.warp_begin = {0};
    for (int w = 0; w < 12; ++w) {
      all.instructions.insert(all.instructions.end(), warp.begin(), warp.end());
      all.warp_begin.push_back(static_cast<std::uint32_t>(all.instructions.size()));
      warp = another_warp(random, all, warp);
    }
    DecodedCta together, alone;
    CtaDecoder(params).decode(all, together);
    const InstructionWord::Word* lines = together.warp(0).lines;
    for (std::size_t w = 0; w < all.warps(); ++w) {
      CtaTrace one;
      one.addresses = all.addresses;
      one.instructions.assign(all.instructions.begin() + all.warp_begin[w],
                              all.instructions.begin() + all.warp_begin[w + 1]);
      one.warp_begin = {0, static_cast<std::uint32_t>(one.instructions.size())};
      CtaDecoder(params).decode(one, alone);
      INFO("CTA " << n << ", warp " << w);
      const DecodedCode here = together.warp(w), there = alone.warp(0);
      REQUIRE(here.lines == lines);
      REQUIRE(std::equal(there.code, there.code + alone.code_words(), here.code));
      REQUIRE(std::equal(there.lines, there.lines + alone.line_words(), lines));
      lines += alone.line_words();
      shared += w > 0 && here.code == together.warp(w - 1).code ? 1 : 0;
    }
    REQUIRE(lines == together.warp(0).lines + together.line_words());
  }
  CHECK(shared > 400);
}
