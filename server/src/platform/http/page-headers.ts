// Headers of every page and file that a browser may load from this origin, and of event streams.

/** Isolates our windows and resources from other sites. */
export const isolationHeaders = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const unusedFeatures = [
  'accelerometer', 'camera', 'display-capture', 'geolocation', 'gyroscope', 'hid', 'magnetometer', 'microphone', 'midi',
  'payment', 'serial', 'usb', 'xr-spatial-tracking',
]; // biome-ignore format: a list of names

export const pageHeaders = {
  ...isolationHeaders,
  'permissions-policy': unusedFeatures.map(name => `${name}=()`).join(', '),
};

export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Intermediaries must not cache, compress or buffer it.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};
