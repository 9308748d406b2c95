// Twins of glass.
#include "twin.h"
