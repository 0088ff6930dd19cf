// strata_update_docs FOLDER: fills in the generated tables of the Markdown files under FOLDER.
#include <iostream>

#include <systemc>

#include "platforms/engine/netlist/catalog.h"

int sc_main(int argc, char* argv[]) {
  if (argc != 2) {
    std::cerr << "usage: strata_update_docs FOLDER\n";
    return 1;
  }
  try {
    for (const std::string& page : strata::platforms::stale_pages(argv[1], true))
      std::cout << "updated " << page << "\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
