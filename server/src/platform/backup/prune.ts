// Takes old backups out of a folder: first their manifests, then the pieces that no other one names.
import { rm } from 'node:fs/promises';
import { syncFolder } from '@recordproof/shared/node/durable-file.ts';
import { listDatabasePieces } from './database-part.ts';
import { readPages } from './lists.ts';
import { folderOf, listBackups, type Manifest, pathOf, readUnproven } from './manifest.ts';
import { type Piece, type Pieces, piece } from './pieces.ts';

/** 32 MiB of memory, however many pieces there are. */
const marks = 2 ** 28;

/** Remembers pieces, and now and then one more than it was told of: that one stays a while longer. */
class NamedPieces {
  readonly #bits = new Uint8Array(marks / 8);

  add({ sha256 }: Pick<Piece, 'sha256'>): void {
    const [at, bit] = place(sha256);
    this.#bits[at] = (this.#bits[at] ?? 0) | bit;
  }

  mayHave(sha256: string): boolean {
    const [at, bit] = place(sha256);
    return ((this.#bits[at] ?? 0) & bit) !== 0;
  }
}

function place(sha256: string): [at: number, bit: number] {
  const mark = Number.parseInt(sha256.slice(0, 8), 16) % marks;
  return [mark >>> 3, 1 << (mark & 7)];
}

type Pruned = { readonly backups: number; readonly pieces: number };

/** Nothing may be backed up into the folder meanwhile. Killed, it goes on when it is called again. */
export async function pruneBackups(backup: string, pieces: Pieces, keep: number): Promise<Pruned> {
  const names = await listBackups(backup);
  const old = names.slice(0, -keep);
  const named = new NamedPieces();
  for (const name of names.slice(-keep)) await addAll(named, pieces, await readUnproven(backup, name));
  for (const name of old) await rm(pathOf(backup, name));
  await syncFolder(folderOf(backup));
  let removed = 0;
  for await (const sha256 of pieces.list()) {
    if (named.mayHave(sha256)) continue;
    await pieces.remove(sha256);
    removed += 1;
  }
  return { backups: old.length, pieces: removed };
}

/** The lists are pieces, too. */
async function addAll(named: NamedPieces, pieces: Pieces, manifest: Manifest): Promise<void> {
  for (const page of [...manifest.database.pages, ...manifest.objects.pages]) named.add(page);
  for await (const some of listDatabasePieces(pieces, manifest)) for (const one of some) named.add(one);
  for await (const some of readPages(pieces, manifest.objects.pages, piece.loose()))
    for (const one of some) named.add(one);
}
