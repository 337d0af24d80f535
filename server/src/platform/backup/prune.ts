// Retention of backups: deletes old manifests, then the pieces that no remaining one names. Pieces sealed with another
// passphrase cannot be attributed: their area is deleted once no backup with that passphrase remains.
import type { BackupKeyring, BackupKeys } from './backup-keys.ts';
import type { BackupTarget } from './backup-target.ts';
import { listDatabasePieces } from './database-part.ts';
import { readPages } from './lists.ts';
import { type Manifest, openManifest, readHeader, readUnproven, removeManifests } from './manifest.ts';
import { areaOfKey, Pieces, piece, plainArea, sealedArea } from './pieces.ts';

/** 32 MiB of memory for any number of pieces. */
const marks = 2 ** 28;

/** Bloom filter of piece keys with one hash: a false positive keeps a piece for longer. */
class NamedPieces {
  readonly #bits = new Uint8Array(marks / 8);

  add(key: string): void {
    const [at, bit] = toBit(key);
    this.#bits[at] = (this.#bits[at] ?? 0) | bit;
  }

  mayHave(key: string): boolean {
    const [at, bit] = toBit(key);
    return ((this.#bits[at] ?? 0) & bit) !== 0;
  }
}

const hexDigits = 8;

/** By the first digits of the name after the last slash. */
function toBit(key: string): [at: number, bit: number] {
  const start = key.lastIndexOf('/') + 1;
  const mark = Number.parseInt(key.slice(start, start + hexDigits), 16) % marks;
  return [mark >>> 3, 1 << (mark & 7)];
}

type Tools = {
  readonly keys: BackupKeys;
  readonly keyring: BackupKeyring;
  readonly keep: number;
  /** Name of the backup that was just made: it stays, even if a wrong clock dated earlier ones later. */
  readonly made: string;
  /** Aborted when another backup may begin. */
  readonly signal: AbortSignal;
};

/** No backup into the target may run meanwhile. Resumable after a kill. Returns the number of backups removed. */
export async function pruneBackups(target: BackupTarget, tools: Tools): Promise<number> {
  const earlier = (await target.listManifests()).filter(name => name !== tools.made);
  const old = earlier.slice(0, Math.max(0, earlier.length + 1 - tools.keep));
  const kept = await readKept(target, [...earlier.slice(old.length), tools.made], tools);
  await removeManifests(target, old);
  for (const area of [plainArea, sealedArea]) {
    for await (const { key } of target.pieces.list(area)) {
      tools.signal.throwIfAborted();
      if (kept.areas.some(one => key.startsWith(one)) || kept.named.mayHave(key)) continue;
      await target.pieces.delete(key);
    }
  }
  return old.length;
}

type Kept = {
  readonly named: NamedPieces;
  /** Areas to keep as a whole. */
  readonly areas: readonly string[];
};

async function readKept(target: BackupTarget, names: readonly string[], { keys, keyring }: Tools): Promise<Kept> {
  const named = new NamedPieces();
  const areas: string[] = [];
  for (const name of names) {
    const { pool } = await readHeader(target, name);
    if (pool === undefined) {
      await addAll(named, new Pieces(target.pieces, null), await readUnproven(target, name));
    } else if (pool === keys.keyId) {
      const { pieces, content } = await openManifest(target, name, keyring);
      await addAll(named, pieces, content);
    } else areas.push(areaOfKey(pool));
  }
  return { named, areas };
}

/** Lists are stored as pieces too. */
async function addAll(named: NamedPieces, pieces: Pieces, manifest: Manifest): Promise<void> {
  for (const page of [...manifest.database.pages, ...manifest.objects.pages]) named.add(pieces.keyOf(page));
  for await (const some of listDatabasePieces(pieces, manifest)) for (const one of some) named.add(pieces.keyOf(one));
  for await (const some of readPages(pieces, manifest.objects.pages, piece.loose()))
    for (const one of some) named.add(pieces.keyOf(one));
}
