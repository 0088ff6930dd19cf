#include "traces/cuda/blas/text_for.h"

namespace strata::cuda::blas {

std::string text_for(bool wide, const std::string& name, std::string text) {
  const std::pair<std::string, std::string> marks[] = {{"{T}", wide ? "f64" : "f32"},
                                                       {"{B}", wide ? "8" : "4"},
                                                       {"{0}", wide ? "0d0000000000000000" : "0f00000000"},
                                                       {"{NAME}", name}};
  for (const auto& [mark, with] : marks)
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + with.size()))
      text.replace(at, mark.size(), with);
  return ".version 7.1\n.target sm_80\n.address_size 64\n" + text;
}

}  // namespace strata::cuda::blas
