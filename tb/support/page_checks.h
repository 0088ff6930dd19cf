// What tests of pages of `strata report` share. STRATA_PROGRAM is the program.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tb/support/browser.h"
#include "tb/support/catch.h"
#include "tb/support/strata_process.h"

namespace strata::tb {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

inline bool no_browser() {
  if (!Browser::program().empty()) return false;
  std::puts("skipped: there is no chromium to show pages (apt install chromium)");
  return true;
}

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void run_strata(const TempFolder& folder, const Words& words) {
  ::setenv("STRATA_CACHE", (folder.path() + "/cache").c_str(), 1);
  StrataProcess process(words, folder.path() + "/said");
  const int code = process.wait();
  INFO(process.said());
  REQUIRE(code == 0);
}

/// What people read as a number: thin spaces between groups of digits, a minus sign, powers of ten.
inline double number(std::string text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (std::string("0123456789.-").find(text[i]) != std::string::npos) plain += text[i];
  return plain.empty() ? std::nan("") : std::stod(plain);
}

inline std::string text_of_tip(Browser& browser) {
  return browser.value(
      "document.getElementById('tip').hidden ? '' : document.getElementById('tip').innerText");
}

/// The texts of tips inside charts.
inline std::string text_of_chart_tip(Browser& browser, const std::string& chart) {
  return browser.value("[...document.querySelectorAll('" + chart +
                       " [aria-label=tip] text')].map(t => t.textContent).join(' ')");
}

/// Texts that are cut or stand outside of what holds them: of drawings the drawing and a card of the machine,
/// else every box up to one that scrolls. Empty: none.
inline Json cut_texts(Browser& browser) {
  return browser.value(R"js((() => {
    const cut = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode());) {
      const parent = node.parentElement;
      if (!node.textContent.trim() || !parent.checkVisibility() || parent.closest('script, style, noscript, option, #tip, .skip')) continue;
      const outside = (r, b) => r.left < b.left - 1 || r.right > b.right + 1 || r.top < b.top - 1 || r.bottom > b.bottom + 1;
      const beside = (r, b) => r.left < b.left - 1 || r.right > b.right + 1;
      const svg = parent.closest('svg'), range = document.createRange();
      range.selectNodeContents(node);
      for (const r of range.getClientRects()) {
        if (!r.width) continue;
        let out = '';
        if (svg) {
          const card = parent.closest('g.group');
          if (outside(r, svg.getBoundingClientRect())) out = 'the drawing';
          else if (card && outside(r, card.querySelector('.card').getBoundingClientRect())) out = 'its card';
        } else for (let up = parent; up && !out; up = up.parentElement) {
          const style = getComputedStyle(up);
          if (['auto', 'scroll'].includes(style.overflowX)) break;
          if (style.display !== 'inline' && beside(r, up.getBoundingClientRect())) out = up.tagName + '.' + up.className;
        }
        if (out) { cut.push((parent.closest('section') || {id: 'top'}).id + ': "' + node.textContent.trim() + '" outside of ' + out); break; }
      }
    }
    return cut;
  })())js");
}

inline void check_layout(Browser& browser, int width) {
  INFO("width " << width);
  browser.resize(width, 900);
  browser.value("new Promise(done => setTimeout(done, 250))");  // the page draws again
  CHECK(browser.value("document.documentElement.scrollWidth") <= width);
  CHECK(cut_texts(browser) == Json::array());
  CHECK(browser.value("document.body.innerText.match(/NaN|undefined|\\[object/)") == nullptr);
  CHECK(browser.value(
            "[...document.querySelectorAll('main section')].every(s => s.querySelector('svg, table'))") ==
        true);
}

/// As on paper, A4 across: no label is cut, nothing scrolls, and what is folded on a screen is open, but for
/// what is only of use there. `needed`: texts that paper must show. A screen looks as before, afterwards.
inline void check_print(Browser& browser, const Words& needed) {
  constexpr int width = 1047;  // 277 mm
  const std::string folds = "[...document.querySelectorAll('details')].map(d => d.open).join()";
  const Json before = browser.value(folds);
  browser.show_as_printed(true, width);
  CHECK(cut_texts(browser) == Json::array());
  CHECK(browser.value("document.documentElement.scrollWidth") <= width);
  CHECK(
      browser.value("[...document.querySelectorAll('.scroll, .listing')].filter(s => s.checkVisibility() && "
                    "(s.scrollWidth > s.clientWidth + 1 || s.scrollHeight > s.clientHeight + 1)).map(s => "
                    "s.innerText.slice(0, 60))") == Json::array());
  CHECK(browser.value("[...document.querySelectorAll('details:not(.screen)')].every(d => d.open)") == true);
  CHECK(browser.value(
            "[...document.querySelectorAll('details.screen')].some(d => d.checkVisibility() && !d.open)") ==
        false);
  const std::string paper = browser.value("document.body.innerText");
  for (const std::string& text : needed) CHECK_THAT(paper, has_text(text));
  const std::string pdf = browser.print();
  CHECK(pdf.substr(0, 5) == "%PDF-");
  CHECK(pdf.size() > 20'000);
  if (const char* folder = std::getenv("STRATA_PAGE_PICTURES"))
    std::ofstream(std::string(folder) + "/" + std::to_string(pdf.size()) + ".pdf", std::ios::binary) << pdf;
  browser.show_as_printed(false, 1280);
  CHECK(browser.value(folds) == before);
}

}  // namespace strata::tb
