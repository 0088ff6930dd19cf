#include "models/io/yaml_file.h"

#include <map>
#include <sstream>
#include <yaml-cpp/eventhandler.h>

namespace strata {
namespace {

constexpr std::size_t most_depth = 64;
constexpr std::uint64_t most_values = 1'000'000;
constexpr int most_documents = 100;

/// Checks a text while the parser reads it, before any of it is kept.
class Guard final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    sizes_.clear();
    // yaml-cpp 0.7 finds documents without end where a text begins with a comma.
    if (++documents_ > most_documents)
      throw YAML::ParserException(
          mark, "a text that is no YAML, or more than " + std::to_string(most_documents) + " documents");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { leaf(mark, anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string&) override {
    leaf(mark, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = sizes_.find(anchor);
    if (found == sizes_.end())
      throw YAML::ParserException(mark, "an alias stands inside the value that it names");
    count(mark, found->second);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    YAML::anchor_t anchor;
    std::uint64_t before;  // values
  };

  void count(const YAML::Mark& mark, std::uint64_t more) {
    values_ += more;
    if (values_ > most_values)
      throw YAML::ParserException(
          mark, "more than " + std::to_string(most_values) + " values, aliases counted in full");
  }
  void leaf(const YAML::Mark& mark, YAML::anchor_t anchor) {
    count(mark, 1);
    if (anchor != 0) sizes_[anchor] = 1;
  }
  void open(const YAML::Mark& mark, YAML::anchor_t anchor) {
    levels_.push_back({anchor, values_});
    if (levels_.size() > most_depth)
      throw YAML::ParserException(mark, "nested deeper than " + std::to_string(most_depth) + " levels");
    count(mark, 1);
  }
  void close() {
    const Level level = levels_.back();
    levels_.pop_back();
    if (level.anchor != 0) sizes_[level.anchor] = values_ - level.before;
  }

  std::vector<Level> levels_;
  std::map<YAML::anchor_t, std::uint64_t> sizes_;  // of what has an anchor and is complete
  std::uint64_t values_ = 0;
  int documents_ = 0;
};

}  // namespace

std::vector<YAML::Node> load_yaml(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  Guard guard;
  while (parser.HandleNextDocument(guard)) continue;
  return YAML::LoadAll(text);
}

}  // namespace strata
