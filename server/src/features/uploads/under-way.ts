// What this process keeps in mind of uploads under way: the plain data key, what was read ahead, by what its parts are
// known again, when the owner was last told. Any of it may be lost at any time. It goes when the upload ends here, when no chunk has come for a while (it may
// have ended elsewhere), and with the server.
import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { ContentDigest, ReadChunk } from '../../platform/content/content-digest.ts';
import type { Imprint } from '../../platform/content/imprint.ts';
import type { Time } from '../../platform/db/tables.ts';
import { ShortMemory } from '../../platform/short-memory.ts';
import type { UploadRow } from './queries.ts';

/** A reading that stands behind some first chunks of an upload. */
export type Begun = { readonly digest: ContentDigest; readonly read: ReadChunk[] };
export type Reading = Begun & {
  running: Promise<void> | null;
  /** Whether a chunk has come since the rows were last looked at. */
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

/** Everything by the upload's place in the store, which is random and never used twice. */
export class UploadsUnderWay implements AsyncDisposable {
  readonly keys: ShortMemory<string, KeyObject>;
  readonly readings: ShortMemory<string, Reading>;
  /** Of announced parts that arrived as announced, by their place in the store, until they are read back. */
  readonly imprints: ShortMemory<string, Imprint>;
  readonly toldAt: ShortMemory<string, Time>;
  readonly #running = new Set<Promise<void>>();

  constructor(clock: Clock) {
    this.keys = new ShortMemory({ clock, idleMs, most: mostUploads });
    this.readings = new ShortMemory({ clock, idleMs, most: mostReadings, drop: endReading });
    this.imprints = new ShortMemory({ clock, idleMs, most: mostImprints });
    this.toldAt = new ShortMemory({ clock, idleMs, most: mostUploads });
  }

  forget({ staging }: Pick<UploadRow, 'staging'>): void {
    for (const memory of [this.keys, this.readings, this.toldAt]) memory.forget(staging);
  }

  /** Work that goes on by itself and never rejects; closing waits for it. */
  track(work: Promise<void>): Promise<void> {
    const running = work.finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const memory of [this.keys, this.readings, this.imprints, this.toldAt]) memory[Symbol.dispose]();
    await Promise.all(this.#running);
  }
}
