#ifndef GEOMETRY_H_
#define GEOMETRY_H_

typedef struct GeoPoint {
  double x;
  double y;
} GeoPoint;

#endif  // GEOMETRY_H_
