#pragma once

typedef enum ToyShapeEXT {
  TOY_SHAPE_ROUND = 0,
  TOY_SHAPE_MAX_ENUM = 0x7FFFFFFF
} ToyShapeEXT;

int toy_shape(ToyShapeEXT shape);
