#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace strata {

/// What the warps of a CTA meet at, beside the barrier of all of them: barriers 0 to 15 with a number of
/// warps, and barriers in shared memory (mbarriers) that count arrivals and bytes. Warps are bits by warp
/// slot; every function returns the warps that go on.
class CtaBarriers {
 public:
  using Warps = std::uint64_t;

  void clear();
  /// Nothing is waited for here.
  bool idle() const;

  /// A warp arrives at barrier `number`, where `needed` warps meet. `waits`: it goes on only with the others.
  Warps arrive(unsigned number, unsigned needed, Warps warp, bool waits);
  /// Warps that wait at barrier `number`, and how many have arrived.
  Warps waiting(unsigned number) const { return named_[number].waiting; }
  unsigned arrived(unsigned number) const { return named_[number].arrived; }

  /// PTX ISA, "mbarrier": a phase ends when `expected` arrivals and all announced bytes have come; then the
  /// next one begins with as many arrivals to come. Arrivals that came before the first init() of an address
  /// count.
  void init(std::uint32_t address, std::uint32_t expected);
  Warps arrive_at(std::uint32_t address, std::uint32_t arrivals, std::int64_t announced_bytes);
  /// So many arrivals more than it was made for are to come in this phase.
  void expect_more(std::uint32_t address, std::uint32_t arrivals) { at(address).pending += arrivals; }
  /// Bytes that are to come, without an arrival.
  void expect_bytes(std::uint32_t address, std::int64_t bytes) { at(address).bytes += bytes; }
  Warps bytes_at(std::uint32_t address, std::int64_t bytes);
  /// The warp waits for the end of the phase of this parity. True: it has ended.
  bool wait_at(std::uint32_t address, unsigned parity, Warps warp);
  /// The warp waits until so many phases have ended (modulo 65536). True: they have.
  bool wait_phases(std::uint32_t address, std::uint16_t phases, Warps warp);

  struct InMemory {
    std::uint32_t address = 0;
    std::uint32_t expected = 1;  ///< arrivals a phase
    std::uint32_t pending = 1;   ///< of the present phase
    std::int64_t bytes = 0;      ///< announced and not here; below 0 while they come first
    std::uint32_t phases = 0;    ///< that have ended
    bool made = false;           ///< by init()
    std::uint32_t early = 0;     ///< arrivals before that
    Warps waiting = 0;
  };
  const std::vector<InMemory>& in_memory() const { return in_memory_; }

 private:
  struct Named {
    Warps waiting = 0;
    unsigned arrived = 0;
  };
  InMemory& at(std::uint32_t address);
  static Warps end_of_phase(InMemory& barrier);

  std::array<Named, 16> named_{};
  std::vector<InMemory> in_memory_;  // few
};

}  // namespace strata
