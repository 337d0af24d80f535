// Tiles and entry bundles of the ledger in the object store. A written tile never changes: different bytes mean that
// database and objects hold two histories, and nothing is signed on top of that.

import { sha256, toHex } from '@recordproof/shared/evidence/digest.ts';
import { type TileAddress, toBundlePath, toTilePath } from '@recordproof/shared/evidence/tlog-tiles.ts';
import { inParallel } from '../../../platform/in-parallel.ts';
import { type ObjectStore, ObjectStoreError } from '../../../platform/objects/object-store.ts';

/** The prefix of all ledger objects. */
export const ledgerArea = 'ledger/';
/** 256 entries of at most 4096 bytes and their lengths. */
const maxTileBytes = 2 * 1024 * 1024;

/** The stored ledger differs from the signed one. */
export class LedgerDamaged extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LedgerDamaged';
  }
}

export type StoredTile = { readonly path: string; readonly bytes: Uint8Array };

/** `tile/…` of the ledger → its key in the object store. */
export const toObjectKey = (path: string): string => ledgerArea + path;
export const fromObjectKey = (key: string): string => key.slice(ledgerArea.length);

const isKind = (error: unknown, kinds: readonly string[]): boolean =>
  error instanceof ObjectStoreError && kinds.includes(error.kind);
export const isNotFound = (error: unknown): boolean => isKind(error, ['NOT_FOUND']);
/** The store has no object that could be the signed one. */
export const isUnproven = (error: unknown): boolean =>
  error instanceof LedgerDamaged || isKind(error, ['NOT_FOUND', 'CORRUPT', 'DENIED', 'DISK_FAILED']);

const mostReplacements = 10;

/** Throws the object store's NOT_FOUND, and CORRUPT if it knows that the bytes have changed. */
export async function readObject(objects: ObjectStore, path: string): Promise<Uint8Array> {
  for (let left = mostReplacements; ; left -= 1) {
    try {
      return await readOnce(objects, path);
    } catch (error) {
      // Another server is publishing: the next attempt reads what it wrote.
      if (left === 0 || !isKind(error, ['REPLACED'])) throw error;
    }
  }
}

/** Null if the store has no object that could be the signed one. */
export const findObject = (objects: ObjectStore, path: string): Promise<Uint8Array | null> =>
  readObject(objects, path).catch(error => {
    if (isUnproven(error)) return null;
    throw error;
  });

async function readOnce(objects: ObjectStore, path: string): Promise<Uint8Array> {
  const { body, size, sha256: digest } = await objects.get(toObjectKey(path));
  if (size > maxTileBytes) throw new LedgerDamaged(`${path} is larger than any tile`);
  const bytes = new Uint8Array(await Array.fromAsync(body).then(blocks => Buffer.concat(blocks)));
  if (digest !== undefined && toHex(sha256(bytes)) !== digest)
    throw new ObjectStoreError('CORRUPT', 'the stored bytes do not have the digest they were stored with');
  return bytes;
}

/** Durable when it resolves. Idempotent for the same bytes. */
export async function writeTiles(objects: ObjectStore, tiles: readonly StoredTile[]): Promise<void> {
  await inParallel(tiles, tile => writeTile(objects, tile), 8);
}

async function writeTile(objects: ObjectStore, { path, bytes }: StoredTile): Promise<void> {
  const digest = toHex(sha256(bytes));
  try {
    await objects.create(toObjectKey(path), [bytes], { size: bytes.length, sha256: digest });
  } catch (error) {
    if (!(error instanceof ObjectStoreError) || error.kind !== 'EXISTS') throw error;
    const stored = await readObject(objects, path).catch(reason => {
      // Deleted again: another server has published a larger size. This checkpoint will not be stored.
      if (isNotFound(reason)) return bytes;
      if (isUnproven(reason)) return null;
      throw reason;
    });
    if (stored === null)
      return void (await objects.put(toObjectKey(path), [bytes], { size: bytes.length, sha256: digest }));
    if (Buffer.compare(stored, bytes) === 0) return;
    throw new LedgerDamaged(
      `${path} in the object store holds other entries than the database; one of the two is from an older backup.`,
    );
  }
}

/** Overwrites the tiles; returns how many were missing or different. */
export async function replaceTiles(objects: ObjectStore, tiles: readonly StoredTile[]): Promise<number> {
  const replaced = await inParallel(tiles, tile => replaceTile(objects, tile), 8);
  return replaced.filter(Boolean).length;
}

async function replaceTile(objects: ObjectStore, { path, bytes }: StoredTile): Promise<boolean> {
  const stored = await findObject(objects, path);
  if (stored !== null && Buffer.compare(stored, bytes) === 0) return false;
  await objects.put(toObjectKey(path), [bytes], { size: bytes.length });
  return true;
}

/** Deletes partial tiles of an older size that no newer one needs. */
export async function removeTiles(objects: ObjectStore, tiles: readonly TileAddress[]): Promise<void> {
  await inParallel(
    tiles.flatMap(tile =>
      tile.level === 0 ? [toTilePath(tile), toBundlePath(tile.index, tile.width)] : [toTilePath(tile)],
    ),
    path => objects.delete(toObjectKey(path)),
  );
}
