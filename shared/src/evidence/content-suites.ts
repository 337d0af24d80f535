// Content encryption suites of manifests, and their stored sizes. The stored length follows from the plaintext length,
// so that a verifier can rebuild an encrypted manifest from plaintext sizes alone.

export const plainSuite = 'NONE';
export const gcmChunkSuite = 'RP-AES256-GCM-CHUNK-CHAIN-V1';
export type ContentSuite = typeof plainSuite | typeof gcmChunkSuite;

/** The sizes of a suite's framing: a header, then frames of at most `framePlainSize` bytes, each with a tag. */
type FrameSizes = { framePlainSize: number; headerSize: number; tagSize: number };

const gcmChunkFrames: FrameSizes = { framePlainSize: 1024 * 1024, headerSize: 48, tagSize: 16 };

export function framesOf(suite: ContentSuite): FrameSizes | undefined {
  return suite === gcmChunkSuite ? gcmChunkFrames : undefined;
}

export function storedSize(suite: ContentSuite, plainSize: number): number {
  const frames = framesOf(suite);
  if (frames === undefined) return plainSize;
  return frames.headerSize + plainSize + frames.tagSize * Math.max(1, Math.ceil(plainSize / frames.framePlainSize));
}
