#ifndef GEOMETRY_H_
#define GEOMETRY_H_

typedef struct GeoPoint {
  double x;
  double y;
  double z;
} GeoPoint;

#endif  // GEOMETRY_H_
