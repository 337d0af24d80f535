// Streaming reader for the items of a run: their digest and their sums. A malformed line ends the summing, never the
// reading, so that the digest always covers everything.
import { concatBytes, toDigest } from '@recordproof/shared/evidence/digest.ts';
import {
  maxRotationItemBytes,
  openRotationTally,
  parseRotationItem,
  type RotationSums,
} from '@recordproof/shared/evidence/rotation-item.ts';
import type { VerifierPlatform } from '../verify/verifier-platform.ts';

export type ReadItems = {
  readonly digest: string;
  readonly bytes: number;
  /** Null if a line is malformed; `problem` names it. */
  readonly sums: RotationSums | null;
  readonly problem: string | null;
};

const lineFeed = 10;

export async function readItems(
  source: AsyncIterable<Uint8Array>,
  platform: Pick<VerifierPlatform, 'newHash'>,
): Promise<ReadItems> {
  const hash = platform.newHash();
  const lines = openLines();
  let bytes = 0;
  for await (const block of source) {
    bytes += block.length;
    lines.add(block);
    await hash.update(block);
  }
  return { digest: toDigest(await hash.digest()), bytes, ...lines.end() };
}

/** Buffers at most one line. */
function openLines() {
  const tally = openRotationTally();
  let started: Uint8Array = new Uint8Array();
  let line = 0;
  let problem: string | null = null;
  const take = (bytes: Uint8Array): void => {
    line += 1;
    try {
      tally.add(parseRotationItem(bytes));
    } catch (cause) {
      problem = `line ${line} is no item: ${(cause as Error).message}`;
    }
  };
  return {
    add(block: Uint8Array): void {
      let from = 0;
      for (let to = block.indexOf(lineFeed); to >= 0 && problem === null; to = block.indexOf(lineFeed, from)) {
        take(concatBytes(started, block.subarray(from, to)));
        started = new Uint8Array();
        from = to + 1;
      }
      if (problem !== null) return;
      started = concatBytes(started, block.subarray(from));
      if (started.length > maxRotationItemBytes) problem = `line ${line + 1} is too long`;
    },
    end(): Pick<ReadItems, 'sums' | 'problem'> {
      if (problem === null && started.length > 0) problem = 'the last line does not end';
      return { sums: problem === null ? tally.sums() : null, problem };
    },
  };
}
