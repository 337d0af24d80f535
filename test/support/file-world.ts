// Tenants, accounts and stored files over a real database and a real object store, without a whole server, for tests of
// the features below uploads. Files are created by the steps of an upload.
import { createHash, type KeyObject, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@recordproof/server/config/config.ts';
import {
  type AccountRow,
  createAccount,
  insertTenant,
  permissionsOf,
} from '@recordproof/server/features/accounts/index.ts';
import type { CryptoPolicies, Suites, Wrapping } from '@recordproof/server/features/crypto-policy/index.ts';
import { Downloads } from '@recordproof/server/features/downloads/download-counts.ts';
import { sealFor } from '@recordproof/server/features/envelopes/index.ts';
import { type FileRow, prepareFile } from '@recordproof/server/features/files/index.ts';
import { buildManifest } from '@recordproof/server/features/manifests/index.ts';
import type { Quota } from '@recordproof/server/features/quotas/index.ts';
import { storeFiles } from '@recordproof/server/features/stored/index.ts';
import { holdObjects } from '@recordproof/server/features/stored-objects/index.ts';
import { localOrigin } from '@recordproof/server/platform/call.ts';
import { contentSuite, newFileKey, sealChunk } from '@recordproof/server/platform/crypto/content-suite.ts';
import type { KeyProvider } from '@recordproof/server/platform/crypto/envelope.ts';
import { openLocalKeys } from '@recordproof/server/platform/crypto/local-keys.ts';
import type { Database } from '@recordproof/server/platform/db/open-db.ts';
import type { Db, Key } from '@recordproof/server/platform/db/tables.ts';
import { openHooks } from '@recordproof/server/platform/hooks.ts';
import type { Actor } from '@recordproof/server/platform/http/caller.ts';
import type { ObjectStore } from '@recordproof/server/platform/objects/object-store.ts';
import { silentLog } from '@recordproof/server/platform/telemetry/log.ts';
import type { Role } from '@recordproof/shared/api/auth.ts';
import { toBytes } from './bytes.ts';
import { type MovableClock, movableClock } from './clock.ts';
import { openDefaultPolicies } from './default-policies.ts';
import { openShared } from './object-stores.ts';
import { smallServer } from './small-server.ts';

const defaults = await readConfig([], {});

const GiB = 2 ** 30;
export const wideQuota: Quota = {
  mode: 'ENFORCE',
  userBytes: 5 * GiB,
  userFiles: 10_000,
  tenantBytes: 100 * GiB,
  tenantFiles: 500_000,
};

export type Plan = {
  readonly name?: string;
  readonly bytes: Uint8Array;
  readonly chunkSize?: number;
  readonly sealed?: boolean;
  /** The file that this one continues. */
  readonly target?: FileRow;
  readonly quota?: Quota;
};

export type FileWorld = AsyncDisposable & {
  readonly database: Database;
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly folder: string;
  readonly clock: MovableClock;
  readonly dataKeys: Map<Key, KeyObject>;
  /** Opens the keys of sealed files for their owners. */
  readonly keyProvider: KeyProvider;
  readonly keyProviders: readonly KeyProvider[];
  readonly suites: Suites;
  readonly downloads: Downloads;
  readonly cryptoPolicies: CryptoPolicies;
  tenant(name: string): Promise<Key>;
  person(tenantId: Key, name: string, role?: Role): Promise<Actor>;
  store(owner: Actor, plan: Plan): Promise<FileRow>;
};

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export async function openFileWorld(database: Database): Promise<FileWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-files-'));
  const objects = await openShared({ kind: 'disk', folder });
  const clock = movableClock();
  const dataKeys = new Map<Key, KeyObject>();
  const keyProvider = await openLocalKeys({ path: join(folder, 'master-keys.json'), createIfMissing: true });
  const { db } = database;
  const keyProviders = [keyProvider];
  const policies = openDefaultPolicies({ database, clock });
  const downloads = new Downloads({ database, clock, log: silentLog });
  const ground = { database, objects, clock, dataKeys, keyProvider, keyProviders, downloads, ...policies };
  return {
    ...ground,
    db,
    folder,
    tenant: name => db.transaction().execute(tx => insertTenant(tx, name, clock.now())),
    person: (tenantId, name, role = 'user') => addPerson(db, tenantId, name, role),
    store: (owner, plan) => bringIn(ground, owner, plan),
    [Symbol.asyncDispose]: async () => {
      await downloads.flush();
      await objects[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function addPerson(db: Db, tenantId: Key, name: string, role: Role): Promise<Actor> {
  const account = { tenantId, username: name, email: `${name}-${tenantId}@example.org`, role, passwordHash: 'none' };
  const row = await db.transaction().execute(tx => createAccount(tx, localOrigin('test', 0), account, 0));
  return toActor(row);
}

const toActor = (row: AccountRow): Actor => ({
  tenantId: row.tenant_id,
  userId: row.id,
  externalId: row.external_id,
  username: row.username,
  email: row.email,
  nickname: row.nickname,
  avatar: row.avatar,
  role: row.role,
  registeredAt: row.registered_at,
  permissions: permissionsOf(row.role),
  tokenId: `token-${row.id}`,
  authVersion: row.auth_version,
  tokenExpiresAt: 0,
  authenticatedAt: null,
});

type StoreContext = Pick<FileWorld, 'database' | 'objects' | 'clock' | 'dataKeys'> & Wrapping;
type Chunk = { index: number; plainHash: string; stored: Buffer };

async function toChunks(plan: Plan, tenantId: Key, fileKey: ReturnType<typeof newFileKey>): Promise<Chunk[]> {
  const chunkSize = plan.chunkSize ?? 4 * 1024 * 1024;
  const count = Math.ceil(plan.bytes.length / chunkSize);
  const chunks: Chunk[] = [];
  for (let index = 0; index < count; index += 1) {
    const plain = Buffer.from(plan.bytes.subarray(index * chunkSize, (index + 1) * chunkSize));
    const context = { ...fileKey, tenantId: String(tenantId), index, count };
    const stored = plan.sealed ? await toBytes(sealChunk(context, [plain])) : plain;
    chunks.push({ index, plainHash: `sha256:${sha256(plain)}`, stored });
  }
  return chunks;
}

async function bringIn(ground: StoreContext, owner: Actor, plan: Plan): Promise<FileRow> {
  const { tenantId, userId: ownerId } = owner;
  const { db } = ground.database;
  const fileKey = newFileKey();
  const chunks = await toChunks(plan, tenantId, fileKey);
  const upload = { tenantId, holder: `upload:${randomBytes(4).toString('hex')}` };
  const bytes = chunks.map(({ stored }) => ({ sha256: sha256(stored), size: stored.length }));
  const held = await db.transaction().execute(tx => holdObjects(tx, upload, bytes));
  for (const [index, { stored }] of chunks.entries()) await ground.objects.put(held[index]?.path ?? '', [stored]);

  const fileHash = randomBytes(32).toString('hex');
  const encryption = plan.sealed ? contentSuite : 'NONE';
  const manifest = buildManifest({
    fileHash,
    chunkSize: plan.chunkSize ?? 4 * 1024 * 1024,
    totalSize: plan.bytes.length,
    storageBackend: 'DISK',
    encryptionAlgorithm: encryption,
    chunks: chunks.map(({ index, plainHash }) => ({
      index,
      plainHash,
      cipherHash: `sha256:${held[index]?.sha256}`,
      storagePath: held[index]?.path ?? '',
    })),
  });
  const newFile = {
    tenantId,
    ownerId,
    fileHash,
    contentHash: `sha256:${sha256(plan.bytes)}`,
    fileName: plan.name ?? 'file.bin',
    fileSize: plan.bytes.length,
    contentType: 'application/octet-stream',
    encryption,
    fileNonce: plan.sealed ? Buffer.from(fileKey.fileNonce).toString('hex') : null,
    createdBy: upload.holder,
  };
  const prepared = await db.transaction().execute(tx => prepareFile(tx, newFile, ground.clock.now()));
  const subject = {
    tenantId,
    fileId: prepared.id,
    fileHash,
    recipientType: 'OWNER',
    recipientId: String(ownerId),
  } as const;
  const stored = {
    file: prepared,
    manifest,
    transactionHash: '0xabc',
    target: plan.target ?? null,
    envelope: plan.sealed ? await sealFor(ground, fileKey, subject) : null,
    heldBy: upload.holder,
    call: { ...localOrigin('test', 0), actor: owner },
    audit: { module: 'tests', operation: 'store', description: 'a file stored' },
  };
  const server = smallServer({
    ...ground,
    log: silentLog,
    config: { ...defaults, quota: plan.quota ?? wideQuota },
    hooks: openHooks([]),
  });
  await db.transaction().execute(tx => storeFiles(server, tx, [stored]));
  const file = await db.selectFrom('file').selectAll().where('id', '=', prepared.id).executeTakeFirstOrThrow();
  ground.dataKeys.set(file.id, fileKey.dataKey);
  return file;
}
