// The bytes of backups: each piece once, under its SHA-256, however many backups hold it. It is an object store on a disk of
// its own, so that a piece is whole or not there, and its 48 last bytes betray one that was cut.
import { createHash, createSecretKey, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { type ByteSource, type ObjectStore, ObjectStoreError } from '../objects/object-store.ts';
import { openObjectStore } from '../objects/open-object-store.ts';

export const piece = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  size: z
    .int()
    .min(0)
    .max(2 ** 50),
});
export type Piece = z.infer<typeof piece>;

/** What is read as a whole: a page of a list, or of a database, which may be one row with a long manifest in it. */
const largestPage = 512 * 2 ** 20;

/** A piece is not there, or is not what it was; the message is one sentence. */
export class PieceDamaged extends Error {
  readonly piece: Piece;

  constructor(piece: Piece, message: string, cause?: unknown) {
    super(message, { cause });
    this.piece = piece;
  }
}

const area = 'pieces/';
const toKey = ({ sha256 }: Piece): string => area + sha256;

export class Pieces implements AsyncDisposable {
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Of this length; its bytes are not read. */
  async has(wanted: Piece): Promise<boolean> {
    try {
      return (await this.#store.findHead(toKey(wanted)))?.size === wanted.size;
    } catch (error) {
      if (isDamage(error)) return false; // it is written anew
      throw error;
    }
  }

  /** Durable when it resolves. */
  async put(bytes: Uint8Array): Promise<Piece> {
    const wanted = { sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
    if (!(await this.has(wanted))) await this.#store.put(toKey(wanted), [bytes], wanted);
    return wanted;
  }

  /** Fails with HASH_MISMATCH or LENGTH_MISMATCH of the object store where the source is something else. */
  async copyIn(wanted: Piece, source: ByteSource): Promise<void> {
    await this.#store.put(toKey(wanted), source, wanted);
  }

  /** The whole of a small piece, proven. */
  async read(wanted: Piece): Promise<Buffer> {
    if (wanted.size > largestPage)
      throw new PieceDamaged(wanted, 'a page of the backup is larger than any that is written.');
    return buffer(await this.open(wanted));
  }

  /** The last block comes when all of them are proven. */
  async open(wanted: Piece): Promise<AsyncIterable<Uint8Array>> {
    const { sha256, size } = wanted;
    return told(wanted, async () => {
      const read = await this.#store.get(toKey(wanted), { sha256 });
      if (read.size !== size || read.sha256 !== sha256) throw new ObjectStoreError('CORRUPT', 'noted as another');
      return toldBody(wanted, read.body);
    });
  }

  /** Reads every byte; throws `PieceDamaged`. */
  async check(wanted: Piece): Promise<void> {
    for await (const _ of await this.open(wanted)); // reading is proving
  }

  /** The digests of all that is there, in no order. */
  async *list(): AsyncGenerator<string> {
    for await (const { key } of this.#store.list(area)) yield key.slice(area.length);
  }

  async remove(sha256: string): Promise<void> {
    await this.#store.delete(area + sha256);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
  }
}

/** Makes the folder where it is not there, and clears away what a backup that was killed left half written. */
export async function openPieces(folder: string): Promise<Pieces> {
  // Nobody is ever given an address to these objects.
  const presign = { baseUrl: '', secret: createSecretKey(randomBytes(32)) };
  return new Pieces(await openObjectStore({ kind: 'disk', folder, presign }));
}

const isDamage = (error: unknown): boolean =>
  error instanceof ObjectStoreError &&
  ['NOT_FOUND', 'CORRUPT', 'HASH_MISMATCH', 'LENGTH_MISMATCH'].includes(error.kind);

/** A sector of the disk that cannot be read damages the piece that lies on it. */
const isUnreadable = (error: unknown): boolean =>
  isDamage(error) || (error instanceof ObjectStoreError && error.kind === 'DISK_FAILED');

const toDamaged = (wanted: Piece, cause?: unknown): PieceDamaged =>
  new PieceDamaged(
    wanted,
    `the backup is damaged: its piece ${wanted.sha256} is missing, unreadable or altered; use an older backup, or make a new one.`,
    cause,
  );

async function* toldBody(wanted: Piece, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw isUnreadable(error) ? toDamaged(wanted, error) : error;
  }
}

async function told<T>(wanted: Piece, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isUnreadable(error) ? toDamaged(wanted, error) : error;
  }
}
