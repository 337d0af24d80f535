// Objects of a backup, restored to the store of a new installation. The first damaged piece ends the restore; with
// `keepGoing` damaged objects are collected and all others restored, including those that only a damaged list names,
// because the database knows them too.
import { listStored } from '../../features/stored-objects/index.ts';
import { readPage } from '../../platform/backup/lists.ts';
import type { Manifest } from '../../platform/backup/manifest.ts';
import { type Piece, PieceDamaged, type Pieces } from '../../platform/backup/pieces.ts';
import type { Db } from '../../platform/db/tables.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import { type ObjectStore, ObjectStoreError } from '../../platform/objects/object-store.ts';
import { copyConcurrency, type ObjectEntry, objectEntry } from './copy-objects.ts';
import { listKnown } from './known-objects.ts';

export type RestoredObjects = {
  readonly objects: number;
  /** Objects without a row in the restored database: they were added while the backup was made. */
  readonly leftOut: number;
  /** Objects whose pieces are damaged. */
  readonly damaged: readonly ObjectEntry[];
  readonly damagedLists: number;
};

type Target = { readonly db: Db; readonly objects: ObjectStore; readonly pieces: Pieces };

/** The bytes of a required object are damaged. */
export class ObjectDamaged extends Error {
  readonly entry: ObjectEntry;

  constructor(entry: ObjectEntry, cause: PieceDamaged) {
    super(cause.message, { cause });
    this.entry = entry;
  }
}

const keysAtOnce = 500;

export const restoreObjects = (target: Target, content: Manifest, keepGoing: boolean): Promise<RestoredObjects> =>
  new ObjectRestore(target, keepGoing).run(content.objects.pages);

class ObjectRestore {
  readonly #target: Target;
  readonly #keepGoing: boolean;
  readonly #damaged: ObjectEntry[] = [];
  #objects = 0;
  #leftOut = 0;

  constructor(target: Target, keepGoing: boolean) {
    this.#target = target;
    this.#keepGoing = keepGoing;
  }

  async run(pages: readonly Piece[]): Promise<RestoredObjects> {
    let damagedLists = 0;
    for (const page of pages) {
      const entries = await this.#readList(page);
      if (entries === null) damagedLists += 1;
      else await this.#restoreListed(entries);
    }
    if (damagedLists > 0) await this.#restoreUnlisted();
    return { objects: this.#objects, leftOut: this.#leftOut, damaged: this.#damaged, damagedLists };
  }

  /** Null if the list is damaged. */
  async #readList(page: Piece): Promise<readonly ObjectEntry[] | null> {
    try {
      return await readPage(this.#target.pieces, page, objectEntry);
    } catch (error) {
      if (this.#keepGoing && error instanceof PieceDamaged) return null;
      throw error;
    }
  }

  async #restoreListed(entries: readonly ObjectEntry[]): Promise<void> {
    for (let at = 0; at < entries.length; at += keysAtOnce) {
      const some = entries.slice(at, at + keysAtOnce);
      const keys = some.map(({ key }) => key);
      const known = await listKnown(this.#target.db, keys);
      await this.#restoreAll(some.filter(({ key }) => known.has(key)));
      this.#leftOut += some.filter(({ key }) => !known.has(key)).length;
    }
  }

  /** Objects that the database notes as stored and no readable list names. */
  async #restoreUnlisted(): Promise<void> {
    const { db, objects } = this.#target;
    const tried = new Set(this.#damaged.map(({ key }) => key));
    for (let after = 0; ; ) {
      const rows = await listStored(db, after, keysAtOnce);
      const last = rows.at(-1);
      if (last === undefined) return;
      const heads = await inParallel(rows, ({ path }) => objects.findHead(path), copyConcurrency);
      const missing = rows.filter(({ path }, index) => heads[index] === null && !tried.has(path));
      await this.#restoreAll(missing.map(({ path, sha256, size }) => ({ key: path, sha256, size })));
      after = last.id;
    }
  }

  async #restoreAll(entries: readonly ObjectEntry[]): Promise<void> {
    await inParallel(entries, entry => this.#restore(entry), copyConcurrency);
  }

  async #restore(entry: ObjectEntry): Promise<void> {
    const { key, ...bytes } = entry;
    try {
      await this.#target.objects.put(key, await this.#target.pieces.open(bytes), bytes);
      this.#objects += 1;
    } catch (error) {
      const cause = toPieceDamage(error, bytes);
      if (cause === null) throw error;
      if (!this.#keepGoing) throw new ObjectDamaged(entry, cause);
      this.#damaged.push(entry);
    }
  }
}

/** Null if the failure is not a damaged piece. */
function toPieceDamage(error: unknown, piece: Piece): PieceDamaged | null {
  if (error instanceof PieceDamaged) return error;
  if (!(error instanceof ObjectStoreError)) return null;
  if (error.cause instanceof PieceDamaged) return error.cause;
  const isOther = error.kind === 'HASH_MISMATCH' || error.kind === 'LENGTH_MISMATCH';
  return isOther ? new PieceDamaged(piece, `the piece ${piece.sha256} has other bytes than were listed.`, error) : null;
}
