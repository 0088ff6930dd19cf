#include "traces/cache/record_cache.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <sys/stat.h>

#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"
#include "traces/open.h"

using namespace strata;
using namespace strata::traces;
using strata::tb::has_text;
using strata::tb::TempFolder;

namespace {

const char* const stream = "synthetic:random:ctas=40,warps=2,loads=8,footprint=64KiB,seed=3";

/// A cache that keeps what it says.
struct Cache {
  std::vector<std::string> said;
  std::shared_ptr<const RecordCache> records;
  explicit Cache(const std::string& folder)
      : records(std::make_shared<RecordCache>(folder, [this](const std::string& s) { said.push_back(s); })) {}
};

std::unique_ptr<CachedSource> open_cached(const Cache& cache, const std::string& option = "1") {
  CacheKey key("test");
  key.add("option", option);
  return std::make_unique<CachedSource>(cache.records, key, "", [] { return open_trace(stream); });
}

std::uint64_t fetch_all(InstructionSource& source, std::uint64_t ctas = 40) {
  std::uint64_t sum = 0;
  for (std::uint64_t cta = 0; cta < ctas; ++cta) {
    const auto trace = source.fetch(0, cta);
    for (const WarpInstruction& i : trace->instructions) sum = sum * 31 + i.address + i.pc + i.active_mask;
  }
  return sum;
}

void damage(const std::string& path, std::uint64_t at) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(at));
  const char old = static_cast<char>(file.get());
  file.seekp(static_cast<std::streamoff>(at));
  file.put(static_cast<char>(old ^ 4));
}

}  // namespace

TEST_CASE("A content hash knows every bit, and no cut") {
  std::mt19937_64 random(7);
  std::string text(1000, '\0');
  for (char& c : text) c = static_cast<char>(random());
  const auto of = [](const std::string& all) {
    ContentHash hash;
    hash.add(all);
    return hash.digits();
  };
  const std::string whole = of(text);
  CHECK(whole.size() == 32);
  for (int n = 0; n < 200; ++n) {
    ContentHash cut;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t length = std::min<std::size_t>(random() % 40, text.size() - at);
      cut.add({text.data() + at, length});
      at += length;
    }
    CHECK(cut.digits() == whole);
    std::string other = text;
    other[random() % other.size()] ^= static_cast<char>(1 << random() % 8);
    CHECK(of(other) != whole);
  }
  CHECK(of(text + '\0') != whole);
  CHECK(of("") != of(std::string(1, '\0')));
  ContentHash one, two;
  one.add_part("ab"), one.add_part("c");
  two.add_part("a"), two.add_part("bc");
  CHECK(one.digits() != two.digits());
}

TEST_CASE("The second time a stream comes from its record") {
  const TempFolder folder;
  const Cache cache(folder.path() + "/deep/cache");
  const auto first = open_cached(cache);
  CHECK_FALSE(first->from_record());
  const std::uint64_t sum = fetch_all(*first);
  const auto second = open_cached(cache);
  CHECK(second->from_record());
  CHECK(fetch_all(*second) == sum);
  CHECK(second->description() == first->description());
  CHECK(second->kernels().size() == 1);
  CHECK_FALSE(open_cached(cache, "2")->from_record());  // another option: another stream
  CHECK(cache.said.empty());
}

TEST_CASE("A stream that was not fetched to its end leaves nothing") {
  const TempFolder folder;
  const Cache cache(folder.path());
  fetch_all(*open_cached(cache), 39);
  CHECK(std::filesystem::is_empty(folder.path()));
  CHECK_FALSE(open_cached(cache)->from_record());
}

TEST_CASE("CTAs may be fetched in any order, and again") {
  const TempFolder folder;
  const Cache cache(folder.path());
  const auto source = open_cached(cache);
  for (std::uint64_t cta = 40; cta-- > 0;) source->fetch(0, cta);
  const std::uint64_t again = fetch_all(*source);
  const auto second = open_cached(cache);
  CHECK(second->from_record());
  CHECK(fetch_all(*second) == again);
  const auto twice = open_cached(cache, "2");  // twice before the end: no record, no fault
  twice->fetch(0, 0);
  twice->fetch(0, 0);
  fetch_all(*twice);
  CHECK_FALSE(open_cached(cache, "2")->from_record());
}

TEST_CASE("A damaged record is reported, and made anew") {
  const TempFolder folder;
  Cache cache(folder.path());
  const std::uint64_t sum = fetch_all(*open_cached(cache));
  const std::string path = cache.records->path(open_cached(cache)->key());
  const std::uint64_t bytes = std::filesystem::file_size(path);
  for (const std::uint64_t at : {std::uint64_t{9}, std::uint64_t{40}, bytes / 2, bytes - 40, bytes - 2}) {
    INFO("byte " << at);
    damage(path, at);
    cache.said.clear();
    const auto source = open_cached(cache);
    CHECK_FALSE(source->from_record());
    REQUIRE(cache.said.size() == 1);
    CHECK_THAT(cache.said[0], has_text("damaged record, which is made anew"));
    CHECK(fetch_all(*source) == sum);
    CHECK(open_cached(cache)->from_record());
  }
  std::filesystem::resize_file(path, bytes / 2);
  CHECK_FALSE(open_cached(cache)->from_record());
}

TEST_CASE("Every bit of a record counts") {
  const TempFolder folder;
  const Cache cache(folder.path());
  fetch_all(*open_cached(cache));
  const std::string path = cache.records->path(open_cached(cache)->key());
  const std::uint64_t bytes = std::filesystem::file_size(path);
  for (std::uint64_t at = 0; at < bytes; ++at) {
    damage(path, at);
    INFO("byte " << at << " of " << bytes);
    CHECK_THROWS_AS(RecordSource(path).check_content(), TraceError);
    damage(path, at);
  }
  CHECK_NOTHROW(RecordSource(path).check_content());
}

TEST_CASE("The longest unused records are removed first") {
  const TempFolder folder;
  const Cache cache(folder.path());
  for (const char* option : {"1", "2", "3"}) fetch_all(*open_cached(cache, option));
  auto entries = cache.records->entries(true);
  REQUIRE(entries.size() == 3);
  CHECK_THAT(entries[0].source, has_text("synthetic:random"));
  CHECK(entries[0].warp_instructions > 0);
  const auto key = [&](const char* option) { return open_cached(cache, option)->key(); };
  const auto age = [&](const std::string& name, std::int64_t seconds) {
    const struct timespec times[2] = {{seconds, 0}, {seconds, 0}};
    ::utimensat(AT_FDCWD, cache.records->path(name).c_str(), times, 0);
  };
  const std::string first = key("1"), second = key("2"), third = key("3");
  age(first, 1000), age(second, 2000), age(third, 3000);
  CHECK(open_cached(cache, "1")->from_record());  // used: now the youngest
  folder.write("mine.txt", "no record");
  folder.write("." + second + ".strata.new.abcdef", "left by a process that died");
  cache.records->set_limit(2 * entries[0].bytes);
  CHECK(cache.records->limit() == 2 * entries[0].bytes);
  entries = cache.records->entries(false);
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].key == third);
  CHECK(entries[1].key == first);
  CHECK_FALSE(std::filesystem::exists(folder.path() + "/." + second + ".strata.new.abcdef"));
  cache.records->clear();
  CHECK(cache.records->entries(false).empty());
  CHECK(std::filesystem::exists(folder.path() + "/mine.txt"));
}

TEST_CASE("What takes more than the limit is not kept") {
  const TempFolder folder;
  const Cache cache(folder.path());
  cache.records->set_limit(10);
  fetch_all(*open_cached(cache));
  CHECK(cache.records->entries(false).empty());
}

TEST_CASE("A folder that cannot be written is reported, and the run goes on") {
  const TempFolder folder;
  const Cache cache(folder.write("file", "") + "/cache");
  const auto source = open_cached(cache);
  REQUIRE(cache.said.size() == 1);
  CHECK_THAT(cache.said[0], has_text("records are not kept: cannot write in"));
  fetch_all(*source);
  CHECK(cache.said.size() == 1);
}

TEST_CASE("A file that is changed while it is read leaves no record") {
  const TempFolder folder;
  const Cache cache(folder.path() + "/cache");
  const std::string file = folder.write("input", "one");
  const auto open = [&] {
    CacheKey key("test");
    key.add_file(file);
    return CachedSource(cache.records, key, "", [] { return open_trace(stream); });
  };
  {
    CachedSource source = open();
    fetch_all(source, 20);
    folder.write("input", "two");
    for (std::uint64_t cta = 20; cta < 40; ++cta) source.fetch(0, cta);
  }
  folder.write("input", "one");
  CHECK_FALSE(open().from_record());
}
