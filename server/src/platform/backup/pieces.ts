// The bytes of backups: each piece once, however many backups hold it, sealed with the passphrase or, in backups of earlier
// versions, in the clear. docs/spec/backup.md has both forms.
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { ContentError, openChunk, sealChunk, toSealedSize } from '../crypto/content-suite.ts';
import { PutCheck } from '../objects/checked-stream.ts';
import { type ByteSource, ObjectStoreError } from '../objects/object-store.ts';
import { type BackupKeys, namePiece } from './backup-keys.ts';
import type { PieceStore } from './backup-target.ts';

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

/** How pieces lie in the store. */
type PieceForm = {
  readonly area: string;
  /** Behind the area; hexadecimal. */
  toName(wanted: Piece): string;
  /** What the store can be told of it before it comes. */
  announce(wanted: Piece): { readonly size: number; readonly sha256?: string };
  seal(wanted: Piece, source: ByteSource): ByteSource;
  /** The stored bytes of a piece, proven. */
  open(wanted: Piece, store: PieceStore): Promise<AsyncIterable<Uint8Array>>;
};

export const plainArea = 'pieces/';
/** Below it, each passphrase has an area of its own. */
export const sealedArea = 'sealed/';
export const areaOfPool = (pool: string): string => `${sealedArea}${pool}/`;

const plainForm: PieceForm = {
  area: plainArea,
  toName: ({ sha256 }) => sha256,
  announce: wanted => wanted,
  seal: (_, source) => source,
  async open({ sha256, size }, store) {
    const read = await store.get(plainArea + sha256, { sha256 });
    if (read.size !== size || (read.sha256 ?? sha256) !== sha256)
      throw new ObjectStoreError('CORRUPT', 'noted as another');
    return read.body;
  },
};

/** The name of a piece is bound into each frame: no piece can stand for another one. */
function sealedForm(keys: BackupKeys): PieceForm {
  const area = areaOfPool(keys.pool);
  const toName = (wanted: Piece) => namePiece(keys, wanted).toString('hex');
  const contextOf = (wanted: Piece) => ({
    dataKey: keys.pieces,
    fileNonce: namePiece(keys, wanted).subarray(0, 16),
    tenantId: 'recordproof backup',
    index: 0,
    count: 1,
  });
  return {
    area,
    toName,
    announce: ({ size }) => ({ size: toSealedSize(size) }),
    seal: (wanted, source) => sealChunk(contextOf(wanted), checked(wanted, source)),
    async open(wanted, store) {
      const read = await store.get(area + toName(wanted));
      if (read.size !== toSealedSize(wanted.size)) throw new ObjectStoreError('CORRUPT', 'of another length');
      return openChunk(contextOf(wanted), read.body);
    },
  };
}

/** Ends with what the piece is named by, or fails as a store does that is told length and digest. */
async function* checked(wanted: Piece, source: ByteSource): AsyncGenerator<Uint8Array> {
  const check = new PutCheck(wanted);
  for await (const block of source) {
    check.update(block);
    yield block;
  }
  check.finish();
}

export class Pieces {
  readonly #store: PieceStore;
  readonly #form: PieceForm;

  /** Without keys those of earlier versions, in the clear. */
  constructor(store: PieceStore, keys: BackupKeys | null) {
    this.#store = store;
    this.#form = keys === null ? plainForm : sealedForm(keys);
  }

  /** Of this length; its bytes are not read. */
  async has(wanted: Piece): Promise<boolean> {
    try {
      return (await this.#store.findHead(this.keyOf(wanted)))?.size === this.#form.announce(wanted).size;
    } catch (error) {
      if (isDamage(error)) return false; // it is written anew
      throw error;
    }
  }

  /** Durable when it resolves. */
  async put(bytes: Uint8Array): Promise<Piece> {
    const wanted = { sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
    if (!(await this.has(wanted))) await this.copyIn(wanted, [bytes]);
    return wanted;
  }

  /** Fails with HASH_MISMATCH or LENGTH_MISMATCH of the object store where the source is something else. */
  async copyIn(wanted: Piece, source: ByteSource): Promise<void> {
    await this.#store.put(this.keyOf(wanted), this.#form.seal(wanted, source), this.#form.announce(wanted));
  }

  /** The whole of a small piece, proven. */
  async read(wanted: Piece): Promise<Buffer> {
    if (wanted.size > largestPage)
      throw new PieceDamaged(wanted, 'a page of the backup is larger than any that is written.');
    return buffer(await this.open(wanted));
  }

  /** No byte comes before it is proven, or, in the clear, the last block before all of them are. */
  async open(wanted: Piece): Promise<AsyncIterable<Uint8Array>> {
    try {
      return toldBody(wanted, await this.#form.open(wanted, this.#store));
    } catch (error) {
      throw isUnreadable(error) ? toDamaged(wanted, error) : error;
    }
  }

  /** Reads every byte; throws `PieceDamaged`. */
  async check(wanted: Piece): Promise<void> {
    for await (const _ of await this.open(wanted)); // reading is proving
  }

  async remove(wanted: Piece): Promise<void> {
    await this.#store.delete(this.keyOf(wanted));
  }

  /** Where it lies in the store. */
  keyOf(wanted: Piece): string {
    return this.#form.area + this.#form.toName(wanted);
  }
}

const isDamage = (error: unknown): boolean =>
  error instanceof ObjectStoreError &&
  ['NOT_FOUND', 'CORRUPT', 'HASH_MISMATCH', 'LENGTH_MISMATCH'].includes(error.kind);

/** A sector of the disk that cannot be read damages the piece that lies on it. */
const isUnreadable = (error: unknown): boolean =>
  isDamage(error) ||
  error instanceof ContentError ||
  (error instanceof ObjectStoreError && error.kind === 'DISK_FAILED');

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
