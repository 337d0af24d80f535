// Progress output for reading a large file.
const step = 64 * 1024 * 1024;

/** A pass-through stream that shows the progress of reading a large file on a terminal. */
export async function* withProgress(
  stream: AsyncIterable<Uint8Array>,
  size: number | undefined,
  stderr: { write(text: string): unknown; isTTY?: boolean },
): AsyncGenerator<Uint8Array> {
  let read = 0;
  let shown = 0;
  for await (const block of stream) {
    read += block.length;
    if (stderr.isTTY === true && read - shown >= step) {
      shown = read;
      stderr.write(
        `\rReading the original: ${size === undefined ? `${Math.floor(read / step) * 64} MiB` : `${Math.floor((100 * read) / size)} %`}  `,
      );
    }
    yield block;
  }
  if (shown > 0) stderr.write('\r\u001b[K');
}
