#pragma once

#include "platforms/engine/plugins/plugin.h"

/// Designs for the tags of a tag-split L1.
void add_tag_designs(strata::PluginRows& rows);
