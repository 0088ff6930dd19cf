#pragma once

#include <array>

#include "models/common/params.h"

namespace strata {

/// Which ready warp a scheduler issues from: places in WarpOrderRow::table(), those of plug-ins behind.
enum class WarpPolicy : int {
  gto,  ///< greedy, then oldest: stay with the last warp until it stalls
  lrr,  ///< loose round robin: the next ready warp in age order after the last one
};

/// Which scheduler of an SM comes first to what they share.
enum class Arbitration : int {
  fixed,   ///< the first scheduler, then the next
  oldest,  ///< the one that would issue from the warp that was launched first
};

/// Which of a scheduler's memory instructions in operand collectors comes first to the load/store unit.
enum class CollectorOrder : int {
  oldest,  ///< the one that issued first
  lowest,  ///< the one in the first collector, then the next
};

/// What the lanes of an instruction are merged to.
enum class Segments : int {
  lines,
  elements,  ///< 32 B where elements have 1 B, 64 B where they have 2 B, else lines
};

/// What accesses name of their lines.
enum class Asked : int {
  sectors,  ///< the 32 B sectors that lanes touch
  parts,    ///< and the 8 B parts of these
};

/// What a reply over a network brings of a line.
enum class ReplyData : int {
  sectors,  ///< the 32 B sectors that lanes touch
  words,    ///< of these the 4 B words that lanes touch
};

/// What becomes of accesses to the shared memory of other CTAs of a thread block cluster.
enum class Dsmem : int {
  own_port,  ///< they cost what an access to one's own costs
  network,   ///< they go to the SM of that CTA and back
  refuse,    ///< a kernel with any is refused
};

/// Execution units of one class.
struct UnitParams {
  int latency = 0;
  int interval = 1;
  int units = 1;
};
constexpr int most_units = 4;  ///< of a class and a scheduler

/// Parameters of `sm_cluster`. The limits are those of every SM.
struct SmClusterParams final : ParamSet {
  int sms = 1;
  int warps = 64;
  int threads = 2048;
  int ctas = 32;
  int registers = 65536;
  Bytes shared_memory{64 * KiB};
  int schedulers = 2;
  WarpPolicy scheduler = WarpPolicy::gto;
  // Latencies of Volta as GPGPU-Sim ships them (SM7_QV100: ptx_opcode_latency_int and _fp 4,
  // gpgpu_smem_latency 20; SM7_TITANV: trace_opcode_latency_initiation_sfu 20,8).
  int alu_latency = 4;
  int alu_interval = 1;  // every lane of a warp at once
  UnitParams integer, sp, dp, tensor, branch;
  UnitParams sfu{20, 8, 1};
  int shared_latency = 20;
  int lsu_depth = 8;
  int lines_per_cycle = 1;
  Arbitration arbitration = Arbitration::fixed;
  int instruction_buffer = 0;
  int fetch_bubble = 1;
  int loads_per_warp = 16;
  int collectors = 0;
  CollectorOrder collector_order = CollectorOrder::oldest;
  bool await_stores = false;
  // Bulk copies of H800: 104 cycles more than a load (arXiv 2501.12084, latencies of TMA loads); lines in
  // flight as FlashGPU-Sim's H100 has them.
  int tma_latency = 104;
  int tma_bytes_per_cycle = 128;
  int tma_in_flight = 384;
  Dsmem dsmem = Dsmem::own_port;
  int dsmem_depth = 8;  // as lsu_depth
  Bytes line{128};
  Bytes texture_line{0};
  Segments segments = Segments::lines;
  ReplyData replies = ReplyData::sectors;
  Asked asks = Asked::sectors;

  void for_each_param(ParamVisitor& visitor) override;
  /// Those that arithmetic and control flow execute on, in the order of Unit.
  std::array<UnitParams*, 6> units() { return {&integer, &sp, &dp, &tensor, &branch, &sfu}; }
  std::array<const UnitParams*, 6> units() const { return {&integer, &sp, &dp, &tensor, &branch, &sfu}; }
  Faults validate() const override;
};

}  // namespace strata
