// Content-addressed pieces of backups: each is stored once for all backups of the target, sealed with the passphrase
// or, in backups of earlier versions, plain. Both formats are in docs/spec/backup.md.
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

/** Limit for pieces that are read as a whole: pages of a list or a database, where one row may hold a long manifest. */
const largestPage = 512 * 2 ** 20;

/** A piece is missing or damaged; the message is one sentence. */
export class PieceDamaged extends Error {
  readonly piece: Piece;

  constructor(piece: Piece, message: string, cause?: unknown) {
    super(message, { cause });
    this.piece = piece;
  }
}

/** The stored form of pieces. */
type PieceForm = {
  readonly area: string;
  /** File name within the area, in hex. */
  toName(piece: Piece): string;
  /** Stored size, and digest if known, for the store's own check. */
  announce(piece: Piece): { readonly size: number; readonly sha256?: string };
  seal(piece: Piece, source: ByteSource): ByteSource;
  /** The verified bytes of a piece. */
  open(piece: Piece, store: PieceStore): Promise<AsyncIterable<Uint8Array>>;
};

export const plainArea = 'pieces/';
/** Each passphrase has its own area below. */
export const sealedArea = 'sealed/';
export const areaOfKey = (keyId: string): string => `${sealedArea}${keyId}/`;

const plainForm: PieceForm = {
  area: plainArea,
  toName: ({ sha256 }) => sha256,
  announce: piece => piece,
  seal: (_, source) => source,
  async open({ sha256, size }, store) {
    const read = await store.get(plainArea + sha256, { sha256 });
    if (read.size !== size || (read.sha256 ?? sha256) !== sha256)
      throw new ObjectStoreError(
        'CORRUPT',
        `the store has ${read.size} bytes with SHA-256 ${read.sha256 ?? 'unknown'}, expected ${size} with ${sha256}`,
      );
    return read.body;
  },
};

/** Each frame authenticates the name of its piece, so no piece can replace another. */
function sealedForm(keys: BackupKeys): PieceForm {
  const area = areaOfKey(keys.keyId);
  const toName = (piece: Piece) => namePiece(keys, piece).toString('hex');
  const contextOf = (piece: Piece) => ({
    dataKey: keys.pieces,
    fileNonce: namePiece(keys, piece).subarray(0, 16),
    tenantId: 'recordproof backup',
    index: 0,
    count: 1,
  });
  return {
    area,
    toName,
    announce: ({ size }) => ({ size: toSealedSize(size) }),
    seal: (piece, source) => sealChunk(contextOf(piece), checked(piece, source)),
    async open(piece, store) {
      const read = await store.get(area + toName(piece));
      const expected = toSealedSize(piece.size);
      if (read.size !== expected)
        throw new ObjectStoreError('CORRUPT', `a piece of the backup has ${read.size} bytes instead of ${expected}`);
      return openChunk(contextOf(piece), read.body);
    },
  };
}

/** Passes the bytes on; fails like the store if length or digest differ from the name. */
async function* checked(piece: Piece, source: ByteSource): AsyncGenerator<Uint8Array> {
  const check = new PutCheck(piece);
  for await (const block of source) {
    check.update(block);
    yield block;
  }
  check.finish();
}

export class Pieces {
  readonly #store: PieceStore;
  readonly #form: PieceForm;

  /** Without keys: the plain pieces of earlier versions. */
  constructor(store: PieceStore, keys: BackupKeys | null) {
    this.#store = store;
    this.#form = keys === null ? plainForm : sealedForm(keys);
  }

  /** Compares the length only. */
  async has(piece: Piece): Promise<boolean> {
    try {
      return (await this.#store.findHead(this.keyOf(piece)))?.size === this.#form.announce(piece).size;
    } catch (error) {
      if (isDamage(error)) return false; // damaged pieces are rewritten
      throw error;
    }
  }

  /** Durable when it resolves. */
  async put(bytes: Uint8Array): Promise<Piece> {
    const piece = { sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
    if (!(await this.has(piece))) await this.copyIn(piece, [bytes]);
    return piece;
  }

  /** Fails with HASH_MISMATCH or LENGTH_MISMATCH of the object store if the source has other bytes. */
  async copyIn(piece: Piece, source: ByteSource): Promise<void> {
    await this.#store.put(this.keyOf(piece), this.#form.seal(piece, source), this.#form.announce(piece));
  }

  /** A small piece as a whole, verified. */
  async read(piece: Piece): Promise<Buffer> {
    if (piece.size > largestPage)
      throw new PieceDamaged(piece, `a page of the backup exceeds the limit of ${largestPage} bytes.`);
    return buffer(await this.open(piece));
  }

  /**
   * Sealed bytes are verified before they are yielded; of plain pieces the last block is held back until all are
   * verified.
   */
  async open(piece: Piece): Promise<AsyncIterable<Uint8Array>> {
    try {
      return throwingBody(piece, await this.#form.open(piece, this.#store));
    } catch (error) {
      throw isUnreadable(error) ? toDamaged(piece, error) : error;
    }
  }

  /** Reads every byte; throws `PieceDamaged`. */
  async check(piece: Piece): Promise<void> {
    for await (const _ of await this.open(piece)); // reading verifies
  }

  async remove(piece: Piece): Promise<void> {
    await this.#store.delete(this.keyOf(piece));
  }

  /** Its key in the store. */
  keyOf(piece: Piece): string {
    return this.#form.area + this.#form.toName(piece);
  }
}

const isDamage = (error: unknown): boolean =>
  error instanceof ObjectStoreError &&
  ['NOT_FOUND', 'CORRUPT', 'HASH_MISMATCH', 'LENGTH_MISMATCH'].includes(error.kind);

/** An unreadable disk sector damages the piece on it. */
const isUnreadable = (error: unknown): boolean =>
  isDamage(error) ||
  error instanceof ContentError ||
  (error instanceof ObjectStoreError && error.kind === 'DISK_FAILED');

const toDamaged = (piece: Piece, cause?: unknown): PieceDamaged =>
  new PieceDamaged(
    piece,
    `the backup is damaged: its piece ${piece.sha256} is missing, unreadable or altered; use an older backup, or make a new one.`,
    cause,
  );

async function* throwingBody(piece: Piece, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw isUnreadable(error) ? toDamaged(piece, error) : error;
  }
}
