// The one symbol of a sealed component: its table of functions (holon/component.h). Linked with Holon's
// own library into the component runtime, which `holon component build` puts in front of each sealed
// file.
#include "formats/sealed/sealed.h"

#if defined(__GNUC__) || defined(__clang__)
__attribute__((visibility("default")))
#endif
const hn_component_api *
hn_component_entry(void);

const hn_component_api *hn_component_entry(void) { return hn_sealed_api(); }
