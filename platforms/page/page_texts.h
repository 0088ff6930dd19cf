#pragma once

#include <string_view>
#include <vector>

namespace strata::platforms {

/// Parts of every page, which CMake puts into the program as they are in platforms/page/assets.
std::string_view page_frame();   ///< HTML with {{title}}, {{style}}, {{data}}, {{library}} and {{script}}
std::string_view page_style();   ///< CSS
std::string_view page_script();  ///< ours
/// Each a file of the chart library; none in a program that was built without.
const std::vector<std::string_view>& page_library();

}  // namespace strata::platforms
