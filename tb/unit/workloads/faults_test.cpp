// Every fault of a workload file is named with file, line and column, and all of them at once.
#include <filesystem>

#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"
#include "traces/workloads/workload.h"

using namespace strata;
using namespace strata::traces;

namespace {

/// A folder with the PTX beside the workload file.
struct Folder : tb::TempFolder {
  Folder() { std::filesystem::copy_file("traces/kernels/va.ptx", path() + "/va.ptx"); }
};

/// The faults of loading `text`, one a line, without the folder's name.
std::string faults_of(const std::string& text, const std::string& scale = "") {
  const Folder folder;
  std::string all;
  try {
    Workload::load(folder.write("w.yaml", text) + (scale.empty() ? "" : "@" + scale));
    return "none";
  } catch (const ConfigError& error) {
    for (const Fault& fault : error.faults()) all += to_text(fault) + "\n";
  }
  for (std::size_t at; (at = all.find(folder.path() + "/")) != std::string::npos;)
    all.erase(at, folder.path().size() + 1);
  return all;
}

const std::string good =
    "module: va.ptx\n"                                                              // 1
    "scales: {tiny: {n: 64}, quick: {n: 128}}\n"                                    // 2
    "buffers:\n"                                                                    // 3
    "  a: {type: f32, count: n, fill: index}\n"                                     // 4
    "  b: {type: f32, count: n, fill: value(2)}\n"                                  // 5
    "  c: {type: f32, count: n}\n"                                                  // 6
    "launches:\n"                                                                   // 7
    "  - {kernel: vector_add, grid: n / 32, block: 32, arguments: [a, b, c, n]}\n"  // 8
    "reference: vector_add\n"                                                       // 9
    "outputs: {c: exact}\n";                                                        // 10

std::string with(const std::string& from, const std::string& to) {
  std::string text = good;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a sound workload has no faults") {
  CHECK(faults_of(good) == "none");
  CHECK(faults_of(good, "quick:n=96") == "none");
}

TEST_CASE("a loop may end with nothing left to launch") {
  const std::string step = "  - {kernel: vector_add, grid: n / 32, block: 32, arguments: [a, b, c, n]}\n";
  const auto loop = [&](const std::string& grid) {
    return with(step, "  - {for: k in 0 .. 3, launches: [{kernel: vector_add, grid: " + grid +
                          ", block: 32, arguments: [a, b, c, n]}]}\n");
  };
  const Folder folder;
  const auto workload = Workload::load(folder.write("w.yaml", loop("n / 32 - k / 2 * 2")));
  CHECK(workload->definition().launches.size() == 2);  // grids of 2, 2, 0 and 0
  // A program whose first launch has no grid does nothing at all.
  CHECK(faults_of(loop("k")) == "w.yaml:8:62: grid: of zero: 'k' is 0; allowed: 1 to 2147483647\n");
}

TEST_CASE("structures are given by their fields") {
  const Folder folder;
  folder.write(
      "s.ptx",
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry scale(.param .align 8 .b8 p[24])\n{\n"
      ".reg .b32 %r<3>;\n.reg .b64 %d<3>;\n.reg .f32 %f<4>;\nld.param.u64 %d1, [p];\nld.param.u32 %r1, "
      "[p+8];\nld.param.f32 %f1, [p+12];\nld.param.u8 %r2, [p+16];\nmul.wide.u32 %d2, %r1, 4;\nadd.s64 %d1, "
      "%d1, %d2;\ncvt.rn.f32.u32 %f2, %r2;\nfma.rn.f32 %f3, %f1, %f2, 0f3f000000;\nst.global.f32 [%d1], "
      "%f3;\nret;\n}\n");
  const auto file = [&](const std::string& fields) {
    return folder.write("w.yaml",
                        "module: s.ptx\nscales: {tiny: {n: 3}}\nbuffers:\n  a: {type: f32, count: 8, fill: "
                        "zero}\nlaunches:\n  - {kernel: scale, grid: 1, block: 1, arguments: [" +
                            fields + "]}\n");
  };
  const auto workload = Workload::load(file("[{ptr: a}, {i32: n}, {f32: 2}, {u8: 5}]"));
  auto source = Workload::open(workload, {});
  source->run_to_end();
  CHECK(source->memory().load<float>(GlobalMemory::first_address, 8)[3] == 10.5f);  // 2 * 5 + 0.5
  const auto said = [&](const std::string& fields) {
    try {
      Workload::load(file(fields));
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  CHECK_THAT(said("[{ptr: a}, {i32: n}]"), tb::has_text("holds another structure: the fields take 16 B"));
  CHECK_THAT(said("[{ptr: a}, {i23: n}]"),
             tb::has_text("no type 'i23'") && tb::has_text("did you mean 'i32'?"));
  CHECK_THAT(said("[{ptr: n}]"), tb::has_text("the field is no ptr"));
  CHECK_THAT(said("3"), tb::has_text("is a structure; give its fields"));
}

TEST_CASE("launches are checked against the kernel") {
  CHECK(faults_of(with("vector_add,", "vector_ad,")) ==
        "w.yaml:8:14: kernel 'vector_ad' not found (did you mean 'vector_add'?)\n");
  CHECK(faults_of(with("vector_add,", "x,")) == "w.yaml:8:14: kernel 'x' not found; there are vector_add\n");
  CHECK(faults_of(with("n / 32", "n / 65")) ==
        "w.yaml:8:32: grid: of zero: 'n / 65' is 0; allowed: 1 to 2147483647\n");
  CHECK(faults_of(with("block: 32", "block: [32, 64]")) ==
        "w.yaml:8:47: block: 2048 threads; allowed: 1 to 1024\n");
  CHECK(faults_of(with("[a, b, c, n]", "[a, b, c]")) ==
        "w.yaml:8:62: kernel vector_add: 3 arguments for 4 parameters\n");
  CHECK(
      faults_of(with("[a, b, c, n]", "[a, b, c, a]")) ==
      "w.yaml:8:72: kernel vector_add: parameter 4 (vector_add_param_3, 4 B) is no pointer, but a buffer is "
      "given\n");
  CHECK(faults_of(with("[a, b, c, n]", "[a, b, c, n << 40]")) ==
        "w.yaml:8:72: kernel vector_add: parameter 4 (vector_add_param_3, 4 B) cannot hold 70368744177664\n");
  CHECK(faults_of(with("[a, b, c, n]", "[a, b, cc, n]")) ==
        "w.yaml:8:69: arguments: 'cc' is neither a buffer nor a value (did you mean 'c'?)\n");
  CHECK(faults_of(with("[a, b, c, n]", "[a, b, \"c[n]\", n]")) ==
        "w.yaml:8:70: arguments: 'c[n]': buffer 'c' is too small: element 64 of 64\n");
  CHECK(faults_of(with("grid: n / 32, ", "")) ==
        "w.yaml:8:5: kernel vector_add: the key 'grid' is missing\n");
}

TEST_CASE("keys, values and buffers are checked, and all faults are reported together") {
  CHECK(faults_of(with("module: va.ptx", "modul: va.ptx")) ==
        "w.yaml:1:1: workload: no key 'modul' (did you mean 'module'?)\n"
        "w.yaml:1:1: workload: the key 'module' is missing\n");
  CHECK(faults_of(with("type: f32, count: n}", "type: f23, count: m}")) ==
        "w.yaml:6:13: c.type: no type 'f23'; allowed: u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 (did "
        "you mean "
        "'f32'?)\n"
        "w.yaml:6:25: c.count: 'm': no value 'm'\n");
  CHECK(faults_of(with("value(2)", "valeu(2)")) ==
        "w.yaml:5:34: b.fill: cannot fill with 'valeu(2)'; allowed: none, zero, value(V), uniform(LOW, "
        "HIGH), index, "
        "index(FIRST, STEP), permutation, file(PATH), reference (did you mean 'value'?)\n");
  CHECK(faults_of(with("count: n}", "count: n - 64}")) ==
        "w.yaml:6:25: c.count: 0 elements; allowed: 1 to 2^37\n");
  CHECK(faults_of(with("c: exact", "d: exact")) == "w.yaml:10:11: outputs: no buffer 'd'\n");
  CHECK(faults_of(with("reference: vector_add\n", "")) ==
        "w.yaml:9:11: outputs.c: nothing to compare with; give 'reference: NAME' or '{file: PATH}'\n");
  CHECK(faults_of(with("reference: vector_add", "reference: vector_sub")) ==
        "w.yaml:9:12: no reference 'vector_sub' (did you mean 'vector_add'?)\n");
  CHECK(faults_of(with("  b: {", "  a: {")).rfind("w.yaml:5:3: buffers: key 'a' appears twice\n", 0) == 0);
}

TEST_CASE("scales and their values are checked") {
  CHECK(faults_of(good, "quik") ==
        "w.yaml:2:9: no scale 'quik' (did you mean 'quick'?); there are tiny, quick\n");
  CHECK(faults_of(good, "tiny:m=3") == "w.yaml:2:16: no value 'm' in scale tiny to change\n");
}

TEST_CASE("loops and host actions are checked") {
  CHECK(faults_of(with("  - {kernel", "  - {for: k in 0 ... 2, launches: [{swap: [a, x]}]}\n  - {kernel")) ==
        "w.yaml:8:20: for: unexpected '.'\n");
  CHECK(faults_of(with("  - {kernel", "  - {for: k in 0 .. 2, launches: [{swap: [a, x]}]}\n  - {kernel")) ==
        "w.yaml:8:46: swap: no buffer 'x'\n");
  CHECK(faults_of(with("  - {kernel", "  - {fil: a}\n  - {kernel")) ==
        "w.yaml:8:6: launches: 'fil': expected kernel, for, fill, copy or swap (did you mean 'fill'?)\n");
}

TEST_CASE("loops that launch nothing, or nest without end, come to an end") {
  CHECK_THAT(
      faults_of(with("  - {kernel", "  - {for: k in 0 .. 9000000000000000000, launches: []}\n  - {kernel")),
      tb::has_text("w.yaml:8:11: for: more than 1000000 launches, or 4000000 turns and steps"));
  CHECK_THAT(
      faults_of(with("  - {kernel",
                     "  - {for: k in 0 .. 9223372036854775807, launches: [{swap: [a, b]}]}\n  - {kernel")),
      tb::has_text("more than 1000000 launches"));
  // An alias for the list that it stands in.
  CHECK_THAT(faults_of(with("launches:\n", "launches: &all\n  - {for: k in 0 .. 1, launches: *all }\n")),
             tb::has_text("not valid YAML: an alias stands inside the value that it names"));
  CHECK_THAT(faults_of(with("buffers:\n",
                            "values: " + std::string(200, '[') + std::string(200, ']') + "\nbuffers:\n")),
             tb::has_text("w.yaml:3:72: not valid YAML: nested deeper than 64 levels"));
}

TEST_CASE("a fill holds only what its type can be") {
  const auto filled = [](const std::string& type, const std::string& fill) {
    return faults_of(with("  b: {type: f32, count: n, fill: value(2)}\n",
                          "  b: {type: " + type + ", count: n, fill: '" + fill + "'}\n"));
  };
  for (const char* good_one :
       {"value(255)", "uniform(0, 255)", "index(0, 4)", "index(252, -4)", "permutation"})
    CHECK(filled("u8", good_one) == "none");
  CHECK(filled("i64", "uniform(-9223372036854775807, 9223372036854774784)") == "none");  // 2^63 - 1024
  CHECK(filled("f32", "value(1e300)") == "none");                                        // infinite
  CHECK(filled("u8", "value(-1)") == "w.yaml:5:34: b.fill: -1 is no u8; allowed: 0 to 255\n");
  CHECK(filled("u8", "uniform(0, 256)") == "w.yaml:5:34: b.fill: 256 is no u8; allowed: 0 to 255\n");
  CHECK(filled("i8", "index(0, 4)") == "w.yaml:5:34: b.fill: 252 is no i8; allowed: -128 to 127\n");
  CHECK(filled("i64", "value(1e19)") ==
        "w.yaml:5:35: b.fill: 1e+19 is no i64; allowed: -9223372036854775808 to 9223372036854775807\n");
  CHECK_THAT(faults_of(with("b: {type: f32, count: n, fill: value(2)}",
                            "b: {type: i8, count: 129, fill: permutation}")),
             tb::has_text("b.fill: 128 is no i8; allowed: -128 to 127"));
}

TEST_CASE("a host fills only with what the type can be") {
  std::string text = with("  b: {type: f32,", "  b: {type: u16,");
  text.insert(text.find("  - {kernel"), "  - {fill: b, value: 65536}\n");
  CHECK(faults_of(text) == "w.yaml:8:22: value: 65536 is no u16; allowed: 0 to 65535\n");
}

TEST_CASE("limits of a launch are whole numbers and sizes") {
  CHECK(faults_of(good + "limits: {instructions: 64 * n, bytes: 2 MiB}\n") == "none");
  CHECK(faults_of(good + "limits: {instructions: 0}\n") ==
        "w.yaml:11:24: limits.instructions: 0; allowed: 1 and more\n");
  CHECK_THAT(faults_of(good + "limits: {bytes: much}\n"),
             tb::has_text("w.yaml:11:17: limits.bytes: 'much' is no size"));
  CHECK_THAT(faults_of(good + "limits: {byte: 1}\n"), tb::has_text("no key 'byte' (did you mean 'bytes'?)"));
}

TEST_CASE("a reference names what it misses in the workload") {
  const Folder folder;
  const auto workload = Workload::load(
      folder.write("w.yaml", with("b: {type: f32, count: n,", "b: {type: f32, count: n - 1,")));
  CHECK_THROWS_WITH(workload->verify(GlobalMemory{}),
                    tb::has_text("w.yaml:5:3: buffer 'b' is too small: it holds 63 elements, reference "
                                 "'vector_add' needs 64"));
}

TEST_CASE("an unknown workload is refused with the nearest name") {
  CHECK_THROWS_WITH(Workload::load("gem"), tb::has_text("no workload 'gem' (did you mean 'gemm'?)"));
  CHECK_THROWS_WITH(Workload::load("/nowhere/x.yaml"), tb::has_text("no such file"));
}
