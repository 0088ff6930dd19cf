// Every parser against its corpus (tb/data/fuzz) and what becomes of it by seeded changes: a message or
// success, in bounded time and memory. STRATA_FUZZ_SECONDS makes it longer, STRATA_FUZZ_SEED begins
// elsewhere.
#include "tb/fuzz/parsers.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "tb/support/catch.h"

namespace strata::tb {

namespace {

const std::vector<std::string> numbers = {
    "0",          "-1",         "1e400",      "0x7fffffffffffffff",   "4294967296",
    "2147483647", "1000000000", "0xffffffff", "18446744073709551615", "nan"};
const std::vector<std::string> brackets = {"{", "}", "[", "]",  "(",  ")",   "\"",
                                           "'", ":", ",", "\n", "\t", "&a ", "*a"};

const std::string& one_of(const std::vector<std::string>& words, std::mt19937_64& random) {
  return words[random() % words.size()];
}

void change(std::string& text, const std::string& other, const std::vector<std::string>& words,
            std::mt19937_64& random) {
  const std::size_t at = text.empty() ? 0 : random() % text.size();
  const std::size_t length = std::min<std::size_t>(random() % 60, text.size() - at);
  switch (random() % 9) {
    case 0:
      if (!text.empty()) text[at] = static_cast<char>(random());
      break;
    case 1: {
      const std::size_t digit = text.find_first_of("0123456789", at);
      if (digit != std::string::npos) text[digit] = static_cast<char>('0' + random() % 10);
      break;
    }
    case 2: {
      const std::size_t digit = text.find_first_of("0123456789", at);
      if (digit == std::string::npos) break;
      const std::size_t end = std::min(text.find_first_not_of("0123456789", digit), text.size());
      text.replace(digit, end - digit, one_of(numbers, random));
      break;
    }
    case 3:
      text.erase(at, length);
      break;
    case 4:
      text.insert(text.empty() ? 0 : random() % text.size(), text.substr(at, length));
      break;
    case 5:
      text.insert(at, one_of(brackets, random));
      break;
    case 6: {
      const std::size_t from = other.empty() ? 0 : random() % other.size();
      text.replace(at, length, other.substr(from, random() % 60));
      break;
    }
    case 7: {  // the same many times: nesting, long words
      std::string many;
      const std::string piece = length == 0 ? "[" : text.substr(at, std::min<std::size_t>(length, 4));
      for (std::uint64_t n = random() % 300; n > 0; --n) many += piece;
      text.insert(at, many);
      break;
    }
    default:
      text.insert(at, words.empty() ? one_of(brackets, random) : one_of(words, random));
  }
}

}  // namespace

/// The words of a libFuzzer dictionary; none when there is no such file.
std::vector<std::string> dictionary(const std::string& path) {
  std::vector<std::string> words;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find('"'), last = line.rfind('"');
    if (line.compare(0, 1, "#") == 0 || first == last) continue;
    std::string word = line.substr(first + 1, last - first - 1);
    for (std::size_t at; (at = word.find("\\\"")) != std::string::npos;) word.erase(at, 1);
    words.push_back(word);
  }
  return words;
}

/// One to four small changes: a byte, a number, a piece cut out, doubled or moved, a word of the dictionary,
/// a piece of `other`.
std::string mutate(std::string text, const std::string& other, const std::vector<std::string>& words,
                   std::mt19937_64& random) {
  for (std::uint64_t n = 1 + random() % 4; n > 0; --n) change(text, other, words, random);
  return text;
}

}  // namespace strata::tb

using namespace strata;
namespace fs = std::filesystem;

namespace {

constexpr double most_seconds = 10;  // for an input; a sanitized build on a busy machine takes a tenth
constexpr long most_kib = 1 << 20;   // that the inputs of a parser may add to the process
constexpr std::uint64_t most_rounds = 3000;

double seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

long peak_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

double from_environment(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atof(text);
}

std::vector<std::string> corpus(const std::string& folder) {
  std::vector<std::string> files, texts;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) {
    std::ifstream in(file, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return texts;
}

/// The input that is wrong is left where it can be looked at.
void keep(const std::string& name, const std::string& input) {
  const fs::path path = fs::temp_directory_path() / ("strata-fuzz-" + name + ".input");
  std::ofstream(path, std::ios::binary) << input;
  UNSCOPED_INFO("the input is in " << path.string());
}

class Trial {
 public:
  explicit Trial(const tb::FuzzedParser& parser) : parser_(parser) {}

  /// True when it is taken.
  bool run(const std::string& input) {
    const double began = seconds();
    bool taken = false;
    try {
      taken = take(parser_, folder_, input);
    } catch (const std::exception& error) {
      keep(parser_.name, input);
      FAIL(parser_.name << ": " << error.what());
    }
    if (seconds() - began > most_seconds) {
      keep(parser_.name, input);
      FAIL(parser_.name << ": took " << seconds() - began << " s");
    }
    if (peak_kib() - before_ > most_kib) {
      keep(parser_.name, input);
      FAIL(parser_.name << ": took " << (peak_kib() - before_) / 1024 << " MiB");
    }
    return taken;
  }

 private:
  const tb::FuzzedParser& parser_;
  tb::FuzzFolder folder_;
  long before_ = peak_kib();
};

void fuzz(const std::string& name) {
  const auto parsers = tb::fuzzed_parsers();
  const auto parser = std::find_if(parsers.begin(), parsers.end(),
                                   [&](const tb::FuzzedParser& one) { return one.name == name; });
  REQUIRE(parser != parsers.end());
  const std::vector<std::string> inputs = corpus("tb/data/fuzz/" + name);
  const std::vector<std::string> words = tb::dictionary("tb/fuzz/" + name + ".dict");
  Trial trial(*parser);
  int taken = 0, refused = 0;
  for (const std::string& input : inputs) taken += trial.run(input) ? 1 : 0;
  CHECK(taken > 0);
  const double until = seconds() + from_environment("STRATA_FUZZ_SECONDS", 1.5);
  const bool longer = std::getenv("STRATA_FUZZ_SECONDS") != nullptr;
  auto seed = static_cast<std::uint64_t>(from_environment("STRATA_FUZZ_SEED", 20261122));
  std::uint64_t rounds = 0;
  for (; seconds() < until && (longer || rounds < most_rounds); ++rounds, ++seed) {
    INFO(name << ", seed " << seed);
    std::mt19937_64 random(seed);
    const std::string& from = inputs[random() % inputs.size()];
    const std::string& other = inputs[random() % inputs.size()];
    ++(trial.run(tb::mutate(from, other, words, random)) ? taken : refused);
  }
  INFO(rounds << " rounds: " << taken << " taken, " << refused << " refused");
  CHECK(rounds > 0);
  CHECK(refused > 0);
  if (longer) WARN(name << ": " << rounds << " rounds, " << taken << " taken, " << refused << " refused");
}

}  // namespace

TEST_CASE("damaged netlists") {
  fuzz("netlist");
}
TEST_CASE("damaged tables of papers") {
  fuzz("paper");
}
TEST_CASE("damaged results") {
  fuzz("stats");
}
TEST_CASE("damaged lists of DRAM requests") {
  fuzz("requests");
}
TEST_CASE("damaged timing sets") {
  fuzz("timing_set");
}
TEST_CASE("damaged tables of constants") {
  fuzz("constants");
}
TEST_CASE("damaged matrices of address maps") {
  fuzz("matrix");
}
TEST_CASE("damaged Accel-Sim traces") {
  fuzz("accelsim");
}
TEST_CASE("damaged traces of Accel-Sim 2.0") {
  fuzz("tracez");
}
TEST_CASE("damaged lists of kernels") {
  fuzz("kernelslist");
}
TEST_CASE("damaged records") {
  fuzz("record");
}
TEST_CASE("damaged parts of records") {
  fuzz("record_parts");
}
TEST_CASE("damaged synthetic streams") {
  fuzz("synthetic");
}
TEST_CASE("damaged workloads") {
  fuzz("workload");
}
TEST_CASE("damaged PTX") {
  fuzz("ptx");
}

TEST_CASE("every parser has a corpus") {
  for (const tb::FuzzedParser& parser : tb::fuzzed_parsers()) {
    INFO(parser.name);
    CHECK_FALSE(corpus(std::string("tb/data/fuzz/") + parser.name).empty());
  }
}
TEST_CASE("damaged fat binaries") {
  fuzz("fat_binary");
}
