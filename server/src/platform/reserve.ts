// Room that is kept for the day on which the disk is full: a file beside the data, given up when hardly anything is left,
// so that deleting and cleaning, which have to note what they do, go on and give room back. While it is given up nothing
// new is taken in; when there is room again, it is made anew.
import { existsSync } from 'node:fs';
import { open, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogPort } from './log-port.ts';
import { ObjectStoreError } from './objects/object-store.ts';

const lookEveryMs = 1000;
const blockBytes = 1024 * 1024;

type ReserveOptions = {
  readonly folder: string;
  /** 0: none is kept. */
  readonly bytes: number;
  readonly log: LogPort;
};

export class Reserve implements AsyncDisposable {
  readonly #options: ReserveOptions;
  readonly #path: string;
  readonly #listeners: (() => Promise<void>)[] = [];
  #isGivenUp = false;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(options: ReserveOptions) {
    this.#options = options;
    this.#path = join(options.folder, 'reserve');
  }

  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  /** Called each time there is room again. */
  onRestored(listener: () => Promise<void>): void {
    this.#listeners.push(listener);
  }

  /** Call before bytes are taken in. */
  assertRoom(): void {
    if (this.#isGivenUp)
      throw new ObjectStoreError('NO_SPACE', 'the disk is full; what is left is kept for cleaning up');
  }

  /** After the first look, from which on a full disk has the room to start. */
  async start(): Promise<void> {
    if (this.#options.bytes === 0) return;
    await this.look();
    this.#timer = setInterval(() => void this.look(), lookEveryMs).unref();
  }

  /** Gives up, or takes back, as the disk is now. Never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#judge()
      .catch(error => this.#options.log.warn({ err: error }, 'the reserve of the disk could not be looked after'))
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async #judge(): Promise<void> {
    const { bytes, folder, log } = this.#options;
    if (!existsSync(folder)) return; // where a first start has not come to it yet
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    const held = await stat(this.#path).then(
      ({ size }) => size,
      () => 0,
    );
    if (held >= bytes) {
      if (free >= bytes / 4) return;
      await rm(this.#path, { force: true });
    } else if (free >= 2 * bytes) {
      await this.#fill();
      if (!this.#isGivenUp) return;
      log.warn({ free }, 'there is room on the disk again');
      this.#isGivenUp = false;
      for (const listener of this.#listeners)
        await listener().catch(error => log.warn({ err: error }, 'work that waited for room could not be begun again'));
      return;
    }
    if (!this.#isGivenUp) log.warn({ free }, 'the disk is full: its reserve is given up, and nothing new is taken in');
    this.#isGivenUp = true;
  }

  /** Real bytes: a file with a hole in it keeps no room. */
  async #fill(): Promise<void> {
    try {
      await using file = await open(this.#path, 'w', 0o600);
      const block = Buffer.alloc(blockBytes);
      for (let left = this.#options.bytes; left > 0; left -= blockBytes)
        await file.write(block, 0, Math.min(left, blockBytes));
      await file.sync();
    } catch (error) {
      await rm(this.#path, { force: true });
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }
}
