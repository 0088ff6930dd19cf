// Drafts of files and folders, and the guard over what a command reads and writes.
#include "models/common/draft.h"

#include <fstream>
#include <iterator>
#include <optional>

#include "models/common/faults.h"
#include "models/common/file_guard.h"
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

TEST_CASE("Drafts that nobody holds are collected, all else stays") {
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

TEST_CASE("Of a folder that is left, what is not ours stays, and one that was moved aside goes back") {
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
