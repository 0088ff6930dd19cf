// Drafts of files and folders, and the guard over what a command reads and writes.
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <sys/stat.h>

#include "models/common/code_lines.h"
#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "models/common/text.h"
#include "models/io/draft.h"
#include "models/io/file_guard.h"
#include "models/io/yaml_file.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"

using namespace strata;
using strata::tb::TempFolder;

namespace {

namespace fs = std::filesystem;

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool ours(const std::string& name) {
  return name == "ours";
}

}  // namespace

TEST_CASE("A file appears whole, and its draft is gone either way") {
  const TempFolder folder;
  const std::string place = folder.write("f", "old");
  {
    const Draft abandoned = Draft::file(place);
    CHECK(fs::exists(abandoned.path()));
  }
  write_file(place, "new");
  CHECK(read_file(place) == "new");
  CHECK_THROWS_AS(write_file(folder.path() + "/none/f", "x"), ConfigError);
  CHECK_THROWS_AS(write_file(folder.path(), "x"), ConfigError);
  CHECK_THROWS_AS(write_file("/dev/full", "x"), ConfigError);
  const std::string link = folder.path() + "/link";
  fs::create_symlink("f", link);
  write_file(link, "newest");
  CHECK(fs::is_symlink(link));
  CHECK(read_file(place) == "newest");
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 2);
}

TEST_CASE("Drafts without a lock are collected, all else stays") {
  const TempFolder folder;
  const std::string place = folder.path() + "/f";
  const std::string left = folder.write(".f.new.abc123", "half");
  const std::string others[] = {folder.write(".f.new.notes", "x"),  folder.write(".f.new.abc1234", "x"),
                                folder.write("f.new.abc123", "x"),  folder.write(".f.new.ab-123", "x"),
                                folder.write(".g.new.abc123", "x"), folder.write(".f.new.folder/x", "x")};
  const Draft held = Draft::file(place);
  CHECK(!fs::exists(left));
  write_file(place, "new");
  CHECK(fs::exists(held.path()));
  for (const std::string& other : others) {
    INFO(other);
    CHECK(fs::exists(other));
  }
}

TEST_CASE("A folder is exchanged in one step, and a second commit takes that back") {
  const TempFolder folder;
  const std::string place = folder.path() + "/d";
  folder.write("d/ours", "old");
  folder.write("d/theirs", "old");
  {
    Draft draft = Draft::folder(place, ours);
    write_file(draft.path() + "/ours", "new");
    draft.commit(place);
    CHECK(read_file(place + "/ours") == "new");
    CHECK(!draft.committed());
    CHECK(read_file(draft.path() + "/theirs") == "old");
    draft.commit(place);
    CHECK(read_file(place + "/ours") == "old");
  }
  CHECK(read_file(place + "/theirs") == "old");
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("Other files of an abandoned folder stay, and a folder that was moved aside goes back") {
  const TempFolder folder;
  const std::string place = folder.path() + "/d";
  folder.write(".d.new.abc123/ours", "half");
  folder.write(".d.new.abc124/ours", "half");
  const std::string theirs = folder.write(".d.new.abc124/theirs", "x");
  folder.write(".d.new.abc125.old/ours", "whole");
  { const Draft draft = Draft::folder(place, ours); }
  CHECK(!fs::exists(folder.path() + "/.d.new.abc123"));
  CHECK(fs::exists(theirs));
  CHECK(read_file(place + "/ours") == "whole");
  folder.write(".d.new.abc126.old/ours", "older");
  folder.write(".e.new.abc127/ours", "half");
  Draft::collect_folders(folder.path(), ours);
  CHECK(read_file(place + "/ours") == "whole");
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 2);  // and what holds theirs
}

TEST_CASE("No output is an input or another output, under any name") {
  const TempFolder folder;
  const std::string in = folder.write("in", "x"), path = folder.path();
  fs::create_hard_link(in, path + "/hard");
  fs::create_symlink("in", path + "/soft");
  fs::create_directory_symlink(path, path + "/again");
  FileGuard guard;
  guard.reads(in);
  guard.reads(path + "/none");
  for (const char* name : {"/in", "/./in", "/hard", "/soft", "/again/in", "/none"}) {
    INFO(name);
    CHECK_THROWS_WITH(guard.writes("--out", path + name), strata::tb::has_text("is a file that is read"));
  }
  guard.writes("--out", path + "/out");
  CHECK_THROWS_WITH(guard.writes("--svg", path + "/again/out"),
                    strata::tb::has_text("--out and --svg name the same"));
  guard.writes("--svg", path + "/other");
  guard.writes("--dot", "/dev/null");
  guard.writes("--csv", "/dev/null");
  CHECK_THROWS_WITH(guard.replaces("--out", path + "/again/"), strata::tb::has_text("which is read"));
  guard.replaces("--out", path + "/elsewhere");
}

// Inputs that never end, never begin or unfold without end are refused by name.

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

TEST_CASE("a fault's text leaves out what is unknown") {
  CHECK(to_text(Fault{{"a.yaml", 3, 7}, "bad"}) == "a.yaml:3:7: bad");
  CHECK(to_text(Fault{{"a.yaml", 3, 0}, "bad"}) == "a.yaml:3: bad");
  CHECK(to_text(Fault{{"a.yaml", 0, 7}, "bad"}) == "a.yaml: bad");
  CHECK(to_text(Fault{{}, "bad"}) == "bad");
}

TEST_CASE("a configuration error keeps all faults and says them line by line") {
  const ConfigError error(Faults{{{"a", 1, 0}, "one"}, {{"b", 2, 0}, "two"}});
  CHECK(error.faults().size() == 2);
  CHECK(std::string(error.what()) == "a:1: one\nb:2: two");
  CHECK(std::string(TraceError(Fault{{"t", 9, 0}, "cut"}).what()) == "t:9: cut");
}

TEST_CASE("the nearest word is offered only when it may have been meant") {
  const std::vector<std::string> words = {"latency", "ways", "write", "mshrs"};
  CHECK(nearest("latencey", words) == "latency");
  CHECK(nearest("wasy", words) == "ways");  // adjacent letters swapped: one edit
  CHECK(nearest("MSHRS", words) == "mshrs");
  CHECK(nearest("bandwidth", words).empty());
  CHECK(nearest("ways", {}).empty());
  CHECK(suggestion("wayz", words) == " (did you mean 'ways'?)");
  CHECK(suggestion("colour", words).empty());
}

TEST_CASE("a word of any length is compared with the names at once") {
  const std::vector<std::string> words(1000, std::string(90, 'w'));
  CHECK(nearest(std::string(1000000, 'w'), words).empty());
  CHECK(nearest(std::string(91, 'w'), words) == words.front());
}

TEST_CASE("what is quoted cannot drive a terminal") {
  CHECK(printable("a\033[31mb\r\x7f\n") == "a\\x1b[31mb\\x0d\\x7f\n");
  CHECK(printable(std::string("nul\0", 4)) == "nul\\x00");
  CHECK(printable("\u00e9 \u20ac \U0001F600") == "\u00e9 \u20ac \U0001F600");
  CHECK(printable("\xc2\x9b"
                  "31m") == "\\xc2\\x9b31m");                                 // CSI in one character
  CHECK(printable("\xff \xc3 \xe2\x82") == "\\xff \\xc3 \\xe2\\x82");         // cut characters
  CHECK(printable("\xc0\xaf \xed\xa0\x80") == "\\xc0\\xaf \\xed\\xa0\\x80");  // overlong, surrogate
  CHECK(to_text(Fault{{"a\033", 1, 0}, "no \033"}) == "a\\x1b:1: no \\x1b");
}

TEST_CASE("of long words and lines the middle is left out, and no character is cut") {
  const std::string word(400, 'a');
  CHECK(printable(word + " " + word) == word + " " + word);
  CHECK(printable("x " + std::string(1000, 'a') + " bad") ==
        "x " + std::string(200, 'a') + "...(700 bytes left out)..." + std::string(100, 'a') + " bad");
  std::string line;
  for (int i = 0; i < 100000; ++i) line += "ab ";
  CHECK(printable(line).size() < 4100);
  CHECK(printable(line + "\n" + line).size() < 8200);
  std::string euros = "a";
  for (int i = 0; i < 1000; ++i) euros += "\u20ac";
  const std::string cut = printable(euros);
  CHECK(printable(cut) == cut);
  CHECK(cut.find("\\x") == std::string::npos);
}

TEST_CASE("lines of code survive a text, with names of files that have blanks and places that lack parts") {
  CodeLines lines;
  lines.listing = "my kernels.ptx";
  lines.files = {"src/a b.cu", ""};
  lines.places[0x10] = {"ld.global.nc.f32", 12, 1, 34};
  lines.places[0x20] = {"", 0, 2, 7};
  lines.places[0xffffff0] = {"st.global.u8", 13, 0, 0};
  const auto back = decode_code_lines(encode(lines));
  CHECK(back->listing == lines.listing);
  CHECK(back->files == lines.files);
  REQUIRE(back->places.size() == 3);
  CHECK(back->places.at(0x10).text == "ld.global.nc.f32");
  CHECK(back->places.at(0x10).line == 12);
  CHECK(back->places.at(0x10).source_line == 34);
  CHECK(back->places.at(0x20).text.empty());
  CHECK(back->places.at(0x20).file == 2);
  CHECK(back->places.at(0xffffff0).line == 13);
}

TEST_CASE("damaged lines of code are refused") {
  for (const char* text : {"", "a", "a\n", "a\nx\n", "a\n99999999999\n", "a\n2\nonly one\n",
                           "a\n0\n16 1 1 1 ld\n", "a\n0\n16 1\n", "a\n0\nx 1 0 0 ld\n"})
    CHECK_THROWS_AS(decode_code_lines(text), std::invalid_argument);
}
