// The spool for bytes whose metadata is not known yet: an unlinked file, encrypted with a key only in this process, so
// that a crash leaves neither a file nor readable bytes.
import { createCipheriv, createDecipheriv, createSecretKey, type Hash, type KeyObject, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { errnoOf } from '../durable-files.ts';
import type { Server } from '../server.ts';

const algorithm = 'aes-256-ctr';
const cipherBlock = 16;
const readBytes = 1024 * 1024;
const extension = '.spool';

export const spoolFolder = ({ config }: Pick<Server, 'config'>): string => join(config.dataFolder, 'spool');

/** Deletes files left by a server that crashed, or whose disk failed, between opening and unlinking. */
export async function sweepSpool(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) if (name.endsWith(extension)) await rm(join(folder, name), { force: true });
}

async function openNameless(folder: string): Promise<FileHandle> {
  await mkdir(folder, { mode: 0o700 }).catch(error => {
    if (errnoOf(error) !== 'EEXIST') throw error;
  });
  const path = join(folder, `${randomBytes(12).toString('hex')}${extension}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await rm(path, { force: true });
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Small content stays in memory: most uploads never write to the spool's disk. */
const heldBytes = 256 * 1024;

export class Spool implements AsyncDisposable {
  readonly #folder: string;
  readonly #key: KeyObject = createSecretKey(randomBytes(32));
  readonly #held: Buffer[] = [];
  #file: FileHandle | null = null;
  #size = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static open(server: Pick<Server, 'config' | 'reserve'>): Spool {
    server.reserve.assertRoom();
    return new Spool(spoolFolder(server));
  }

  get size(): number {
    return this.#size;
  }

  /** Reads everything, updating `hash` if given; throws beyond `maxBytes`. */
  async fill(source: AsyncIterable<Uint8Array>, maxBytes: number, hash?: Hash): Promise<void> {
    const cipher = createCipheriv(algorithm, this.#key, Buffer.alloc(cipherBlock));
    for await (const block of source) {
      if (this.#size + block.length > maxBytes) {
        throw new ApiError('FILE_MAX_SIZE_OVERFLOW', `more than the ${maxBytes} bytes allowed here arrived`);
      }
      hash?.update(block);
      this.#size += block.length;
      this.#held.push(Buffer.from(block)); // a copy, because the original buffer is larger
      if (this.#size > heldBytes) await this.#writeHeld(held => cipher.update(held));
    }
  }

  async #writeHeld(encipher: (block: Buffer) => Buffer): Promise<void> {
    this.#file ??= await openNameless(this.#folder);
    for (const held of this.#held.splice(0)) await this.#file.writeFile(encipher(held));
  }

  /** The bytes from `start` up to but excluding `end`; `start` is a multiple of the cipher's block size. */
  async *read(start: number, end: number): AsyncGenerator<Buffer> {
    if (start % cipherBlock !== 0)
      throw new RangeError(`internal: a spool is read from a multiple of ${cipherBlock}, not ${start}`);
    const file = this.#file;
    if (file === null) return yield Buffer.concat(this.#held).subarray(start, end);
    const counter = Buffer.alloc(cipherBlock);
    counter.writeBigUInt64BE(BigInt(start / cipherBlock), 8);
    const decipher = createDecipheriv(algorithm, this.#key, counter);
    for (let at = start; at < end; ) {
      const block = Buffer.allocUnsafe(Math.min(readBytes, end - at));
      const { bytesRead } = await file.read(block, 0, block.length, at);
      if (bytesRead === 0) throw new Error(`the spool file ended at byte ${at} of ${end}`);
      yield decipher.update(block.subarray(0, bytesRead));
      at += bytesRead;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close();
  }
}
