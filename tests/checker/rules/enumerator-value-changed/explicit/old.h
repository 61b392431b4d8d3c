// One value is set anew, and the implicit one behind it follows. Should trigger, once.
#ifndef CODEC_ID_H_
#define CODEC_ID_H_

typedef enum CodecId {
  CODEC_RAW = 0,
  CODEC_FLAC = 4,
  CODEC_OPUS,
  CODEC_AAC = 16
} CodecId;

int codec_find(CodecId id);

#endif  // CODEC_ID_H_
