// Headers of every page and of every file that a browser may load from this origin.

/** No other page may hold a window of ours, or load anything of ours into its process. */
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
