// Object copy of an installation, for backup and move: objects that the target already has are not read again. Objects
// that the installation has lost are reported and skipped.
import { z } from 'zod';
import { isKept, listStored, type StoredRow } from '../../features/stored-objects/index.ts';
import { piece } from '../../platform/backup/pieces.ts';
import type { Db } from '../../platform/db/tables.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import { type ByteSource, type ObjectStore, ObjectStoreError } from '../../platform/objects/object-store.ts';
import { otherAreas } from './known-objects.ts';

export const objectEntry = piece.extend({ key: z.string().min(1).max(512) });
export type ObjectEntry = z.infer<typeof objectEntry>;

export const copyConcurrency = 8;
const rowsAtOnce = 500;
const maxListedLost = 100;
/** More than this is a wrong store or an unmounted disk rather than single losses. */
const mostAbsent = 10_000;

/** The target of a copy. */
export type ObjectTarget = {
  /** True if the target already has the object. */
  has(entry: ObjectEntry): Promise<boolean>;
  /** Fails with HASH_MISMATCH or LENGTH_MISMATCH of the object store if the source has other bytes. */
  copyIn(entry: ObjectEntry, source: ByteSource): Promise<void>;
  /** Called for each object that the target has now, one at a time. */
  note(entry: ObjectEntry): Promise<void>;
};

type CopyContext = {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly target: ObjectTarget;
  /** Cancels the copy. */
  readonly signal: AbortSignal;
};

export type CopiedObjects = {
  readonly count: number;
  readonly bytes: number;
  /** Number of objects that the target did not have. */
  readonly added: number;
  /** Objects that the installation itself has lost, the first of them by name. */
  readonly lost: { readonly count: number; readonly first: readonly string[] };
};

/** The object exists but cannot be read as stored. */
class Unreadable extends Error {}

export class StoreUnavailable extends Error {}

export const copyObjects = (ground: CopyContext): Promise<CopiedObjects> => new ObjectCopy(ground).run();

class ObjectCopy {
  readonly #ground: CopyContext;
  readonly #absent: StoredRow[] = [];
  readonly #lost: string[] = [];
  #lostCount = 0;
  #count = 0;
  #bytes = 0;
  #added = 0;

  constructor(ground: CopyContext) {
    this.#ground = ground;
  }

  async run(): Promise<CopiedObjects> {
    await this.#copyStored();
    for (const area of otherAreas) await this.#copyArea(area);
    await this.#retryAbsent();
    const lost = { count: this.#lostCount, first: this.#lost };
    return { count: this.#count, bytes: this.#bytes, added: this.#added, lost };
  }

  async #copyStored(): Promise<void> {
    for (let after = 0; ; ) {
      const rows = await listStored(this.#ground.db, after, rowsAtOnce);
      const entries = await inParallel(rows, row => this.#copyRow(row), copyConcurrency);
      for (const entry of entries) if (entry !== null) await this.#note(entry);
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.id;
    }
  }

  /** Null if there is nothing to list, or nothing yet. */
  async #copyRow(row: StoredRow): Promise<ObjectEntry | null> {
    try {
      return await this.#copy({ key: row.path, sha256: row.sha256, size: row.size });
    } catch (error) {
      if (error instanceof Unreadable) return this.#tellLost(row.path, error.message);
      if (!isAbsent(error)) throw error;
      this.#absent.push(row);
      if (this.#absent.length > mostAbsent)
        throw new StoreUnavailable(
          'the object store lacks thousands of objects; is it the right one, is its disk mounted?',
        );
      return null;
    }
  }

  /** Second attempt for absent objects: by now a write in progress has finished or failed. */
  async #retryAbsent(): Promise<void> {
    for (const row of this.#absent.splice(0)) {
      const entry = await this.#copyRow(row);
      if (entry !== null) await this.#note(entry);
      else if (await isKept(this.#ground.db, row.id)) this.#tellLost(row.path, 'is missing');
    }
  }

  async #copyArea(area: string): Promise<void> {
    for await (const { key } of this.#ground.objects.list(area)) {
      try {
        const entry = await this.#copyUnnoted(key);
        if (entry !== null) await this.#note(entry);
      } catch (error) {
        if (error instanceof Unreadable) this.#tellLost(key, error.message);
        else if (!isAbsent(error)) throw error; // deleted while the area was listed
      }
    }
  }

  /** Objects without a row: the digest comes from the store's metadata or is computed. */
  async #copyUnnoted(key: string): Promise<ObjectEntry | null> {
    const { objects, signal } = this.#ground;
    const head = await objects.findHead(key).catch(toUnreadable);
    if (head === null) return null;
    const { size, sha256 } =
      head.sha256 === undefined ? await objects.digest(key, signal) : { ...head, sha256: head.sha256 };
    return this.#copy({ key, sha256, size });
  }

  async #copy(entry: ObjectEntry): Promise<ObjectEntry> {
    const { objects, target, signal } = this.#ground;
    signal.throwIfAborted();
    if (!(await target.has(entry))) {
      const { body } = await objects.get(entry.key, { sha256: entry.sha256, signal }).catch(toUnreadable);
      await target.copyIn(entry, throwingBody(body)).catch(toSourceError);
      this.#added += 1;
    }
    return entry;
  }

  async #note(entry: ObjectEntry): Promise<void> {
    this.#count += 1;
    this.#bytes += entry.size;
    await this.#ground.target.note(entry);
  }

  #tellLost(key: string, why: string): null {
    this.#lostCount += 1;
    if (this.#lost.length < maxListedLost) this.#lost.push(`${key} ${why}`);
    return null;
  }
}

const isAbsent = (error: unknown): boolean => error instanceof ObjectStoreError && error.kind === 'NOT_FOUND';

/** Errors of the source store that count as loss. */
const damages: Partial<Record<ObjectStoreError['kind'], string>> = {
  CORRUPT: 'is damaged',
  DENIED: 'may not be read',
  DISK_FAILED: 'cannot be read: the disk fails',
};

function toUnreadable(error: unknown): never {
  const why = error instanceof ObjectStoreError ? damages[error.kind] : undefined;
  throw why === undefined ? error : new Unreadable(why, { cause: error });
}

async function* throwingBody(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    toUnreadable(error);
  }
}

/** Errors of the target store pass through; a wrong length or digest is damage of the source. */
function toSourceError(error: unknown): never {
  if (!(error instanceof ObjectStoreError)) throw error;
  if (error.kind === 'SOURCE_FAILED' && error.cause instanceof Unreadable) throw error.cause;
  if (error.kind === 'HASH_MISMATCH' || error.kind === 'LENGTH_MISMATCH')
    toUnreadable(new ObjectStoreError('CORRUPT', error.message, error));
  throw error;
}
