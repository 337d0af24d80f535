// Consistency check of database, objects and ledger of a server by independent code: everything recorded exists
// unaltered, and nothing exists unrecorded.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type ChunkManifest, parseChunkManifest, plainSizeOf } from '@recordproof/shared/evidence/chunk-manifest.ts';
import { expect } from 'vitest';
import type { Config } from '../../server/src/config/config.ts';
import { verifyAuditChain } from '../../server/src/features/audit/index.ts';
import { findFileKey } from '../../server/src/features/envelopes/index.ts';
import type { FileRow } from '../../server/src/features/files/index.ts';
import { unpackManifest } from '../../server/src/features/manifests/index.ts';
import { wholeTenant } from '../../server/src/features/quotas/index.ts';
import { systemClock } from '../../server/src/platform/clock.ts';
import { openChunk } from '../../server/src/platform/crypto/content-suite.ts';
import type { KeyProvider } from '../../server/src/platform/crypto/envelope.ts';
import { openLocalKeys } from '../../server/src/platform/crypto/local-keys.ts';
import type { Db } from '../../server/src/platform/db/tables.ts';
import type { ObjectStore } from '../../server/src/platform/objects/object-store.ts';
import { checkAttestation } from './attestation-truth.ts';
import { type ChainTruth, openChainTruth } from './chain-truth.ts';
import { checkLedger, checkRecord } from './check-ledger.ts';
import { checkPeople } from './check-people.ts';
import { checkAnnouncements, checkTickets } from './check-tickets.ts';
import { openConfiguredStore } from './configured-store.ts';
import { openDefaultSuites } from './default-policies.ts';

type CheckContext = {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly keys: KeyProvider;
  readonly truth: ChainTruth;
};

export type Checkable = { readonly config: Config; readonly app: { readonly database: { readonly db: Db } } };

/** Fails the test at the first inconsistency. Call when no work is pending. */
export async function checkEverything({ config, app }: Checkable): Promise<void> {
  const { db } = app.database;
  await using objects = await openConfiguredStore(config);
  const keys = await openLocalKeys({ path: join(config.keysFolder, 'master-keys.json'), createIfMissing: false });
  await checkLedger(db, objects, config.keysFolder);
  const truth = openChainTruth(config, db);
  const ground = { db, objects, keys, truth };
  await checkAttestation(db, truth);
  const files = await db.selectFrom('file').selectAll().orderBy('id').execute();
  for (const file of files.filter(isProven)) await checkFile(ground, file);
  await checkPrepared(db, files);
  checkChains(files);
  await checkUsage(db, files);
  await checkHolds(db, files);
  await checkVerifiedCounts(db);
  await checkShares(db);
  await checkShareCounts(db);
  await checkListing(ground);
  await checkTickets(db);
  await checkAnnouncements(db);
  await checkBackground(db);
  await checkPeople(db);
  for (const { id } of await db.selectFrom('tenant').select('id').execute()) {
    expect((await verifyAuditChain(db, id)).brokenAt, `audit chain of tenant ${id}`).toBeNull();
  }
}

/** Records of an older system count before they have a proof. */
const isProven = ({ status, manifest_hash, created_by }: FileRow): boolean =>
  status === 1 && !(manifest_hash === null && created_by.startsWith('legacy:'));

async function checkFile(ground: CheckContext, file: FileRow): Promise<void> {
  const about = `file ${file.id}`;
  const { db } = ground;
  const manifests = await db.selectFrom('manifest').selectAll().where('file_id', '=', file.id).execute();
  const active = manifests.filter(row => row.status === 'ACTIVE' && row.deleted === 0);
  expect(active, `${about} has one active manifest`).toHaveLength(1);
  const manifest = parseChunkManifest(Buffer.from(active[0] ? unpackManifest(active[0]) : ''));
  expect(manifest, about).toMatchObject({
    fileHash: file.file_hash,
    totalSize: file.file_size,
    encryptionAlgorithm: file.encryption,
    manifestHash: file.manifest_hash,
  });
  expect(active[0], about).toMatchObject({ tenant_id: file.tenant_id, manifest_hash: file.manifest_hash });
  await checkRecord(ground.truth, file);
  expect(await readWhole(ground, file, manifest), `${about} reads back as what it is`).toBe(file.content_hash);
}

/** Digest of the original bytes, over objects whose own digests are checked on the way. */
async function readWhole(ground: CheckContext, file: FileRow, manifest: ChunkManifest): Promise<string> {
  const whole = createHash('sha256');
  for (const chunk of manifest.chunks) {
    const plain = createHash('sha256');
    const read = await ground.objects.get(chunk.storagePath, { sha256: chunk.cipherHash.slice('sha256:'.length) });
    expect(read.size).toBe(chunk.size);
    let bytes = 0;
    for await (const block of await plainBytes(ground, file, manifest, chunk.index, read.body)) {
      whole.update(block);
      plain.update(block);
      bytes += block.length;
    }
    expect(bytes).toBe(plainSizeOf(chunk));
    expect(`sha256:${plain.digest('hex')}`).toBe(chunk.plainHash);
  }
  return `sha256:${whole.digest('hex')}`;
}

const suites = openDefaultSuites(systemClock);

async function plainBytes(
  { db, keys }: CheckContext,
  file: FileRow,
  manifest: ChunkManifest,
  index: number,
  body: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
  if (file.encryption === 'NONE') return body;
  const owner = { type: 'OWNER', id: String(file.owner_id) } as const;
  const key = await findFileKey(db, { suites, keyProviders: [keys] }, file, owner);
  const position = { tenantId: String(file.tenant_id), index, count: manifest.chunks.length };
  return openChunk({ ...key, ...position }, body);
}

/** Prepared data belongs to a completion that still runs. */
async function checkPrepared(db: Db, files: readonly FileRow[]): Promise<void> {
  const open = await db.selectFrom('saga').select('data').where('ended_at', 'is', null).execute();
  const prepared = files.filter(({ status }) => status === 0).map(({ id }) => id);
  const running = open.map(({ data }) => (JSON.parse(data) as { fileId?: number }).fileId);
  expect(
    prepared.filter(id => !running.includes(id)),
    'records that nobody finishes',
  ).toEqual([]);
}

function checkChains(files: readonly FileRow[]): void {
  const placed = files.filter(file => file.version_group_id !== null);
  for (const [group, members] of Map.groupBy(placed, file => file.version_group_id)) {
    const chain = members.toSorted((a, b) => a.version - b.version);
    const live = chain.filter(file => file.status === 1);
    const latest = chain.filter(file => file.is_latest === 1);
    expect(
      latest.map(file => file.id),
      `latest of chain ${group}`,
    ).toEqual(live.slice(-1).map(file => file.id));
    expect(new Set(chain.map(file => file.version)).size).toBe(chain.length);
    for (const file of chain) {
      const parent = chain.find(({ id }) => id === file.parent_version_id);
      expect(parent === undefined ? 0 : parent.version, `parent of file ${file.id}`).toBeLessThan(file.version);
      expect(file.parent_version_id === null).toBe(file.version === 1);
    }
  }
}

async function checkUsage(db: Db, files: readonly FileRow[]): Promise<void> {
  const counted = files.filter(file => file.status === 1);
  for (const row of await db.selectFrom('file_usage').selectAll().execute()) {
    const own = counted.filter(
      file => file.tenant_id === row.tenant_id && (row.owner_id === 0 || file.owner_id === row.owner_id),
    );
    const bytes = own.reduce((sum, file) => sum + file.file_size, 0);
    const latest = own.filter(file => file.is_latest === 1).length;
    expect(row, `usage of ${row.owner_id}`).toMatchObject({ files: own.length, bytes, latest_files: latest });
  }
}

async function checkHolds(db: Db, files: readonly FileRow[]): Promise<void> {
  const holds = await db
    .selectFrom('object_hold as h')
    .innerJoin('stored_object as o', 'o.id', 'h.object_id')
    .select(['h.holder', 'h.tenant_id', 'o.path', 'o.state', 'o.tenant_id as owner'])
    .execute();
  const known = new Set(files.map(file => `file:${file.id}`));
  const open = await db.selectFrom('upload').select('id').where('status', '=', 'FINALIZING').execute();
  for (const hold of holds) {
    expect(hold).toMatchObject({ state: 'LIVE', owner: hold.tenant_id });
    const [kind, id] = hold.holder.split(':');
    if (kind === 'upload')
      expect(
        open.map(upload => String(upload.id)),
        hold.holder,
      ).toContain(id);
    if (kind === 'file') expect(known, 'holder').toContain(hold.holder);
  }
}

/** The scrub's counters agree with the objects. */
async function checkVerifiedCounts(db: Db): Promise<void> {
  const objects = await db.selectFrom('stored_object').selectAll().where('state', '=', 'LIVE').execute();
  const counts = new Map<string, { objects: number; bytes: number }>();
  for (const { tenant_id, size, verified_at, failed_at } of objects.filter(object => object.verified_at > 0)) {
    const key = `${tenant_id}:${failed_at === null ? Math.floor(verified_at / 3_600_000) : -1}`;
    const { objects = 0, bytes = 0 } = counts.get(key) ?? {};
    counts.set(key, { objects: objects + 1, bytes: bytes + size });
  }
  const noted = await db.selectFrom('stored_object_hour').selectAll().execute();
  const found = new Map(noted.map(({ tenant_id, hour, ...count }) => [`${tenant_id}:${hour}`, count]));
  expect(found, 'counters of verified objects').toEqual(counts);
}

/** An active share has one key for each of its sealed files that exists; an ended one has none. */
async function checkShares(db: Db): Promise<void> {
  const members = await db
    .selectFrom('share as s')
    .innerJoin('share_file as m', 'm.share_id', 's.id')
    .innerJoin('file as f', 'f.id', 'm.file_id')
    .select(['s.code', 's.tenant_id as share_tenant', 'f.tenant_id as file_tenant', 'f.id as file'])
    .select(eb =>
      eb.and([eb('s.status', '=', 1), eb('f.status', '=', 1), eb('f.encryption', '!=', 'NONE')]).as('opens'),
    )
    .execute();
  const envelopes = await db
    .selectFrom('envelope')
    .select(['recipient_id', 'file_id'])
    .where('recipient_type', '=', 'SHARE')
    .where('status', '=', 'ACTIVE')
    .execute();
  const opened = members.filter(member => Boolean(member.opens)).map(({ code, file }) => `${code} opens ${file}`);
  expect(envelopes.map(({ recipient_id, file_id }) => `${recipient_id} opens ${file_id}`).sort()).toEqual(
    opened.sort(),
  );
  for (const { share_tenant, file_tenant } of members)
    expect(file_tenant, 'tenant of a shared file').toBe(share_tenant);
}

/** The totals of lists are the number of existing rows. */
async function checkShareCounts(db: Db): Promise<void> {
  const shares = await db.selectFrom('share').select(['tenant_id', 'owner_id', 'status']).execute();
  const owners = shares.flatMap(({ tenant_id, owner_id, status }) =>
    [wholeTenant, owner_id].map(owner => `${tenant_id} ${owner} ${status}`),
  );
  const there = [...Map.groupBy(owners, owner => owner)].map(([owner, all]) => `${owner}: ${all.length}`);
  const counted = await db.selectFrom('share_count').selectAll().where('shares', '<>', 0).execute();
  const told = counted.map(row => `${row.tenant_id} ${row.owner_id} ${row.status}: ${row.shares}`);
  expect(told.sort(), 'shares by tenant, owner and status').toEqual(there.sort());
}

/** Every object is referenced by a row, and every live row by an object. */
async function checkListing({ db, objects }: CheckContext): Promise<void> {
  // The ledger's tiles have their own check.
  const all = (await Array.fromAsync(objects.list(''))).map(({ key }) => key).sort();
  const listed = all.filter(key => !key.startsWith('ledger/'));
  const stored = await db.selectFrom('stored_object').select(['path', 'state']).execute();
  const chunks = await db
    .selectFrom('upload_chunk as c')
    .innerJoin('upload as u', 'u.id', 'c.upload_id')
    .select(['c.storage_key', 'c.received', 'u.kind'])
    .where('u.status', 'in', ['UPLOADING', 'PAUSED', 'FINALIZING'])
    .execute();
  const backups = await db.selectFrom('audit_backup').select('object_key').execute();
  const older = await db.selectFrom('backfill_chunk').select('path').execute();
  const spokenOf = new Set([
    ...stored.map(({ path }) => path),
    ...older.map(({ path }) => path),
    ...chunks.map(chunk => chunk.storage_key),
    ...backups.map(backup => backup.object_key),
  ]);
  const trays = await db.selectFrom('short_upload_tray').select('place').execute(); // checked when they are closed
  expect(
    listed.filter(key => !spokenOf.has(key) && !trays.some(({ place }) => key.startsWith(place))),
    'objects that no row speaks of',
  ).toEqual([]);
  const there = new Set(listed);
  const expected = [
    ...stored.filter(({ state }) => state === 'LIVE').map(({ path }) => path),
    ...chunks.filter(({ received }) => received === 1).map(chunk => chunk.storage_key),
    ...backups.map(backup => backup.object_key),
  ];
  expect(
    expected.filter(key => !there.has(key)),
    'objects that are missing',
  ).toEqual([]);
}

async function checkBackground(db: Db): Promise<void> {
  const dead = await db.selectFrom('job').select(['kind', 'last_error']).where('state', '=', 'DEAD').execute();
  expect(dead, 'dead jobs').toEqual([]);
  const failed = await db.selectFrom('saga').select(['kind', 'last_error']).where('status', '=', 'FAILED').execute();
  expect(failed, 'failed sagas').toEqual([]);
}
