// A library, but no plug-in.
extern "C" int answer() {
  return 42;
}
