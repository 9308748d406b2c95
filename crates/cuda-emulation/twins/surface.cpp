// Twins of surface.
#include "twin.h"
