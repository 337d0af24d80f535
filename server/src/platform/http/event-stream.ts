// Headers of a stream of server-sent events.
export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Intermediaries must not cache, compress or buffer it.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};
