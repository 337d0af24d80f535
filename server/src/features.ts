// THE list: one line per feature. Routes, jobs, schedules, consumers and sagas are collected from here, and the schema
// from the migrations below.
import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { accountMigrations, accounts } from './features/accounts/index.ts';
import { announcementMigrations, announcements } from './features/announcements/index.ts';
import { attestation, attestationMigrations } from './features/attestation/index.ts';
import { auditMigrations } from './features/audit/index.ts';
import { auth, authMigrations, type Tokens } from './features/auth/index.ts';
import { type Chains, chain, chainMigrations } from './features/chain/index.ts';
import { type CopyPorts, copies, copyMigrations } from './features/copies/index.ts';
import { envelopeMigrations, openFileKey } from './features/envelopes/index.ts';
import { type EventHub, eventMigrations, events } from './features/events/index.ts';
import {
  type ContentPorts,
  type FilePorts,
  type FileRow,
  fileMigrations,
  files,
  type Recipient,
} from './features/files/index.ts';
import {
  confirmFriendShare,
  endSharesBetween,
  friendShareMigrations,
  friendShares,
  listGivenFileIds,
} from './features/friend-shares/index.ts';
import { friendMigrations, friends } from './features/friends/index.ts';
import { imageMigrations, images } from './features/images/index.ts';
import { findActiveManifestJson, manifestMigrations, manifests } from './features/manifests/index.ts';
import { messageMigrations, messages } from './features/messages/index.ts';
import { proofMigrations, proofs, supersedeOlder } from './features/proofs/index.ts';
import { confirmShared, listSharedFileIds, type SharePorts, shareMigrations, shares } from './features/shares/index.ts';
import { sharePages } from './features/site/index.ts';
import { storedObjectMigrations, storedObjects } from './features/stored-objects/index.ts';
import { ticketMigrations, tickets } from './features/tickets/index.ts';
import { openTellProgress, type UploadPorts, uploadMigrations, uploads } from './features/uploads/index.ts';
import { versionMigrations, versions } from './features/versions/index.ts';
import type { Platform } from './open-platform.ts';
import type { Clock } from './platform/clock.ts';
import type { KeyProvider } from './platform/crypto/envelope.ts';
import type { Migration } from './platform/db/migrate.ts';
import type { Db } from './platform/db/tables.ts';
import type { Feature } from './platform/feature.ts';
import type { RateLimiter } from './platform/http/rate-limit.ts';
import { installationMigrations } from './platform/installation.ts';
import { jobMigrations } from './platform/jobs/migrations.ts';
import { lockMigrations } from './platform/lock.ts';
import { outboxMigrations } from './platform/outbox/migrations.ts';
import { sagaMigrations } from './platform/saga/migrations.ts';
import { version } from './version.ts';

export type RunSaga = UploadPorts['runSaga'];

type Doors = {
  readonly limiter: RateLimiter;
  readonly tokens: Tokens;
  readonly runSaga: RunSaga;
  /** Where users reach this server; known once it listens. */
  readonly baseUrl: () => string;
};

type Ground = { readonly chains: Chains; readonly hub: EventHub };

export function openFeatures(platform: Platform, config: Config, doors: Doors, { chains, hub }: Ground): Feature[] {
  const { database, clock, log, cluster, limits: counters, mail, metrics } = platform;
  const { keys, keyProvider, objects, contents } = platform;
  const { db } = database;
  const { limits, quota } = { limits: config.uploads, quota: config.quota };
  const spoolFolder = join(config.dataFolder, 'spool');
  const { retentionDays } = config.files;
  const content = toContentPorts(platform);
  const copying = toCopyPorts(platform, config, doors, chains);
  const guarding = { cluster: counters.shared, grantKey: keys.transfer };
  const sharing: SharePorts = { ...content, ...guarding, database, keyProvider, copies: copying };
  const intervalSeconds = config.accounts.mailCodeIntervalSeconds;
  return [
    auth({
      ...doors,
      db,
      database,
      clock,
      cluster,
      counters: counters.shared,
      mail,
      pepper: keys.pepper,
      intervalSeconds,
    }),
    accounts({ database, clock }),
    events({ db, clock, hub }),
    storedObjects({ database, objects, clock }),
    files({ ...content, database, quota, retentionDays, countSharedFiles: countSharedFilesAt(clock) }),
    versions({ db }),
    manifests({ db }),
    images({ database, objects, clock }),
    friends({ database, clock, endSharesBetween: endSharesBetween(database.kind) }),
    messages({ database, clock }),
    copies(copying),
    chain(chains),
    uploads({
      ...doors,
      database,
      records: chains.records,
      clock,
      log,
      objects,
      contents,
      keys,
      keyProvider,
      quota,
      limits,
      tellProgress: openTellProgress(hub.tellNow, clock),
      spoolFolder,
      supersedeOlder,
    }),
    tickets({ database, clock }),
    announcements({ database, clock }),
    shares(sharing),
    sharePages({ ...sharing, baseUrl: doors.baseUrl, version }),
    friendShares({ ...content, database, keyProvider, copies: copying }),
    attestation({ database, clock, log, chain: chains.chain, metrics, limits: config.attestation }),
    proofs({ database, clock, log, metrics, attestation: config.attestation, keysFolder: config.keysFolder }),
  ];
}

/** How stored bytes are read, whoever may read them. */
const toContentPorts = ({ database, clock, log, objects, keyProvider }: Platform): ContentPorts => ({
  db: database.db,
  clock,
  log,
  objects,
  findManifest: (tx, file) => findActiveManifestJson(tx, file.tenant_id, file.id),
  openDataKey: (tx, file, recipient) => openKeyOf(tx, keyProvider, file, recipient),
});

/** How files are copied from one account to another, and who answers for each way of giving them. */
const toCopyPorts = (
  { database, clock, log, keyProvider }: Platform,
  { quota }: Config,
  { runSaga }: Doors,
  chains: Chains,
): CopyPorts => ({
  database,
  clock,
  log,
  records: chains.records,
  keyProvider,
  quota,
  runSaga,
  confirmGift: { SHARE: confirmShared({ clock }), FRIEND_SHARE: confirmFriendShare({ database }) },
});

/** A file that is reached in several ways counts once. */
const countSharedFilesAt =
  (clock: Clock): FilePorts['countSharedFiles'] =>
  async (db, owner) => {
    const [byLink, byFriends] = [await listSharedFileIds(db, owner, clock.now()), await listGivenFileIds(db, owner)];
    return new Set([...byLink, ...byFriends]).size;
  };

async function openKeyOf(db: Db, provider: KeyProvider, file: FileRow, { type, id }: Recipient): Promise<KeyObject> {
  const { tenant_id: tenantId, id: fileId, file_hash: fileHash, file_nonce } = file;
  const subject = { tenantId, fileId, fileHash, recipientType: type, recipientId: id };
  return (await openFileKey(db, [provider], subject, Buffer.from(file_nonce ?? '', 'hex'))).dataKey;
}

export const migrations: readonly Migration[] = [
  ...installationMigrations,
  ...jobMigrations,
  ...outboxMigrations,
  ...sagaMigrations,
  ...auditMigrations,
  ...accountMigrations,
  ...authMigrations,
  ...lockMigrations,
  ...fileMigrations,
  ...versionMigrations,
  ...storedObjectMigrations,
  ...manifestMigrations,
  ...envelopeMigrations,
  ...chainMigrations,
  ...uploadMigrations,
  ...imageMigrations,
  ...attestationMigrations,
  ...proofMigrations,
  ...eventMigrations,
  ...ticketMigrations,
  ...announcementMigrations,
  ...friendMigrations,
  ...messageMigrations,
  ...friendShareMigrations,
  ...copyMigrations,
  ...shareMigrations,
];
