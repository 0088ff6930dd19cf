#pragma once

#include <string_view>
#include <vector>

namespace strata::platforms {

/// Parts of every page. CMake embeds them unchanged from platforms/report/page/assets.
std::string_view page_frame();   ///< HTML with {{title}}, {{style}}, {{data}}, {{library}} and {{script}}
std::string_view page_style();   ///< CSS
std::string_view page_script();  ///< the script of Strata's pages
/// The files of the chart library; empty if the program was built without it.
const std::vector<std::string_view>& page_library();

}  // namespace strata::platforms
