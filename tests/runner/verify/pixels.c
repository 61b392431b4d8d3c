/* A plugin for the API in spec/pixels.yaml, with one thing wrong per build: -DFAULT=name. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "pixels.h"
#include "pixels_helpers.h"

enum faults {
  NONE, ABORTS_IN_OPEN, ABORTS_IN_EXPORTED, WRITES_PAST_BUFFER, READS_PAST_DATA, WRITES_DATA, KEEPS_TEXT, FREES_TWICE,
  FREES_OWN, WRITES_PAST_BLOCK, LEAKS, NEEDS_PROGRESS, CALLS_FROM_THREAD, ASSIGNS_WHOLE_STRUCT, GARBAGE, REFUSES_MADE_UP,
  HANGS,
};

struct IP_Image_st {
  size_t size;
  uint8_t* copy;
  const char* text;
};

static const IC_Host* host;

static IP_Image open_image(const uint8_t* data, size_t data_size, IC_Format format) {
  if (FAULT == ABORTS_IN_OPEN) abort();
  if (data_size != 4 || memcmp(data, "\x89PIX", 4) != 0 || format != IC_RGB || !*host->title) return NULL;
  IP_Image image = host->allocate(host->user, sizeof *image);
  memset(image, 0, sizeof *image + (FAULT == WRITES_PAST_BLOCK));
  image->size = data_size;
  image->copy = host->allocate(host->user, data_size);
  memcpy(image->copy, data, data_size);
  if (FAULT == READS_PAST_DATA) image->copy[0] = data[data_size];
  if (FAULT == WRITES_DATA) ((uint8_t*)data)[0] ^= 1;
  return image;
}

static void close_image(IP_Image image) {
  if (image->text && !*image->text) return;
  if (FAULT != LEAKS) host->release(host->user, image->copy);
  if (FAULT == FREES_TWICE) host->release(host->user, image->copy);
  if (FAULT == FREES_OWN) host->release(host->user, malloc(8));
  host->release(host->user, image);
}

static void* write_line(void* text) {
  host->log->write(host->user, text);
  return NULL;
}

static IC_Result decode(IP_Image image, uint8_t* pixels, size_t pixels_size) {
  pthread_t thread;
  size_t size = pixels_size < image->size ? pixels_size : image->size;
  memcpy(pixels, image->copy, size);
  if (FAULT == WRITES_PAST_BUFFER) pixels[pixels_size] = 1;
  if (FAULT == HANGS)
    for (;;) {
    }
  if (FAULT == CALLS_FROM_THREAD && !pthread_create(&thread, NULL, write_line, "decoded")) {
    pthread_join(thread, NULL);
  } else {
    write_line("decoded");
  }
  if (host->progress || FAULT == NEEDS_PROGRESS) host->progress(host->user, 1.0);
  return FAULT == GARBAGE ? (IC_Result)77 : IC_OK;
}

static IC_Result annotate(IP_Image image, const char* text) {
  if (FAULT == KEEPS_TEXT) image->text = text;
  return *text && FAULT != REFUSES_MADE_UP ? IC_OK : IC_FAILED;
}

static IC_Result thumbnail(IP_Image image, uint32_t edge) { return IC_UNSUPPORTED; }

IC_Result IC_InitPlugin(const IC_Host* given, IP_Codec* codec) {
  host = given;
  if (FAULT == ASSIGNS_WHOLE_STRUCT) *codec = (IP_Codec){IP_CODEC_STRUCT_SIZE};
  codec->name = "pixels";
  codec->open = open_image;
  codec->close = close_image;
  codec->decode = decode;
  codec->annotate = annotate;
  if (IP_CODEC_HAS_FIELD(codec, thumbnail)) codec->thumbnail = thumbnail;
  return IC_OK;
}

#ifndef WITHOUT_EXPORT
int IC_CountFormats(void) {
  if (FAULT == ABORTS_IN_EXPORTED) abort();
  return 1;
}
#endif
