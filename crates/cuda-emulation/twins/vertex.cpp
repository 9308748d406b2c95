// Twins of vertex.
#include "twin.h"
