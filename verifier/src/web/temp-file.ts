// A bounded temporary file, unlinked right after opening, so that the system deletes it even after a crash. Readable
// only by its owner while it has a name.
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const blockBytes = 256 * 1024;

export class TempFile implements AsyncDisposable {
  readonly #handle: FileHandle;
  #size = 0;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async open(): Promise<TempFile> {
    const path = join(tmpdir(), `recordproof-verify-${crypto.randomUUID()}`);
    const handle = await open(path, 'wx+', 0o600);
    try {
      await unlink(path);
    } catch (problem) {
      await handle.close();
      throw problem;
    }
    return new TempFile(handle);
  }

  get size(): number {
    return this.#size;
  }

  async append(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.#handle.write(bytes, at, bytes.length - at, this.#size);
      at += bytesWritten;
      this.#size += bytesWritten;
    }
  }

  /** All blocks share one buffer. */
  async *blocks(signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const block = new Uint8Array(Math.min(blockBytes, this.#size));
    for (let at = 0; at < this.#size; ) {
      signal?.throwIfAborted();
      const { bytesRead } = await this.#handle.read(block, 0, block.length, at);
      if (bytesRead === 0) throw new Error('the temporary file is shorter than what was written');
      at += bytesRead;
      yield block.subarray(0, bytesRead);
    }
  }

  /** At most this many bytes from the beginning. */
  async readStart(maxBytes: number): Promise<Uint8Array> {
    const start = new Uint8Array(Math.min(maxBytes, this.#size));
    const { bytesRead } = await this.#handle.read(start, 0, start.length, 0);
    return start.subarray(0, bytesRead);
  }

  async readAll(): Promise<Uint8Array> {
    const whole = new Uint8Array(this.#size);
    let at = 0;
    for await (const block of this.blocks()) {
      whole.set(block, at);
      at += block.length;
    }
    return whole;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}
