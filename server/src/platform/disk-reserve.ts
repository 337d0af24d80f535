// Disk reserve: a file that is deleted when the disk is almost full, so that deletions and clean-up can still write.
// While it is released, uploads are rejected; it is created again once there is space.
import { existsSync } from 'node:fs';
import { open, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogPort } from './log-port.ts';
import { ObjectStoreError } from './objects/object-store.ts';

const pollEveryMs = 1000;
const blockBytes = 1024 * 1024;

type ReserveOptions = {
  readonly folder: string;
  /** 0: no reserve. */
  readonly bytes: number;
  readonly log: LogPort;
};

export class DiskReserve implements AsyncDisposable {
  readonly #options: ReserveOptions;
  readonly #path: string;
  readonly #listeners: (() => Promise<void>)[] = [];
  #isReleased = false;
  #timer: NodeJS.Timeout | undefined;
  #adjusting: Promise<void> | undefined;

  constructor(options: ReserveOptions) {
    this.#options = options;
    this.#path = join(options.folder, 'reserve');
  }

  get isReleased(): boolean {
    return this.#isReleased;
  }

  /** Called each time there is space again. */
  onRestored(listener: () => Promise<void>): void {
    this.#listeners.push(listener);
  }

  /** Call before storing new bytes. Throws NO_SPACE while the reserve is released. */
  assertRoom(): void {
    if (this.#isReleased)
      throw new ObjectStoreError('NO_SPACE', 'the disk is full; the remaining space is reserved for deletions');
  }

  /** Resolves after the first check, so that a full disk has space for the start. */
  async start(): Promise<void> {
    if (this.#options.bytes === 0) return;
    await this.adjust();
    this.#timer = setInterval(() => void this.adjust(), pollEveryMs).unref();
  }

  /** Releases or restores the reserve by the current free space. Never rejects. */
  adjust(): Promise<void> {
    this.#adjusting ??= this.#adjustOnce()
      .catch(error => this.#options.log.warn({ err: error }, 'failed to maintain the disk reserve'))
      .finally(() => {
        this.#adjusting = undefined;
      });
    return this.#adjusting;
  }

  async #adjustOnce(): Promise<void> {
    const { bytes, folder, log } = this.#options;
    if (!existsSync(folder)) return; // before the first start has created it
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
      if (!this.#isReleased) return;
      log.warn({ free }, 'the disk has free space again; uploads are accepted');
      this.#isReleased = false;
      for (const listener of this.#listeners)
        await listener().catch(error =>
          log.warn({ err: error }, 'failed to resume work that was waiting for disk space'),
        );
      return;
    }
    if (!this.#isReleased) log.warn({ free }, 'the disk is full: released the reserve; new uploads are rejected');
    this.#isReleased = true;
  }

  /** Writes real bytes, because a sparse file reserves no space. */
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
    await this.#adjusting;
  }
}
