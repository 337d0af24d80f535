// The walk of a census: first the files and the paths in their manifests, then every referenced object, then the store.
// Each step is one slice in one transaction that also stores the progress: it can be interrupted at any point and
// continued on any server.
import { createHash } from 'node:crypto';
import { readManifestShape } from '@recordproof/shared/evidence/chunk-manifest.ts';
import { toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import type { ListedObject } from '../../platform/objects/object-store.ts';
import type { Server } from '../../platform/server.ts';
import { listTenants } from '../accounts/index.ts';
import { holderOf, listKeepingFileIds } from '../files/index.ts';
import { listActiveManifestJson } from '../manifests/index.ts';
import { listHeldBy, listKept } from '../stored-objects/index.ts';
import {
  type CensusChange,
  type CensusRow,
  insertCandidates,
  insertReferences,
  insertUnknownHolds,
  moveCensus,
  type UnknownHold,
} from './census-queries.ts';
import { classifyObjects, prefixesOf } from './classify-objects.ts';

export type Walking = Pick<Server, 'database' | 'clock' | 'objects'>;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The digest of a census is chained line by line, so that the walk can be interrupted at any point. */
export const startOfDigest = sha256('recordproof.reference-census.v1');

const withLines = (digest: string, lines: readonly string[]): string =>
  lines.reduce((before, line) => sha256(`${before}\n${line}`), digest);

/** Another worker walks this census too, and was faster. */
export class CensusMoved extends Error {}

/** Manifests are large, rows and names are not. */
const filesAtOnce = 16;
const keptAtOnce = 1000;
const objectsAtOnce = 500;

/** Returns once nothing is left to walk; the census then has to be completed. */
export async function walkCensus(server: Walking, begun: CensusRow, signal: AbortSignal): Promise<CensusRow> {
  let census = begun;
  while (census.phase === 'FILES') {
    signal.throwIfAborted();
    census = await walkFiles(server, census);
  }
  while (census.phase === 'REFERENCES') {
    signal.throwIfAborted();
    census = await walkKept(server, census);
  }
  return walkObjects(server, census, signal);
}

const advance = (
  { database, clock }: Walking,
  census: CensusRow,
  change: CensusChange,
  write: (tx: Tx) => Promise<CensusChange> = async () => ({}),
): Promise<CensusRow> =>
  database.db.transaction().execute(async tx => {
    const written = await write(tx);
    const moved = await moveCensus(tx, census, { ...change, ...written, moved_at: clock.now() });
    if (moved === null) throw new CensusMoved(`census ${census.id} is walked by another server`);
    return moved;
  });

async function walkFiles(server: Walking, census: CensusRow): Promise<CensusRow> {
  const { db } = server.database;
  const { tenant_id: tenantId } = census;
  const ids = await listKeepingFileIds(db, tenantId, Number(census.position), filesAtOnce);
  const last = ids.at(-1);
  if (last === undefined) return advance(server, census, { phase: 'REFERENCES', position: '' });
  const found = await examineFiles(server, tenantId, ids);
  const lines = [
    ...found.unknown.map(({ fileId, reason }) => `unknown ${fileId} ${reason}`),
    ...found.named.map(path => `named ${path}`),
  ];
  const change = {
    position: String(last),
    digest: withLines(census.digest, lines),
    unknown_holds: census.unknown_holds + found.unknown.length,
  };
  return advance(server, census, change, async tx => {
    await insertUnknownHolds(tx, census.id, found.unknown);
    const fresh = await insertReferences(tx, census.id, found.named);
    return { known_references: census.known_references + fresh };
  });
}

/** Files with unknown references, and the paths that manifests name without a reference. */
async function examineFiles({ database }: Walking, tenantId: Key, ids: readonly Key[]) {
  const manifests = await listActiveManifestJson(database.db, tenantId, ids);
  const holders = ids.map(id => holderOf({ id }));
  const held = new Set((await listHeldBy(database.db, tenantId, holders)).map(({ path }) => path));
  const unknown: UnknownHold[] = [];
  const named: string[] = [];
  for (const fileId of ids) {
    const json = manifests.get(fileId);
    const paths = json === undefined ? null : readPaths(json);
    if (paths === null)
      unknown.push({ fileId, reason: json === undefined ? 'MANIFEST_MISSING' : 'MANIFEST_UNREADABLE' });
    else named.push(...paths.filter(path => !held.has(path)));
  }
  return { unknown, named };
}

function readPaths(json: string): readonly string[] | null {
  try {
    return readManifestShape(toUtf8(json)).chunks.map(({ storagePath }) => storagePath);
  } catch {
    return null;
  }
}

async function walkKept(server: Walking, census: CensusRow): Promise<CensusRow> {
  const kept = await listKept(server.database.db, census.tenant_id, Number(census.position), keptAtOnce);
  const last = kept.at(-1);
  if (last === undefined) return advance(server, census, { phase: 'OBJECTS', position: toPosition(0, '') });
  const lines = kept.map(({ path, sha256, size }) => `kept ${path} ${sha256} ${size}`);
  return advance(server, census, {
    position: String(last.id),
    digest: withLines(census.digest, lines),
    known_references: census.known_references + kept.length,
  });
}

/** The prefix, and the last key in it. */
const toPosition = (at: number, key: string): string => `${at} ${key}`;

function parsePosition(position: string): { readonly at: number; readonly after: string | undefined } {
  const space = position.indexOf(' ');
  return { at: Number(position.slice(0, space)), after: position.slice(space + 1) || undefined };
}

async function walkObjects(server: Walking, begun: CensusRow, signal: AbortSignal): Promise<CensusRow> {
  let census = begun;
  const tenants = await listTenants(server.database.db);
  const { at: first, after } = parsePosition(census.position);
  for (const [at, prefix] of prefixesOf(census.tenant_id, tenants.length === 1).entries()) {
    if (at < first) continue;
    const from = at === first && after !== undefined ? { after } : {};
    for await (const listed of inSlices(server.objects.list(prefix, from))) {
      signal.throwIfAborted();
      census = await takeIn(server, census, { at, listed });
    }
  }
  return census;
}

async function* inSlices(walk: AsyncIterable<ListedObject>): AsyncGenerator<ListedObject[]> {
  const slice: ListedObject[] = [];
  for await (const object of walk) {
    slice.push(object);
    if (slice.length === objectsAtOnce) yield slice.splice(0);
  }
  if (slice.length > 0) yield slice;
}

type Seen = { readonly at: number; readonly listed: readonly ListedObject[] };

async function takeIn(server: Walking, census: CensusRow, { at, listed }: Seen): Promise<CensusRow> {
  const { objects, database } = server;
  const { unreferenced, foreign } = await classifyObjects({ db: database.db, objects }, census.id, listed);
  const change = {
    position: toPosition(at, listed.at(-1)?.key ?? ''),
    digest: withLines(
      census.digest,
      unreferenced.map(({ path, sha256, size }) => `unreferenced ${path} ${sha256} ${size}`),
    ),
    objects: census.objects + listed.length,
    unreferenced: census.unreferenced + unreferenced.length,
    unreferenced_bytes: census.unreferenced_bytes + unreferenced.reduce((sum, { size }) => sum + size, 0),
    foreign_objects: census.foreign_objects + foreign,
  };
  return advance(server, census, change, async tx => {
    await insertCandidates(tx, census.id, unreferenced);
    return {};
  });
}
