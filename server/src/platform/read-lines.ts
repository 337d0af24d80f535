// Reader of lines of a byte stream, one at a time in bounded memory; lines that are too long are reported without their
// bytes.

export type Line = {
  /** Starts at 1. */
  readonly number: number;
  /** Without the line feed; null if the line is too long. */
  readonly bytes: Uint8Array | null;
};

const lineFeed = 0x0a;

export async function* readLines(source: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Line> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let number = 1;
  const add = (part: Uint8Array) => {
    length += part.length;
    if (length <= maxBytes) parts.push(part);
    else parts = [];
  };
  const take = (): Line => {
    const line = { number, bytes: length <= maxBytes ? Buffer.concat(parts) : null };
    parts = [];
    length = 0;
    number += 1;
    return line;
  };
  for await (const block of source) {
    let from = 0;
    for (let end = block.indexOf(lineFeed); end >= 0; end = block.indexOf(lineFeed, from)) {
      add(block.subarray(from, end));
      yield take();
      from = end + 1;
    }
    add(block.subarray(from));
  }
  if (length > 0) yield take();
}
