#include "platforms/report/page/page_file.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "models/common/faults.h"
#include "models/common/ledger_places.h"
#include "platforms/engine/netlist/drawing.h"
#include "platforms/report/json_text.h"
#include "platforms/report/page/page_parts.h"
#include "platforms/report/page/page_texts.h"
#include "platforms/report/verdict.h"

namespace strata::platforms {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t most_bytes = 5'000'000;
constexpr std::size_t most_epochs_of_all = 3000;

/// The last `parts` components of a path.
std::string tail(const fs::path& path, int parts) {
  fs::path left = path.lexically_normal();
  if (!left.has_filename()) left = left.parent_path();
  fs::path name = left.filename();
  for (left = left.parent_path(); parts > 1 && left.has_filename(); --parts, left = left.parent_path())
    name = left.filename() / name;
  return name.string();
}

/// The shortest suffix of each path that distinguishes it; equal paths have equal names.
std::vector<std::string> names_of(const std::vector<std::string>& directories) {
  std::vector<std::string> names;
  for (int parts = 1; parts < 8; ++parts) {
    names.clear();
    for (const std::string& directory : directories) names.push_back(tail(fs::absolute(directory), parts));
    std::map<std::string, std::string> first;
    bool clear = true;
    for (std::size_t i = 0; i < names.size(); ++i)
      clear = clear && first.emplace(names[i], directories[i]).first->second == directories[i];
    if (clear) break;
  }
  return names;
}

/// Reads all, or throws the faults of all that cannot be read.
template <class Read>
Json all_of(const std::vector<std::string>& paths, Faults& faults, Read read) {
  Json all = Json::array();
  for (const std::string& path : paths) {
    try {
      all.push_back(read(path));
    } catch (const ConfigError& error) {
      faults.insert(faults.end(), error.faults().begin(), error.faults().end());
    }
  }
  return all;
}

Json data_of(const PageSources& sources, const PageOptions& options) {
  Faults faults;
  Json data;
  data["runs"] =
      all_of(sources.runs, faults, [&](const std::string& path) { return page_run(path, options); });
  data["sweeps"] = all_of(sources.sweeps, faults, page_sweep);
  data["papers"] = all_of(sources.reproductions, faults, page_claims);
  if (!faults.empty()) throw ConfigError(faults);
  const std::vector<std::string> names = names_of(sources.runs);
  for (std::size_t i = 0; i < names.size(); ++i) data["runs"][i]["name"] = names[i];
  return data;
}

std::string title_of(const Json& data) {
  std::vector<std::string> names;
  for (const Json& sweep : data["sweeps"]) names.push_back("Sweep " + sweep["name"].get<std::string>());
  for (const Json& paper : data["papers"]) names.push_back(paper["title"]);
  for (const Json& run : data["runs"]) names.push_back(run["name"]);
  return names[0] + (names.size() > 1 ? " and " + std::to_string(names.size() - 1) + " more" : "");
}

/// Definitions of the counters of modules: once for all runs.
Json definitions_of(Json& runs) {
  Json all = Json::object();
  for (Json& run : runs) {
    for (const auto& [module, words] : run["definitions"].items())
      if (words.is_object() && !all.contains(module))
        all[module] = {{"statistics", words.value("statistics", Json::object())}};
    run.erase("definitions");
  }
  return all;
}

/// Description of each cause of the ledger.
Json causes() {
  Json all = Json::object();
  for (int i = 0; i < cause_count; ++i) {
    const Cause cause{static_cast<std::uint8_t>(i)};
    all[std::string(to_text(cause))] = sentence(cause);
  }
  return all;
}

void replace(std::string& text, const std::string& mark, std::string_view by) {
  const std::size_t at = text.find(mark);
  text.replace(at, mark.size(), by);
}

/// Text of an element that ends only at its own end tag.
std::string guarded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find("</", at);
    out += text.substr(at, end - at);
    if (end == std::string_view::npos) return out;
    out += "<\\/";
    at = end + 2;
  }
}

/// JSON inside an HTML element: no tag can begin in it.
std::string data_text(const Json& data) {
  const std::string json = json_text(data, -1);
  std::string text;
  for (const char c : json) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

}  // namespace

bool page_has_charts() {
  return !page_library().empty();
}

std::string results_page(const PageSources& sources, const std::string& version, PageOptions options) {
  options.most_epochs =
      std::clamp<std::size_t>(most_epochs_of_all / std::max<std::size_t>(sources.runs.size(), 1), 40, 300);
  Json data = data_of(sources, options);
  data["definitions"] = definitions_of(data["runs"]);
  data["causes"] = causes();
  data["states"] = Json::object();
  for (const auto& [name, words] : scheduler_states()) data["states"][std::string(name)] = words;
  data["made"] = "Made by strata " + version +
                 (page_has_charts() ? ", with D3 and Observable Plot (ISC licence) in the page." : ".");
  if (!page_has_charts())
    data["no_charts"] = "this program was built without the chart library; the tables have the same figures.";
  std::string library;
  for (const std::string_view file : page_library()) library += "<script>" + guarded(file) + "</script>\n";
  std::string page(page_frame());
  replace(page, "{{title}}", markup_of(title_of(data)) + " - Strata");
  replace(page, "{{style}}", page_style());
  replace(page, "{{script}}", page_script());  // data last: it may contain {{marks}}, which must stay
  replace(page, "{{library}}", library);
  replace(page, "{{data}}", data_text(data));
  if (page.size() > most_bytes)
    throw ConfigError(
        "the page of " +
        std::to_string(sources.runs.size() + sources.sweeps.size() + sources.reproductions.size()) +
        " results would take " + std::to_string(page.size() / 1000) + " kB; at most " +
        std::to_string(most_bytes / 1000) + " are allowed: give fewer at a time");
  return page;
}

}  // namespace strata::platforms
