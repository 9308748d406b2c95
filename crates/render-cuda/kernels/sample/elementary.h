// Exponential, logarithm and circle functions with the same bits on every machine. As raywarp-sample's elementary/.
#pragma once

#include "elementary/angle.h"
#include "elementary/exponential.h"
#include "elementary/logarithm.h"
