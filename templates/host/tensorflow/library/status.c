// tsl_status.h and tf_status.h.

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "internal.h"

struct TSL_Status {
  TSL_Code code;
  char* message;
  List payloads;
};

typedef struct Payload {
  char* key;
  char* value;
} Payload;

static void DeletePayload(void* item) {
  Payload* payload = item;
  free(payload->key);
  free(payload->value);
  free(payload);
}

static void Clear(TSL_Status* status) {
  free(status->message);
  ListDelete(&status->payloads, DeletePayload);
  status->message = NULL;
  status->payloads = (List){0};
}

TSL_Status* TSL_NewStatus(void) { return AllocateZeroed(1, sizeof(TSL_Status)); }

void TSL_DeleteStatus(TSL_Status* status) {
  if (status != NULL) {
    Clear(status);
    free(status);
  }
}

void TSL_SetStatus(TSL_Status* status, TSL_Code code, const char* message) {
  // The message may be the status's own.
  char* copy = code == TSL_OK || message == NULL ? NULL : CopyText(message);
  Clear(status);
  status->code = code;
  status->message = copy;
}

void TSL_SetPayload(TSL_Status* status, const char* key, const char* value) {
  if (status->code == TSL_OK) {
    return;
  }
  for (size_t i = 0; i < status->payloads.size; ++i) {
    Payload* payload = status->payloads.items[i];
    if (strcmp(payload->key, key) == 0) {
      char* copy = CopyText(value);
      free(payload->value);
      payload->value = copy;
      return;
    }
  }
  Payload* payload = Allocate(sizeof(Payload));
  *payload = (Payload){CopyText(key), CopyText(value)};
  ListAdd(&status->payloads, payload);
}

void TSL_ForEachPayload(const TSL_Status* status, TSL_PayloadVisitor visitor, void* capture) {
  for (size_t i = 0; i < status->payloads.size; ++i) {
    const Payload* payload = status->payloads.items[i];
    visitor(payload->key, payload->value, capture);
  }
}

static TSL_Code CodeOfErrno(int error) {
  switch (error) {
    case 0:
      return TSL_OK;
    case EINVAL: case ENAMETOOLONG: case E2BIG: case EDESTADDRREQ: case EDOM: case EFAULT: case EILSEQ:
    case ENOPROTOOPT: case ENOTSOCK: case ENOTTY: case EPROTOTYPE: case ESPIPE:
      return TSL_INVALID_ARGUMENT;
    case ETIMEDOUT:
      return TSL_DEADLINE_EXCEEDED;
    case ENODEV: case ENOENT: case ENXIO: case ESRCH:
      return TSL_NOT_FOUND;
    case EEXIST: case EADDRNOTAVAIL: case EALREADY:
      return TSL_ALREADY_EXISTS;
    case EPERM: case EACCES: case EROFS:
      return TSL_PERMISSION_DENIED;
    case ENOTEMPTY: case EISDIR: case ENOTDIR: case EADDRINUSE: case EBADF: case EBUSY: case ECHILD:
    case EISCONN: case ENOTCONN: case EPIPE: case ETXTBSY:
      return TSL_FAILED_PRECONDITION;
    case ENOSPC: case EMFILE: case EMLINK: case ENFILE: case ENOBUFS: case ENOMEM:
      return TSL_RESOURCE_EXHAUSTED;
    case EFBIG: case EOVERFLOW: case ERANGE:
      return TSL_OUT_OF_RANGE;
    case ENOSYS: case ENOTSUP: case EAFNOSUPPORT: case EPROTONOSUPPORT: case EXDEV:
      return TSL_UNIMPLEMENTED;
    case EAGAIN: case ECONNREFUSED: case ECONNABORTED: case ECONNRESET: case EINTR: case EHOSTUNREACH:
    case ENETDOWN: case ENETRESET: case ENETUNREACH: case ENOLCK: case ENOLINK:
      return TSL_UNAVAILABLE;
    case EDEADLK: case ESTALE:
      return TSL_ABORTED;
    case ECANCELED:
      return TSL_CANCELLED;
    default:
      return TSL_UNKNOWN;
  }
}

void TSL_SetStatusFromIOError(TSL_Status* status, int error_code, const char* context) {
  Fail(status, CodeOfErrno(error_code), "%s; %s", context, strerror(error_code));
}

TSL_Code TSL_GetCode(const TSL_Status* status) { return status->code; }

const char* TSL_Message(const TSL_Status* status) { return status->message ? status->message : ""; }

TF_Status* TF_NewStatus(void) { return TSL_NewStatus(); }
void TF_DeleteStatus(TF_Status* status) { TSL_DeleteStatus(status); }
void TF_SetStatus(TF_Status* status, TF_Code code, const char* message) { TSL_SetStatus(status, code, message); }
void TF_SetPayload(TF_Status* status, const char* key, const char* value) { TSL_SetPayload(status, key, value); }
TF_Code TF_GetCode(const TF_Status* status) { return TSL_GetCode(status); }
const char* TF_Message(const TF_Status* status) { return TSL_Message(status); }

void TF_ForEachPayload(const TF_Status* status, TF_PayloadVisitor visitor, void* capture) {
  TSL_ForEachPayload(status, visitor, capture);
}

void TF_SetStatusFromIOError(TF_Status* status, int error_code, const char* context) {
  TSL_SetStatusFromIOError(status, error_code, context);
}

void Fail(TF_Status* status, TF_Code code, const char* format, ...) {
  char message[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  TSL_SetStatus(status, code, message);
}

void Succeed(TF_Status* status) { TSL_SetStatus(status, TSL_OK, ""); }

TF_Status* CopyStatus(const TF_Status* status) {
  TF_Status* copy = TSL_NewStatus();
  TSL_SetStatus(copy, status->code, status->message);
  for (size_t i = 0; i < status->payloads.size; ++i) {
    const Payload* payload = status->payloads.items[i];
    TSL_SetPayload(copy, payload->key, payload->value);
  }
  return copy;
}
