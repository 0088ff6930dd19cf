// Inputs that never end, never begin or unfold without end are refused by name.
#include "models/common/input_file.h"

#include <sys/stat.h>

#include "models/common/yaml_file.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"

using namespace strata;

namespace {

std::string refusal_of(const std::string& path, std::uint64_t most = most_text_bytes) {
  try {
    read_input(path, most);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

std::string fault_of(const std::string& yaml) {
  try {
    load_yaml(yaml);
  } catch (const YAML::ParserException& error) {
    return std::to_string(error.mark.line + 1) + ": " + error.msg;
  }
  return "none";
}

}  // namespace

TEST_CASE("regular files are read whole, up to a limit") {
  const tb::TempFolder folder;
  const std::string text(100'000, 'x');
  const std::string path = folder.write("text", text);
  CHECK(read_input(path) == text);
  CHECK(read_input(path, text.size()) == text);
  CHECK(refusal_of(path, text.size() - 1) == "holds more than 99999 B, the most that is read of such a file");
  CHECK(read_input(folder.write("empty", "")).empty());
  CHECK_FALSE(read_input("/proc/self/status").empty());  // tells no size
  const InputFile file(path);
  char part[8] = {};
  CHECK(file.read_at(text.size() - 3, part, 8) == 3);
}

TEST_CASE("devices, pipes and folders are refused, not waited for") {
  const tb::TempFolder folder;
  const std::string pipe = folder.path() + "/pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(refusal_of(pipe) == "is a pipe, not a regular file; write what it gives to a file first");
  CHECK(refusal_of("/dev/zero") == "is a device, not a regular file; write what it gives to a file first");
  CHECK(refusal_of(folder.path()) == "is a directory");
  CHECK(refusal_of(folder.path() + "/none") == "no such file or directory");
}

TEST_CASE("YAML that unfolds without end is refused with its line") {
  CHECK(fault_of("a: &x [1, 2]\nb: *x\nc: [*x, *x]\n") == "none");
  CHECK(fault_of("a: 1\nb: &x [1, [*x]]\n") == "2: an alias stands inside the value that it names");
  CHECK(fault_of("a: 1\nb: &x {c: {d: *x }}\n") == "2: an alias stands inside the value that it names");
  CHECK(fault_of(std::string(64, '[') + std::string(64, ']')) == "none");
  CHECK(fault_of(std::string(65, '[') + std::string(65, ']')) == "1: nested deeper than 64 levels");
  CHECK(fault_of(std::string(1'000'000, '[')) == "1: nested deeper than 64 levels");
  std::string deep;
  for (int i = 0; i < 70; ++i) deep += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  CHECK(fault_of(deep) == "65: nested deeper than 64 levels");
  for (const char* text : {", a: 1", "a: 1\n---\n, b"})
    CHECK_THAT(fault_of(text), tb::has_text("a text that is no YAML, or more than 100 documents"));
  // Ten times ten times ten ... of nine levels: a thousand million.
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int n = 0; n < 10; ++n) laughs += (n == 0 ? "*a" : ", *a") + std::to_string(i - 1);
    laughs += "]\n";
  }
  CHECK(fault_of(laughs) == "6: more than 1000000 values, aliases counted in full");
}
