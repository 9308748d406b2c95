// Twins of bsdf.
#include "twin.h"
