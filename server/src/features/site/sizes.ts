// File sizes on the pages of the server.

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function toSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit += 1) value /= 1024;
  return `${unit === 0 ? value : value.toFixed(value < 100 ? 1 : 0)} ${units[unit]}`;
}
