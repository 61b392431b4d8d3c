"""Streams, events and functions of the host's that do not keep the order."""

from __future__ import annotations

from tests.runner.verify.planting import Plant

_SE = "SP_StreamExecutor."
_CALLBACK = _SE + "host_callback"
_ORDER, _EVENT = "order-not-kept", "event-not-as-recorded-last"
_ENQUEUE = "  const bool done = xpu_enqueue(stream, call, &each, sizeof(each), status);"
_CALL = "  each->function(each->argument, status);"
_RECORD = "  XpuMark* const mark = xpu_mark_new();\n  XpuMark* before;\n"
_WAIT = "    (void)xpu_enqueue_wait(stream, mark, status);"
_DEPEND = "    (void)xpu_enqueue_wait(dependent, mark, status);"
_MARK = "  if (xpu_enqueue_mark(other, mark, status)) {"
_STATUS = "  return reached ? SE_EVENT_COMPLETE : SE_EVENT_PENDING;"
_COPY = "  (void)xpu_enqueue(stream, copy, &each, sizeof(each), status);"
_PUT = """  if (stream->first == NULL) {
    stream->first = item;
  } else {
    stream->last->next = item;
  }
  stream->last = item;
"""
_EACH = "    for (each = device->streams; each != NULL; each = each->next) {\n"
_BLOCK = "  XpuMark* const mark = mark_of(event);\n  if (mark != NULL) {\n    xpu_mark_wait(mark);"
_NOW = '  TF_SetStatus(status, TF_OK, "");'

ORDER = [
    Plant("callback-at-once", "callback-on-stream-wrong", _CALLBACK, "stream.c", _ENQUEUE,
          "  const bool done = true;\n  callback_fn(callback_arg, status);"),
    Plant("callback-at-once-when-deep", _ORDER, _CALLBACK, "stream.c", _ENQUEUE,
          "  bool done = true;\n  if (stream->enqueued - stream->finished > 200) callback_fn(callback_arg, status);\n"
          "  else done = xpu_enqueue(stream, call, &each, sizeof(each), status);"),
    Plant("callback-in-other-thread", _ORDER, _CALLBACK, "stream.c", _CALL,
          "  static Call kept; static TF_Status* empty; void* later(void* unused) {\n"
          "    usleep(20000); kept.function(kept.argument, empty); return NULL; }\n"
          "  pthread_t thread; if (empty == NULL && stream->finished > 100) {\n"
          "    kept = *each; empty = TF_NewStatus(); pthread_create(&thread, NULL, later, NULL);\n"
          "  } else each->function(each->argument, status);"),
    Plant("callback-with-null-status", "status-of-callback-wrong", _CALLBACK, "stream.c", _CALL,
          "  each->function(each->argument, NULL);"),
    Plant("callback-with-old-error", "status-of-callback-wrong", _CALLBACK, "stream.c", _CALL,
          "  TF_SetStatus(status, TF_UNKNOWN, \"\");" + _CALL + "  TF_SetStatus(status, TF_OK, \"\");"),
    Plant("callback-twice", _ORDER, _CALLBACK, "stream.c", _CALL, _CALL + _CALL),
    Plant("hundredth-callback-lost", _ORDER, _CALLBACK, "stream.c", _CALL,
          "  if (stream->finished % 100 != 99)" + _CALL),
    Plant("overtakes-when-deep", _ORDER, _CALLBACK, "stream.c", _PUT,
          "  if (stream->first != NULL && stream->first != stream->last && stream->enqueued % 64 == 63) {\n"
          "    item->next = stream->first->next; stream->first->next = item;\n  } else {\n"
          "    if (stream->first == NULL) stream->first = item; else stream->last->next = item;\n"
          "    stream->last = item;\n  }\n"),
    Plant("error-of-callback-dropped", "error-of-callback-dropped", _CALLBACK, "stream.c",
          "    xpu_fail(stream, TF_GetCode(status), TF_Message(status));", ""),
    Plant("lock-held-in-callback", "callback-cannot-call-back", _CALLBACK, "stream.c", _CALL,
          "  pthread_mutex_lock(&stream->device->memory);" + _CALL
          + "  pthread_mutex_unlock(&stream->device->memory);"),
    Plant("drops-what-callbacks-enqueue", "callback-cannot-call-back", _CALLBACK, "stream.c", _ENQUEUE,
          "  bool done = true; for (SP_Stream own = stream->device->streams; own != NULL; own = own->next)\n"
          "    if (pthread_equal(pthread_self(), own->thread)) done = false;\n"
          "  done = done ? xpu_enqueue(stream, call, &each, sizeof(each), status) : true;"),
    Plant("second-record-ignored", _EVENT, _SE + "record_event", "event.c", _RECORD,
          "  if (event->mark != NULL) { TF_SetStatus(status, TF_OK, \"\"); return; }\n" + _RECORD),
    Plant("complete-stays-complete", _EVENT, _SE + "record_event", "event.c", _STATUS,
          "  static SP_Event last; static bool was; if (last != event) was = false; last = event; was |= reached;\n"
          "  return was ? SE_EVENT_COMPLETE : SE_EVENT_PENDING;", ("event-status-wrong", _EVENT)),
    Plant("blocks-for-unrecorded", "event-never-recorded", _SE + "block_host_for_event", "event.c", _BLOCK,
          "  while (event->mark == NULL) usleep(1000);\n" + _BLOCK),
    Plant("unrecorded-is-error", "event-never-recorded", _SE + "get_event_status", "event.c", _STATUS,
          "  if (mark == NULL) return SE_EVENT_ERROR;\n" + _STATUS),
    Plant("event-always-complete", "event-status-wrong", _SE + "get_event_status", "event.c", _STATUS,
          "  return SE_EVENT_COMPLETE;"),
    Plant("event-never-complete", "event-status-wrong", _SE + "get_event_status", "event.c", _STATUS,
          "  return SE_EVENT_PENDING;"),
    Plant("event-says-what-is-not", "event-status-wrong", _SE + "get_event_status", "event.c", _STATUS,
          "  return reached ? 7 : SE_EVENT_PENDING;"),
    Plant("waits-for-one-stream", "host-does-not-wait", _SE + "synchronize_all_activity", "stream.c",
          _EACH + "      XpuMark", _EACH.replace("each->next", "NULL") + "      XpuMark"),
    Plant("waits-for-oldest-stream", "host-does-not-wait", _SE + "synchronize_all_activity", "stream.c",
          _EACH + "      XpuMark", _EACH + "      if (each->next) continue;\n      XpuMark"),
    Plant("waits-not-for-event", "host-does-not-wait", _SE + "block_host_for_event", "event.c",
          "    xpu_mark_wait(mark);\n", ""),
    Plant("wait-for-event-blocks-host", "enqueueing-waits", _SE + "wait_for_event", "event.c", _WAIT,
          "    xpu_mark_wait(mark);"),
    Plant("dependency-blocks-host", "enqueueing-waits", _SE + "create_stream_dependency", "stream.c", _DEPEND,
          "    xpu_mark_wait(mark);"),
    Plant("wait-ignored", "event-not-waited-for", _SE + "wait_for_event", "event.c", _WAIT, ""),
    Plant("dependency-ignored", "dependency-ignored", _SE + "create_stream_dependency", "stream.c", _DEPEND, ""),
    Plant("dependency-turned-round", "dependency-ignored", _SE + "create_stream_dependency", "stream.c",
          _MARK + "\n" + _DEPEND, _MARK.replace("other", "dependent") + "\n" + _DEPEND.replace("dependent", "other")),
    Plant("copies-at-once", "work-begins-too-early", _SE + "memcpy_htod", "copy.c", _COPY,
          "  copy(stream, (void*)&each);\n" + _NOW),
    Plant("fills-at-once", "work-begins-too-early", _SE + "mem_zero", "copy.c",
          "  (void)xpu_enqueue(stream, fill, &each, sizeof(each), status);", "  fill(stream, &each);\n" + _NOW),
    Plant("asks-and-waits", "asking-waits", _SE + "get_stream_status", "stream.c",
          "  pthread_mutex_lock(&stream->mutex);\n  TF_SetStatus(status, stream->code, stream->message);",
          "  xpu_wait(stream);\n  pthread_mutex_lock(&stream->mutex);\n"
          "  TF_SetStatus(status, stream->code, stream->message);"),
    Plant("event-asks-and-waits", "asking-waits", _SE + "get_event_status", "event.c", _STATUS,
          "  if (mark != NULL) { XpuMark* again = mark_of(event); xpu_mark_wait(again); xpu_mark_release(again); }\n"
          "  return SE_EVENT_COMPLETE;", ("asking-waits",)),
    Plant("sleeps-when-idle", "idle-work-takes-long", _SE + "block_host_until_done", "stream.c",
          "  xpu_wait(stream);\n  pthread_mutex_lock", "  xpu_wait(stream);\n  usleep(10000);\n  pthread_mutex_lock"),
    Plant("healthy-stream-says-error", "stream-reports-error", _SE + "get_stream_status", "stream.c",
          "  made->code = TF_OK;", "  made->code = TF_UNAVAILABLE;"),
    Plant("timer-in-microseconds", "timer-wrong", "SP_TimerFns.nanoseconds", "timer.c",
          "  return end > begin ? end - begin : 0;", "  return end > begin ? (end - begin) / 1000 : 0;"),
    Plant("timer-stops-at-call", "timer-wrong", "SP_TimerFns.nanoseconds", "timer.c",
          "  enqueue_holding(stream, stop, timer, status);", "  atomic_store(&timer->stop, now());\n" + _NOW),
]  # fmt: skip
