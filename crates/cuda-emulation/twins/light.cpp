// Twins of light.
#include "twin.h"
