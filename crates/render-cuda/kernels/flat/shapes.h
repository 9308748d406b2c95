// Triangles that are one shape. As raywarp-render's flat/shapes.rs and light.rs.
#pragma once

#include "records.h"

namespace raywarp::render {

// How many triangles are one light, one after the other; 0 for a light without surface.
RW_FUNCTION constexpr u32 triangle_count(LightKind kind) {
    switch (kind) {
        case LightKind::Triangle: return 1;
        case LightKind::Parallelogram: return 2;
        case LightKind::Disk: return DISK_SECTORS;
        case LightKind::Sphere: return 2 * SPHERE_COLUMNS * (SPHERE_ROWS - 1);
        default: return 0;
    }
}

// The first of the triangles of a cell of a sphere, counted from the sphere's first one.
RW_FUNCTION u32 cell_triangle(u32 row, u32 column) {
    if (row == 0) {
        return column;
    }
    const u32 before = SPHERE_COLUMNS + (row - 1) * 2 * SPHERE_COLUMNS;
    return row == SPHERE_ROWS - 1 ? before + column : before + 2 * column;
}

}  // namespace raywarp::render
