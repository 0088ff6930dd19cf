// Thread instructions per CPU-second of the PTX interpreter while it records, workload by workload.
//     bench_ptx [WORKLOAD@SCALE ...]        default: every workload at `quick`
//     bench_ptx --in-flight [WORKLOAD@SCALE ...]   loads of a warp in flight when it first waits for one, by
//     cap
//     bench_ptx --matrices                  products of matrices
// STRATA_PTX_BASELINE=1 measures the code for plain x86-64.
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "traces/ptx/ptx.h"
#include "traces/workloads/workload.h"

namespace {

using namespace strata::traces;

struct Result {
  double seconds = 0, threads = 0, warps = 0, records = 0;
};

Result measure(const std::string& name) {
  const auto source = Workload::open(Workload::load(name), PtxOptions());
  Result result;
  const std::clock_t start = std::clock();
  for (std::uint32_t k = 0; k < source->kernels().size(); ++k)
    for (std::uint64_t c = 0; c < source->kernels()[k].ctas(); ++c)
      result.records += static_cast<double>(source->fetch(k, c)->instructions.size());
  result.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const PtxStats stats = source->stats();
  result.threads = static_cast<double>(stats.executed_thread_instructions);
  result.warps = static_cast<double>(stats.executed_instructions);
  return result;
}

void print(const std::string& name, const Result& r) {
  std::printf("%-24s %8.3f s %10.1f M thread instructions %8.0f M/s  %4.1f lanes  %6.2f M records\n",
              name.c_str(), r.seconds, r.threads / 1e6, r.threads / 1e6 / r.seconds, r.threads / r.warps,
              r.records / 1e6);
}

/// Mean number of global loads in flight when a warp that issues in order meets the first reader of one.
double loads_in_flight(const std::string& name, int cap) {
  PtxOptions options;
  options.hoist_loads = cap > 0;
  if (cap > 0) options.loads_in_flight = cap;
  const auto source = Workload::open(Workload::load(name), options);
  double stalls = 0, loads = 0;
  for (std::uint32_t k = 0; k < source->kernels().size(); ++k)
    for (std::uint64_t c = 0; c < source->kernels()[k].ctas(); ++c) {
      const auto cta = source->fetch(k, c);
      for (std::size_t w = 0; w < cta->warps(); ++w) {
        std::uint32_t flying = 0, reader = ~0U;
        for (std::uint32_t i = cta->warp_begin[w]; i < cta->warp_begin[w + 1]; ++i) {
          const strata::WarpInstruction& r = cta->instructions[i];
          if (i >= reader) {
            stalls += 1;
            loads += flying;
            flying = 0;
            reader = ~0U;
          }
          if ((r.op != strata::OpClass::load && r.op != strata::OpClass::read_only_load) || r.first_use == 0)
            continue;
          ++flying;
          if (i + r.first_use < reader) reader = i + r.first_use;
        }
      }
    }
  return stalls > 0 ? loads / stalls : 0;
}

struct MatrixShape {
  const char* name;
  int a, b, c;      // registers of a lane
  double products;  // of two elements
};
constexpr MatrixShape shapes[] = {{"m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, 2048},
                                  {"m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, 2048},
                                  {"m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, 2048},
                                  {"m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, 1024},
                                  {"m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2, 4, 4096},
                                  {"m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 4, 4096}};

void measure_matrices() {
  constexpr int rounds = 20000, warps = 4;
  for (const MatrixShape& shape : shapes) {
    int next = 0;
    const auto registers = [&](int count) {
      std::string list = "{";
      for (int i = 0; i < count; ++i) list += (i == 0 ? "%r" : ", %r") + std::to_string(next++);
      return list + "}";
    };
    const std::string a = registers(shape.a), b = registers(shape.b), c = registers(shape.c);
    std::string text =
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %p;\n"
        ".reg .b32 %r<20>;\nmov.u32 %r19, %tid.x;\nadd.u32 %r19, %r19, 805320704;\n";
    for (int i = 0; i < shape.a + shape.b; ++i)
      text += "add.u32 %r" + std::to_string(i) + ", %r19, " + std::to_string(i * 65539) + ";\n";
    for (int i = shape.a + shape.b; i < next; ++i) text += "mov.u32 %r" + std::to_string(i) + ", 0;\n";
    text += "mov.u32 %r18, 0;\nL:\nmma.sync.aligned." + std::string(shape.name) + " " + c + ", " + a + ", " +
            b + ", " + c + ";\nadd.u32 %r18, %r18, 1;\nsetp.lt.u32 %p, %r18, " + std::to_string(rounds) +
            ";\n@%p bra L;\nret;\n}\n";
    PtxLaunch launch;
    launch.program = PtxProgram::parse(text, "matrices");
    launch.kernel = "k";
    launch.block.x = 32 * warps;
    GlobalMemory memory;
    const std::clock_t start = std::clock();
    execute(launch, memory);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    std::printf("mma.sync.%-36s %6.2f us %8.0f M products/s\n", shape.name, seconds / (rounds * warps) * 1e6,
                shape.products * rounds * warps / 1e6 / seconds);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> names(argv + 1, argv + argc);
  if (!names.empty() && names.front() == "--matrices") {
    measure_matrices();
    return 0;
  }
  const bool in_flight = !names.empty() && names.front() == "--in-flight";
  if (in_flight) names.erase(names.begin());
  if (names.empty())
    for (const std::string& name : workload_names()) names.push_back(name + "@quick");
  if (in_flight) {
    std::printf("%-24s off     1     2     4     8    16\n", "loads in flight");
    for (const std::string& name : names) {
      std::printf("%-22s", name.c_str());
      for (const int cap : {0, 1, 2, 4, 8, 16}) std::printf("%6.1f", loads_in_flight(name, cap));
      std::printf("\n");
    }
    return 0;
  }
  Result all;
  for (const std::string& name : names) {
    const Result r = measure(name);
    print(name, r);
    all.seconds += r.seconds;
    all.threads += r.threads;
    all.warps += r.warps;
    all.records += r.records;
  }
  print("all", all);
  return 0;
}
