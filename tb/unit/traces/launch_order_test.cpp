// Lists of kernels that hold more than kernels: what is taken, what is passed over, and parts of them.
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "traces/open.h"
#include "traces/selection.h"
#include "traces/tools.h"

using namespace strata;
using namespace strata::traces;

namespace {

using Ids = std::vector<std::uint32_t>;

/// Kernels of one warp: `kernel-S-NAME.traceg` in stream S.
struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("strata-lists-" + std::to_string(::getpid()));
  Folder() {
    std::filesystem::create_directory(path);
    for (const char* stream : {"0", "7", "8", "9"})
      for (const char* name : {"gemm", "conv"})
        write(std::string(name) + "-" + stream + ".traceg",
              std::string("-kernel name = _Z4") + name +
                  "Pf\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-binary version = 70\n-cuda stream id = " +
                  stream +
                  "\n-accelsim tracer version = 5\n#traces format = x\n#BEGIN_TB\nthread block = 0,0,0\nwarp "
                  "= 0\n"
                  "insts = 1\n00" +
                  stream + "0 ffffffff 0 EXIT 0 0 0\n#END_TB\n");
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return (path / name).string();
  }
  std::unique_ptr<InstructionSource> open(const std::string& list) const {
    return open_trace(write("list.g", list));
  }
};

template <class Error, class Action>
std::string fault_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

LaunchSelection launches(std::uint64_t first, std::uint64_t last) {
  LaunchSelection selection;
  selection.first = first;
  selection.last = last;
  return selection;
}

LaunchSelection kernels(const std::string& regex) {
  LaunchSelection selection;
  read_kernels("kernels", regex, selection);
  return selection;
}

}  // namespace

TEST_CASE("Streams are those of the header, any number of 64 bits") {
  const Folder folder;
  CHECK(folder.open("gemm-7.traceg\ngemm-8.traceg\n")->kernels()[1].stream == 8);
  std::string text;
  for (const char* id : {"18446744073709551615", "18446744073709551616", "-1", "0x7"}) {
    const std::string path =
        folder.write("s.traceg", "-grid dim = (1,1,1)\n-cuda stream id = " + std::string(id) +
                                     "\n-block dim = (32,1,1)\n");
    const std::string fault = fault_of<TraceError>([&] { open_trace(path); });
    INFO(id << " " << fault);
    CHECK(holds(fault, "-cuda stream id: expected a number from 0 to 18446744073709551615") ==
          (std::string(id) != "18446744073709551615"));
  }
}

// Launch 0 in stream 7, event 1 behind it; stream 8 waits for event 1, so launch 1 comes after launch 0, and
// launch 2 of the same stream needs no word. Launch 3 in stream 9 waits for nothing.
TEST_CASE("Events of one stream that another waits for put launches in order") {
  const Folder folder;
  const auto source = folder.open(
      "cudaStreamCreate,7\ncudaEventCreate,1\ngemm-7.traceg\ncudaEventRecord,1,7\ncudaStreamWaitEvent,8,0x1,"
      "0\n"
      "gemm-8.traceg\ngemm-8.traceg\ngemm-9.traceg\n");
  REQUIRE(source->kernels().size() == 4);
  CHECK(source->kernels()[0].after.empty());
  CHECK(source->kernels()[1].after == Ids{0});
  CHECK(source->kernels()[2].after.empty());
  CHECK(source->kernels()[3].after.empty());
  REQUIRE(notes_of(*source).size() == 1);
  CHECK(holds(notes_of(*source)[0],
              "list.g: lines passed over, which change nothing: 1 cudaEventCreate, 1 cudaStreamCreate"));
}

TEST_CASE("An event stands for what its stream has waited for, and is that of its last record") {
  const Folder folder;
  // Event 1: launch 0. Stream 8 waits for it and records event 2 without a launch of its own.
  const auto chain = folder.open(
      "gemm-7.traceg\ncudaEventRecord(1, 7)\ncudaStreamWaitEvent(8, 1)\ncudaEventRecord(2, 8)\n"
      "cuStreamWaitEvent 9 2\ngemm-9.traceg\n");
  CHECK(chain->kernels()[1].after == Ids{0});
  // Recorded again behind launch 1: a wait means that one.
  const auto again = folder.open(
      "gemm-7.traceg\ncudaEventRecord,1,7\ngemm-7.traceg\ncudaEventRecord,1,7\ncudaStreamWaitEvent,8,1\n"
      "gemm-8.traceg\n");
  CHECK(again->kernels()[2].after == Ids{1});
  // Its own stream needs no word.
  const auto own =
      folder.open("gemm-7.traceg\ncudaEventRecord,1,7\ncudaStreamWaitEvent,7,1\ngemm-7.traceg\n");
  CHECK(own->kernels()[1].after.empty());
}

// Launches 0 (stream 7), 1 (8), 2 (7), then the host waits for stream 7: what follows in 8 and 9 comes after
// launch 2, once each. Behind the wait for all, launch 6 in stream 9 comes after 5 (stream 8) and 2 (stream
// 7).
TEST_CASE("What the host waits for is over before the next launch of every stream") {
  const Folder folder;
  const auto source = folder.open(
      "gemm-7.traceg\ngemm-8.traceg\ngemm-7.traceg\ncudaStreamSynchronize,7\ngemm-8.traceg\ngemm-9.traceg\n"
      "gemm-8.traceg\ncudaDeviceSynchronize\ngemm-9.traceg\n");
  REQUIRE(source->kernels().size() == 7);
  CHECK(source->kernels()[3].after == Ids{2});
  CHECK(source->kernels()[4].after == Ids{2});
  CHECK(source->kernels()[5].after.empty());
  CHECK(source->kernels()[6].after == Ids{2, 5});
  const auto event = folder.open(
      "gemm-7.traceg\ncudaEventRecord,5,7\ngemm-7.traceg\ncudaEventSynchronize,5\ngemm-8.traceg\n");
  CHECK(event->kernels()[2].after == Ids{0});
}

// Stream 0 is the legacy default stream: what stands in it waits for blocking streams, and they for it. An
// event in it, and the host's wait for it, stand for launches 0 (7) and 2 (9), not for 1: stream 8 does not
// block.
TEST_CASE("Events of the default stream stand for all streams that block") {
  const Folder folder;
  const auto source = folder.open(
      "cudaStreamCreateWithFlags,8,1\ngemm-7.traceg\ngemm-8.traceg\ngemm-9.traceg\ncudaEventRecord,1,0\n"
      "cudaStreamWaitEvent,8,1\ngemm-8.traceg\n");
  CHECK(source->kernels()[1].stream == (std::uint64_t{1} << 63 | 8));
  CHECK(source->kernels()[2].stream == 9);
  CHECK(source->kernels()[3].after == Ids{0, 2});
  const auto host = folder.open(
      "cudaStreamCreateWithPriority,8,1,0\ngemm-7.traceg\ngemm-8.traceg\ncudaStreamSynchronize,0\ngemm-9."
      "traceg\n");
  CHECK(host->kernels()[2].after == Ids{0});
}

// Launch 0 in stream 7, 1 in stream 0, 2 in stream 8: without 1, launch 2 comes after 0 all the same.
TEST_CASE("A launch of the default stream that is left out keeps the others in order") {
  const Folder folder;
  const std::string list = "gemm-7.traceg\nconv-0.traceg\ngemm-8.traceg\n";
  const auto whole = select_launches(folder.open(list), launches(0, 2));
  CHECK(whole->kernels()[2].after.empty());
  const auto part = select_launches(folder.open(list), kernels("gemm"));
  REQUIRE(part->kernels().size() == 2);
  CHECK(part->kernels()[1].after == Ids{0});
}

TEST_CASE("A stream's priority is that of its creation, turned round") {
  const Folder folder;
  const auto source = folder.open("cudaStreamCreateWithPriority,8,1,-5\ngemm-7.traceg\ngemm-8.traceg\n");
  CHECK(source->kernels()[0].priority == 0);
  CHECK(source->kernels()[1].priority == 5);
}

TEST_CASE("Copies to the device are taken under their names, other calls counted by name") {
  const Folder folder;
  const auto source = folder.open(
      "cudaMalloc,0x7f0000000000,4096\ncudaMalloc,0x7f0000010000,64\nMemcpyHtoD,0x7f0000000000,4096\n"
      "cudaMemcpyAsyncHtoD,0x7f0000010000,64,7\ngemm-7.traceg\ncudaMemcpyHtoDAsync_v2,0x10,0x5555,32,0x8\n"
      "gemm-8.traceg\nMemcpyDtoH,0x7f0000000000,64\ncudaMemset,0x7f0000000000,0,64\nMemcpyDtoD,1,2,3\n"
      "cudaFree(0x7f0000000000)\n");
  REQUIRE(source->copies().size() == 3);
  CHECK(source->copies()[0].bytes == 4096);
  CHECK(source->copies()[1].address == 0x7f0000010000);
  CHECK(source->copies()[1].bytes == 64);
  CHECK(source->copies()[1].before_kernel == 0);
  CHECK(source->copies()[2].address == 0x10);
  CHECK(source->copies()[2].bytes == 32);
  CHECK(source->copies()[2].before_kernel == 1);
  const std::vector<std::string> notes = notes_of(*source);
  REQUIRE(notes.size() == 2);
  CHECK(holds(notes[0], ": lines passed over, which change nothing: 1 MemcpyDtoH, 1 cudaFree, 2 cudaMalloc"));
  CHECK(holds(notes[1],
              ": lines passed over, although they move data on the device: 1 MemcpyDtoD, 1 cudaMemset"));
}

TEST_CASE("Calls that are misspelled or lack their operands are refused") {
  const Folder folder;
  const auto refused = [&](const std::string& line, const std::string& part) {
    const std::string fault = fault_of<TraceError>([&] { folder.open("gemm-7.traceg\n" + line + "\n"); });
    INFO(line << " gives " << fault);
    CHECK(holds(fault, "list.g:2: "));
    CHECK(holds(fault, part));
  };
  refused("cudaMaloc,0x10,1", "found 'cudaMaloc,0x10,1' (did you mean 'cudaMalloc'?)");
  refused("cudaStreamWaitEvnt,8,1", "(did you mean 'cudaStreamWaitEvent'?)");
  refused("MemcyHtoD,0x10,1", "(did you mean 'MemcpyHtoD'?)");
  refused("Initialize",
          "expected a kernel file ending in .traceg, .traceg.xz or .tracez, "
          "'MemcpyHtoD,<hex address>,<bytes>', another call such as "
          "'cudaStreamSynchronize,<stream>' or a comment '# ...', found 'Initialize'");
  refused("cudaEventRecord", "expected 'cudaEventRecord,<event>,<stream>', found 'cudaEventRecord'");
  refused("cudaEventRecord,1,x", "expected 'cudaEventRecord,<event>,<stream>'");
  refused("cudaStreamWaitEvent,8", "expected 'cudaStreamWaitEvent,<stream>,<event>'");
  refused("cudaStreamSynchronize,", "expected 'cudaStreamSynchronize,<stream>'");
  refused("cudaMemcpyAsyncHtoD,0x10", "expected 'cudaMemcpyAsyncHtoD,<hex address>,<bytes>[,<stream>]'");
  refused("cudaStreamCreateWithPriority,8,1,x", "<priority from -1000 to 1000>");
  refused("kernel-1.tracex", "expected a kernel file ending in .traceg, .traceg.xz or .tracez, found");
  // Stream 7 waits for an event that only it records, and only behind the wait.
  CHECK(holds(fault_of<TraceError>(
                  [&] { folder.open("cudaStreamWaitEvent,7,1\ngemm-7.traceg\ncudaEventRecord,1,7\n"); }),
              "list.g:3: stream 7 records event 1, for which it waits since line 1: a stream cannot wait for "
              "itself"));
  // An event that was never recorded counts as complete in CUDA.
  const auto early = folder.open("cudaStreamWaitEvent,7,1\ngemm-7.traceg\n");
  CHECK(early->kernels()[0].after.empty());
  CHECK(holds(notes_of(*early).at(0),
              "waits for events that no line before records, which wait for nothing: 1"));
}

// Launches: 0 gemm (7), 1 conv (8) after 0, 2 gemm (8), 3 conv (9) after 2. Without 1 and 2, launch 3 comes
// after launch 0: 3 after 2, 2 behind 1 in its stream, 1 after 0.
TEST_CASE("Launches that are left out keep the others in order") {
  const Folder folder;
  const std::string list =
      "MemcpyHtoD,0x10,1\ngemm-7.traceg\ncudaEventRecord,1,7\ncudaStreamWaitEvent,8,1\nMemcpyHtoD,0x20,1\n"
      "conv-8.traceg\nMemcpyHtoD,0x30,1\ngemm-8.traceg\ncudaEventRecord,2,8\ncudaStreamWaitEvent,9,2\n"
      "conv-9.traceg\nMemcpyHtoD,0x40,1\n";
  const auto conv = select_launches(folder.open(list), kernels("conv"));
  REQUIRE(conv->kernels().size() == 2);
  CHECK(conv->kernels()[0].id == 0);
  CHECK(conv->kernels()[0].after.empty());
  CHECK(conv->kernels()[1].id == 1);
  CHECK(conv->kernels()[1].after == Ids{0});
  CHECK(conv->fetch(1, 0)->instructions[0].pc == 0x90);
  CHECK(conv->fetch(0, 0)->instructions[0].pc == 0x80);
  REQUIRE(conv->copies().size() == 3);  // the one behind the last launch is gone
  CHECK(conv->copies()[1].before_kernel == 0);
  CHECK(conv->copies()[2].before_kernel == 1);
  CHECK(holds(conv->description(), "list.g (kernels conv)"));
  CHECK(fault_of<TraceError>([&] { conv->fetch(2, 0); }) != "");

  LaunchSelection ends = launches(0, 3);
  read_kernels("kernels", "^gemm\\(float\\*\\)$", ends);  // of the name without its mangling
  const auto gemm = select_launches(folder.open(list), ends);
  REQUIRE(gemm->kernels().size() == 2);
  CHECK(gemm->kernels()[1].after == Ids{0});

  const auto last = select_launches(folder.open(list), launches(3, LaunchSelection::to_the_end));
  REQUIRE(last->kernels().size() == 1);
  CHECK(last->kernels()[0].after.empty());
  CHECK(last->kernels()[0].name == "_Z4convPf");

  const auto both =
      select_launches(folder.open("gemm-7.traceg\ngemm-8.traceg\ngemm-9.traceg\n"), launches(0, 2));
  CHECK(both->kernels().size() == 3);
}

TEST_CASE("A selection that takes nothing, or launches that are not there, says what there is") {
  const Folder folder;
  const std::string list = "gemm-7.traceg\nconv-8.traceg\ngemm-9.traceg\n";
  const auto fault = [&](const LaunchSelection& selection) {
    return fault_of<ConfigError>([&] { select_launches(folder.open(list), selection); });
  };
  CHECK(fault(kernels("sort")) ==
        "--kernels 'sort' is in no name of a kernel; there are gemm(float*), conv(float*)");
  LaunchSelection first = launches(0, 0);
  first.kernels = "conv";
  CHECK(fault(first) ==
        "--kernels 'conv' is in no name of a kernel of these launches; there are gemm(float*)");
  CHECK(holds(fault(launches(1, 3)),
              "--launches 1:3: there are 3 launches, numbers 0 to 2, in Accel-Sim trace"));
  CHECK(holds(fault(launches(3, LaunchSelection::to_the_end)), "--launches 3:: there are 3 launches"));
  CHECK(fault(launches(2, 2)).empty());
  LaunchSelection read;
  read_launches("launches", "2:", read);
  CHECK(read.first == 2);
  CHECK(read.last == LaunchSelection::to_the_end);
  for (const char* bad : {"", "3:2", "a:4", "1:b", ":", ":4", "-1:2", "1,", ",1", "2,1", "1,1", "0,2:3"})
    CHECK(holds(fault_of<ConfigError>([&] { read_launches("launches", bad, read); }),
                "--launches: expected FIRST:LAST, such as 10:20, or 10: to the end, or numbers that rise"));
  read_launches("launches", "0,2", read);
  CHECK(read.text() == "launches 0,2");
  const auto ends = select_launches(folder.open(list), read);
  REQUIRE(ends->kernels().size() == 2);
  CHECK(ends->kernels()[1].name == "_Z4gemmPf");
  read_launches("launches", "1,3", read);
  CHECK(holds(fault(read), "--launches 1,3: there are 3 launches, numbers 0 to 2"));
  read_launches("launches", "1:", read);
  CHECK(read.only.empty());
  CHECK(holds(fault_of<ConfigError>([&] { read_kernels("kernels", "a(", read); }),
              "--kernels: 'a(' is no regular expression"));
}
