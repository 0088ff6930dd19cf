// Warp instructions per CPU-second that record files are written and read with (items per second of the
// report).
//     bench_record                                              gemm, lud, sp and hg at `quick`
//     bench_record --benchmark_filter=read/sp
#include <benchmark/benchmark.h>
#include <filesystem>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "traces/record/record_source.h"
#include "traces/record/record_writer.h"
#include "traces/workloads/workload.h"

namespace {

using namespace strata::traces;

/// A workload with all its instructions in memory.
struct Recorded {
  std::vector<strata::KernelInfo> kernels;
  std::vector<std::pair<std::uint32_t, std::shared_ptr<const strata::CtaTrace>>> ctas;
  std::uint64_t instructions = 0;
  std::string path;

  explicit Recorded(const std::string& name)
      : path((std::filesystem::temp_directory_path() / ("bench-record-" + std::to_string(::getpid())))
                 .string()) {
    const auto source = Workload::open(Workload::load(name));
    kernels = source->kernels();
    for (const strata::KernelInfo& kernel : kernels)
      for (std::uint64_t c = 0; c < kernel.ctas(); ++c) {
        ctas.emplace_back(kernel.id, source->fetch(kernel.id, c));
        instructions += ctas.back().second->instructions.size();
      }
  }
  ~Recorded() { std::filesystem::remove(path); }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;

  std::uint64_t write() const {
    RecordWriter writer(path, "bench", kernels, {});
    for (const auto& cta : ctas) writer.add(cta.first, *cta.second);
    writer.finish();
    return writer.bytes_written();
  }
};

void finish(benchmark::State& state, const Recorded& recorded, std::uint64_t bytes) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(recorded.instructions));
  state.counters["bytes_per_instruction"] =
      static_cast<double>(bytes) / static_cast<double>(recorded.instructions);
}

void write_record(benchmark::State& state, const std::string& name) {
  const Recorded recorded(name);
  std::uint64_t bytes = 0;
  for (auto _ : state) bytes = recorded.write();
  finish(state, recorded, bytes);
}

void read_record(benchmark::State& state, const std::string& name) {
  const Recorded recorded(name);
  const std::uint64_t bytes = recorded.write();
  for (auto _ : state) {
    RecordSource source(recorded.path);
    for (const strata::KernelInfo& kernel : source.kernels())
      for (std::uint64_t c = 0; c < kernel.ctas(); ++c) benchmark::DoNotOptimize(source.fetch(kernel.id, c));
  }
  finish(state, recorded, bytes);
}

}  // namespace

int main(int argc, char** argv) {
  for (const std::string name : {"gemm", "lud", "sp", "hg"}) {
    const std::string workload = name + "@quick";
    benchmark::RegisterBenchmark(("write/" + name).c_str(), write_record, workload)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("read/" + name).c_str(), read_record, workload)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
