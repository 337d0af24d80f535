/** The head of an answer that goes on for as long as somebody listens. */
export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Nobody on the way may keep it, pack it, or wait for more of it.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};
