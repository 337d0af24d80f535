// Structured clones between processes as text, as Electron passes them: bytes and `undefined` are kept. The page has
// the same two functions (page-side.ts).

export const encodeCloned = (value: unknown): string =>
  JSON.stringify({ value }, (_key, one: unknown) => {
    if (one instanceof Uint8Array) return { $bytes: Buffer.from(one).toString('base64') };
    return one;
  });

export const decodeCloned = (text: string): unknown =>
  (
    JSON.parse(text, (_key, one: unknown) => {
      if (typeof one !== 'object' || one === null || !('$bytes' in one)) return one;
      return new Uint8Array(Buffer.from(String(one.$bytes), 'base64'));
    }) as { value?: unknown }
  ).value;
