// Values written otherwise, and sentinels that grow. Should not trigger.
#ifndef FORMAT_H_
#define FORMAT_H_

typedef enum Format {
  FORMAT_NONE = 0,
  FORMAT_GRAY = 1,
  FORMAT_RGB = 2,
  FORMAT_LAST = FORMAT_RGB,
  FORMAT_COUNT
} Format;

enum FormatFlags {
  FORMAT_FLAG_PLANAR = 1,
  FORMAT_FLAG_ALPHA = 2,
  FORMAT_FLAG_ALL = 3
};

int format_bits(Format format);

#endif  // FORMAT_H_
