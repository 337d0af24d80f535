// Sealed chunks of the content suite: round trips over random bytes, flipped bits, truncation, and wrong context.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pattern, patternStream, toBytes } from '../../../../test/support/bytes.ts';
import {
  type ChunkContext,
  ContentError,
  frameBytes,
  headerBytes,
  newFileKey,
  openChunk,
  openChunkRange,
  sealChunk,
  tagBytes,
  toPlainSize,
  toSealedSize,
} from './content-suite.ts';

const context: ChunkContext = { ...newFileKey(), tenantId: '7', index: 1, count: 4 };
const sealedFrame = frameBytes + tagBytes;

const seal = (plain: Uint8Array, as: ChunkContext = context) => toBytes(sealChunk(as, [plain]));

/** Everything that came out before the end or the error. */
async function open(sealed: Uint8Array, as: ChunkContext = context) {
  const opened: Buffer[] = [];
  try {
    for await (const block of openChunk(as, [sealed])) opened.push(block);
    return { plain: Buffer.concat(opened), error: null };
  } catch (error) {
    return { plain: Buffer.concat(opened), error };
  }
}

/** Fails, and what came out before is the true beginning and never the whole. */
async function expectRejected(sealed: Uint8Array, plain: Buffer, as: ChunkContext = context): Promise<void> {
  const { plain: opened, error } = await open(sealed, as);
  expect(error).toBeInstanceOf(ContentError);
  expect(plain.subarray(0, opened.length).equals(opened)).toBe(true);
}

const frameOf = (sealed: Buffer, frame: number) =>
  sealed.subarray(headerBytes + frame * sealedFrame, headerBytes + (frame + 1) * sealedFrame);
const withFrames = (sealed: Buffer, frames: readonly number[]) =>
  Buffer.concat([sealed.subarray(0, headerBytes), ...frames.map(frame => frameOf(sealed, frame))]);

test.each([0, 1, frameBytes - 1, frameBytes, frameBytes + 1, 2 * frameBytes, 3 * frameBytes + 5])(
  '%i bytes are restored after sealing, and the sealed length is the announced one',
  async size => {
    const plain = await pattern(size);
    const sealed = await toBytes(sealChunk(context, patternStream(size, 1, 100_003)));
    expect(sealed.length).toBe(toSealedSize(size));
    expect(toPlainSize(sealed.length)).toBe(size);
    expect((await open(sealed)).plain.equals(plain)).toBe(true);
    if (size > 64) expect(sealed.includes(plain.subarray(0, 64))).toBe(false);
  },
);

test('any bytes in any blocks are restored after sealing and opening', async () => {
  const blocks = fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(blocks, fc.integer({ min: 1, max: 977 }), fc.nat(1000), async (input, cut, count) => {
      const as = { ...context, index: count, count: count + 1 };
      const sealed = await toBytes(sealChunk(as, input));
      const pieces = Array.from({ length: Math.ceil(sealed.length / cut) }, (_, piece) =>
        sealed.subarray(piece * cut, (piece + 1) * cut),
      );
      expect((await toBytes(openChunk(as, pieces))).equals(Buffer.concat(input))).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('a flipped bit anywhere in a small chunk is rejected before any byte is returned', async () => {
  const plain = Buffer.from('marker');
  const sealed = await seal(plain);
  for (let bit = 0; bit < sealed.length * 8; bit += 1) {
    const hurt = Buffer.from(sealed);
    hurt[bit >> 3] = (hurt[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    const { plain: opened, error } = await open(hurt);
    expect(error).toBeInstanceOf(ContentError);
    expect(opened).toHaveLength(0);
  }
});

test('a flipped bit in any frame is rejected, and no byte of that frame is returned', async () => {
  const plain = await pattern(2 * frameBytes + 100);
  const sealed = await seal(plain);
  const edges = [0, 1, 2].flatMap(frame => {
    const start = headerBytes + frame * sealedFrame;
    const end = Math.min(sealed.length, start + sealedFrame);
    return [start, end - tagBytes - 1, end - tagBytes, end - 1];
  });
  for (const position of edges) {
    const hurt = Buffer.from(sealed);
    hurt[position] = (hurt[position] ?? 0) ^ 0x10;
    await expectRejected(hurt, plain);
    const hurtFrame = Math.floor((position - headerBytes) / sealedFrame);
    expect((await open(hurt)).plain).toHaveLength(hurtFrame * frameBytes);
  }
});

test('a chunk truncated at any boundary, or extended, is rejected', async () => {
  const plain = await pattern(2 * frameBytes);
  const sealed = await seal(plain);
  const borders = [
    0,
    headerBytes,
    headerBytes + tagBytes,
    headerBytes + frameBytes,
    headerBytes + sealedFrame,
    headerBytes + sealedFrame + tagBytes,
    sealed.length,
  ];
  for (const border of borders) {
    for (const length of [border - 1, border, border + 1]) {
      if (length >= 0 && length < sealed.length) await expectRejected(sealed.subarray(0, length), plain);
    }
  }
  await expectRejected(Buffer.concat([sealed, Buffer.alloc(1)]), plain);
  await expectRejected(Buffer.concat([sealed, Buffer.alloc(tagBytes)]), plain);
  await expectRejected(Buffer.concat([sealed, frameOf(sealed, 1)]), plain);
  const small = await seal(Buffer.from('small'));
  for (let length = 0; length < small.length; length += 1)
    await expectRejected(small.subarray(0, length), Buffer.from('small'));
});

test('swapped, repeated, missing and foreign frames are rejected', async () => {
  const plain = await pattern(3 * frameBytes);
  const sealed = await seal(plain);
  for (const order of [[1, 0, 2], [0, 0, 2], [0, 2], [1, 2], [2], [0, 1], [0, 1, 1, 2], [0, 2, 1], [0, 1, 2, 2]]) {
    await expectRejected(withFrames(sealed, order), plain);
  }
  const again = await seal(plain);
  await expectRejected(
    Buffer.concat([sealed.subarray(0, headerBytes), frameOf(again, 0), frameOf(sealed, 1), frameOf(sealed, 2)]),
    plain,
  );
  await expectRejected(Buffer.concat([again.subarray(0, headerBytes), sealed.subarray(headerBytes)]), plain);
});

test('a chunk of another index, count, tenant, file or key is rejected', async () => {
  const plain = Buffer.from('which chunk am I?');
  const sealed = await seal(plain);
  const others: Partial<ChunkContext>[] = [
    { index: 2 },
    { count: 5 },
    { tenantId: '8' },
    { tenantId: '70' },
    { fileNonce: newFileKey().fileNonce },
    { dataKey: newFileKey().dataKey },
    newFileKey(),
  ];
  for (const other of others) {
    await expectRejected(sealed, plain, { ...context, ...other });
    // Also when the header is made to say what the reader expects.
    const dressed = Buffer.from(sealed);
    (await seal(plain, { ...context, ...other })).copy(dressed, 0, 0, 32);
    await expectRejected(dressed, plain, { ...context, ...other });
  }
});

test('two seals of the same bytes differ in everything but the header', async () => {
  const plain = Buffer.alloc(100);
  const [first, second] = [await seal(plain), await seal(plain)];
  expect(first.subarray(0, 32).equals(second.subarray(0, 32))).toBe(true);
  expect(first.subarray(32, 48).equals(second.subarray(32, 48))).toBe(false);
  expect(first.subarray(48).equals(second.subarray(48))).toBe(false);
});

test('chunks can be sealed in any order and concurrently', async () => {
  const file = newFileKey();
  const contexts = Array.from({ length: 8 }, (_, index): ChunkContext => ({ ...file, tenantId: '1', index, count: 8 }));
  const sealed = await Promise.all(
    contexts.toReversed().map(as => toBytes(sealChunk(as, patternStream(300_000 + as.index, as.index)))),
  );
  for (const [position, as] of contexts.toReversed().entries()) {
    const opened = await toBytes(openChunk(as, [sealed[position] ?? Buffer.alloc(0)]));
    expect(opened.equals(await pattern(300_000 + as.index, as.index))).toBe(true);
  }
});

test('a range returns its slice of the plaintext and reads only the frames it needs', async () => {
  const plain = await pattern(3 * frameBytes + 11);
  const sealed = await seal(plain);
  const reads: [number, number][] = [];
  const chunk = {
    sealedBytes: sealed.length,
    read: (start: number, end: number) => {
      reads.push([start, end]);
      return [sealed.subarray(start, end)];
    },
  };
  const around = (position: number) =>
    [position - 1, position, position + 1].filter(at => at >= 0 && at <= plain.length);
  const cuts = [0, frameBytes, 2 * frameBytes, 3 * frameBytes, plain.length].flatMap(around);
  for (const start of cuts) {
    for (const end of cuts.filter(cut => cut >= start)) {
      const opened = await toBytes(openChunkRange(context, chunk, { start, end }));
      expect(opened.equals(plain.subarray(start, end))).toBe(true);
    }
  }
  reads.length = 0;
  await toBytes(openChunkRange(context, chunk, { start: frameBytes + 5, end: frameBytes + 6 }));
  expect(reads).toEqual([
    [0, headerBytes],
    [headerBytes + sealedFrame, headerBytes + 2 * sealedFrame],
  ]);
  await expect(toBytes(openChunkRange(context, chunk, { start: 0, end: plain.length + 1 }))).rejects.toThrow(
    RangeError,
  );
});

test('a range of an altered, truncated or shortened chunk is rejected', async () => {
  const plain = await pattern(2 * frameBytes);
  const sealed = await seal(plain);
  const rangeOf = (stored: Buffer, sealedBytes: number, start: number, end: number) =>
    toBytes(openChunkRange(context, { sealedBytes, read: (from, to) => [stored.subarray(from, to)] }, { start, end }));
  const hurt = Buffer.from(sealed);
  hurt[headerBytes + sealedFrame + 7] = (hurt[headerBytes + sealedFrame + 7] ?? 0) ^ 1;
  expect(await rangeOf(hurt, sealed.length, 0, frameBytes)).toHaveLength(frameBytes);
  await expect(rangeOf(hurt, sealed.length, frameBytes - 1, frameBytes + 1)).rejects.toThrow(ContentError);
  const cut = sealed.subarray(0, headerBytes + sealedFrame);
  await expect(rangeOf(cut, sealed.length, frameBytes, frameBytes + 1)).rejects.toThrow(ContentError);
  await expect(rangeOf(cut, cut.length, 0, 1)).rejects.toThrow(ContentError);
  await expect(rangeOf(sealed, sealed.length + 1, 0, 1)).rejects.toThrow(ContentError);
});

test('impossible sealed lengths are rejected', () => {
  for (const length of [
    -1,
    0,
    headerBytes,
    headerBytes + tagBytes - 1,
    headerBytes + sealedFrame + 1,
    headerBytes + sealedFrame + tagBytes,
    1.5,
    Number.NaN,
  ]) {
    expect(() => toPlainSize(length)).toThrow(ContentError);
  }
});

test('an invalid context throws a TypeError', async () => {
  for (const wrong of [
    { index: 4 },
    { index: -1 },
    { index: 0.5 },
    { count: 0 },
    { count: 2 ** 32 },
    { tenantId: '' },
    { fileNonce: Buffer.alloc(12) },
  ]) {
    await expect(toBytes(sealChunk({ ...context, ...wrong }, []))).rejects.toThrow(TypeError);
  }
});

test('an early return closes the source, and an error of the source is rethrown', async () => {
  let closed = 0;
  async function* source(breaks: boolean) {
    try {
      yield* patternStream(3 * frameBytes);
      if (breaks) throw new Error('the client went away');
    } finally {
      closed += 1;
    }
  }
  for await (const _ of sealChunk(context, source(false))) break;
  const iterator = sealChunk(context, source(false));
  await iterator.next();
  await iterator.next();
  await iterator.return();
  expect(closed).toBe(1);
  await expect(toBytes(sealChunk(context, source(true)))).rejects.toThrow('the client went away');
});
