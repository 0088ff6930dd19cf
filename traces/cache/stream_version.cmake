# Writes OUTPUT: the hash of the contents of the files that the list LIST names.
file(STRINGS ${LIST} sources)
set(all "")
foreach(source ${sources})
  file(SHA256 ${source} digest)
  string(APPEND all ${digest})
endforeach()
string(SHA256 digest "${all}")
file(WRITE ${OUTPUT} "namespace strata::traces {\n\nextern const char* const stream_version;\n"
  "const char* const stream_version = \"${digest}\";\n\n}  // namespace strata::traces\n")
