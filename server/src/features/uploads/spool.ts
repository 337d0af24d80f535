// Bytes that must wait because what they belong to is not known yet: a nameless file, enciphered under a key that only
// this process has, so that a crash leaves neither a file nor anything readable.
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '@recordproof/shared/api/errors.ts';

const algorithm = 'aes-256-ctr';
const cipherBlock = 16;
const readBytes = 1024 * 1024;

export class Spool implements AsyncDisposable {
  readonly #file: FileHandle;
  readonly #key: KeyObject = createSecretKey(randomBytes(32));
  #size = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async open(folder: string): Promise<Spool> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, `${randomBytes(12).toString('hex')}.spool`);
    const file = await open(path, 'wx+', 0o600);
    await unlink(path);
    return new Spool(file);
  }

  get size(): number {
    return this.#size;
  }

  /** Takes everything; more than `maxBytes` is refused. */
  async fill(source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<void> {
    const cipher = createCipheriv(algorithm, this.#key, Buffer.alloc(cipherBlock));
    for await (const block of source) {
      if (this.#size + block.length > maxBytes) {
        throw new ApiError('FILE_MAX_SIZE_OVERFLOW', `more than the ${maxBytes} bytes allowed here arrived`);
      }
      await this.#append(cipher.update(block));
    }
  }

  async #append(block: Buffer): Promise<void> {
    for (let written = 0; written < block.length; ) {
      const { bytesWritten } = await this.#file.write(block, written, block.length - written, this.#size);
      written += bytesWritten;
      this.#size += bytesWritten;
    }
  }

  /** The bytes from `start` up to but without `end`; `start` is a multiple of the cipher's block. */
  async *read(start: number, end: number): AsyncGenerator<Buffer> {
    if (start % cipherBlock !== 0) throw new RangeError('a spool is read from block boundaries');
    const counter = Buffer.alloc(cipherBlock);
    counter.writeBigUInt64BE(BigInt(start / cipherBlock), 8);
    const decipher = createDecipheriv(algorithm, this.#key, counter);
    for (let at = start; at < end; ) {
      const block = Buffer.allocUnsafe(Math.min(readBytes, end - at));
      const { bytesRead } = await this.#file.read(block, 0, block.length, at);
      if (bytesRead === 0) throw new Error('a spool is shorter than what was written into it');
      yield decipher.update(block.subarray(0, bytesRead));
      at += bytesRead;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}
