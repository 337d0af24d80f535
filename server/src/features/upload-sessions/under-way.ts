// In-memory state of unfinished uploads: the plain data key, read-ahead results, imprints of parts, the time of the
// last notification. All of it can be lost at any time. It is dropped when the upload ends here, after a time without
// chunks (it may have ended elsewhere), and with the server.
import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { ContentDigest, ReadChunk } from '../../platform/content/content-digest.ts';
import type { Imprint } from '../../platform/content/imprint.ts';
import type { Time } from '../../platform/db/tables.ts';
import { ExpiringCache } from '../../platform/expiring-cache.ts';
import type { UploadRow } from './queries.ts';

/** A read-ahead result for the first chunks of an upload. */
export type Begun = { readonly digest: ContentDigest; readonly read: ReadChunk[] };
export type Reading = Begun & {
  running: Promise<void> | null;
  /** Whether a chunk has arrived since the rows were last read. */
  hasNews: boolean;
  isOver: boolean;
};

const mostUploads = 1000;
const mostReadings = 64;
const mostImprints = 10_000;
const idleMs = 10 * 60_000;

function endReading(reading: Reading): void {
  reading.isOver = true;
  reading.digest.drop();
}

/** Keyed by the upload's prefix in the store, which is random and unique. */
export class UploadsUnderWay implements AsyncDisposable {
  readonly keys: ExpiringCache<string, KeyObject>;
  readonly readings: ExpiringCache<string, Reading>;
  /** Of announced parts that arrived as announced, by key, until they are read back. */
  readonly imprints: ExpiringCache<string, Imprint>;
  readonly reportedAt: ExpiringCache<string, Time>;
  readonly #running = new Set<Promise<void>>();

  constructor(clock: Clock) {
    this.keys = new ExpiringCache({ clock, idleMs, most: mostUploads });
    this.readings = new ExpiringCache({ clock, idleMs, most: mostReadings, drop: endReading });
    this.imprints = new ExpiringCache({ clock, idleMs, most: mostImprints });
    this.reportedAt = new ExpiringCache({ clock, idleMs, most: mostUploads });
  }

  forget({ staging }: Pick<UploadRow, 'staging'>): void {
    for (const memory of [this.keys, this.readings, this.reportedAt]) memory.forget(staging);
  }

  /** Background work that never rejects; closing waits for it. */
  track(work: Promise<void>): Promise<void> {
    const running = work.finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const memory of [this.keys, this.readings, this.imprints, this.reportedAt]) memory[Symbol.dispose]();
    await Promise.all(this.#running);
  }
}
