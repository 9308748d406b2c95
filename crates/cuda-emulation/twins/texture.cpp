// Twins of texture.
#include "twin.h"
