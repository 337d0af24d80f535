// Digests over ranges of one open file. Tracks running reads, so that the file is not closed before they end.
import type { RangeDigest, SinkDigest } from '../transfer/ports.ts';
import type { HashPool } from './hash-pool.ts';

type RangeDigests = {
  readonly digest: RangeDigest;
  openDigest(): SinkDigest;
  /** Resolves when no read is running. */
  settled(): Promise<void>;
};

export function openRangeDigests(fd: number, pool: HashPool): RangeDigests {
  const running = new Set<Promise<unknown>>();
  const track = <T>(work: Promise<T>): Promise<T> => {
    running.add(work);
    const forget = () => void running.delete(work);
    work.then(forget, forget);
    return work;
  };

  async function hash(start: number, end: number, signal?: AbortSignal): Promise<string> {
    const digest = pool.openDigest();
    try {
      await digest.extend(fd, start, end, signal);
      return await digest.finish();
    } finally {
      digest.drop();
    }
  }

  return {
    digest: (start, end, signal) => track(hash(start, end, signal)),
    openDigest() {
      const digest = pool.openDigest();
      let position = 0;
      return {
        async extend(end) {
          await track(digest.extend(fd, position, end));
          position = end;
        },
        finish: () => digest.finish(),
      };
    },
    async settled() {
      await Promise.allSettled(running);
    },
  };
}
