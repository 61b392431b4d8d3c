// Values written otherwise, and sentinels that grow. Should not trigger.
#ifndef FORMAT_H_
#define FORMAT_H_

typedef enum Format {
  FORMAT_NONE,
  FORMAT_GRAY,
  FORMAT_RGB,
  FORMAT_YUV,
  FORMAT_LAST = FORMAT_YUV,
  FORMAT_COUNT
} Format;

enum FormatFlags {
  FORMAT_FLAG_PLANAR = 1u << 0,
  FORMAT_FLAG_ALPHA = 1u << 1,
  FORMAT_FLAG_ALL = FORMAT_FLAG_PLANAR | FORMAT_FLAG_ALPHA
};

int format_bits(Format format);

#endif  // FORMAT_H_
