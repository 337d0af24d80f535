// Parser for sizes: `500KB`, `2.5M`, `10GB`, or a number of bytes. Units are powers of 1024, in any case.

const form = /^([0-9]{1,16}(?:\.[0-9]{1,3})?)([KMGT]?)(?:i?B)?$/i;
const factors: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/** Bytes, at least one; undefined if invalid. */
export function parseSize(text: string): number | undefined {
  const [, number, unit = ''] = form.exec(text) ?? [];
  const bytes = Math.round(Number(number) * (factors[unit.toUpperCase()] ?? 1));
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined;
}
