// Twins of lens.
#include "twin.h"
