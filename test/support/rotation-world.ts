// Many envelopes under master key 1 where 2 is current, and a run that is to move them: without a whole server.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { migrations } from '@recordproof/server/compose/features.ts';
import { createAccount, insertTenant } from '@recordproof/server/features/accounts/index.ts';
import {
  type EnvelopeSubject,
  type SealedEnvelope,
  storeEnvelopes,
} from '@recordproof/server/features/envelopes/index.ts';
import { toBinding } from '@recordproof/server/features/envelopes/seal-envelope.ts';
import { insertFiles } from '@recordproof/server/features/files/queries.ts';
import { type PolicyChange, writePolicy } from '@recordproof/server/features/key-rotation/queries.ts';
import { startRotation } from '@recordproof/server/features/key-rotation/rotations.ts';
import { localCall, localOrigin } from '@recordproof/server/platform/call.ts';
import { type Clock, systemClock } from '@recordproof/server/platform/clock.ts';
import { contentSuite, type FileKey, newFileKey } from '@recordproof/server/platform/crypto/content-suite.ts';
import { type KeyProvider, sealEnvelope } from '@recordproof/server/platform/crypto/envelope.ts';
import { masterKeyFile, openLocalKeys } from '@recordproof/server/platform/crypto/local-keys.ts';
import { noKem, unsignedEnvelope } from '@recordproof/server/platform/crypto/suite-catalogue.ts';
import { migrate } from '@recordproof/server/platform/db/migrate.ts';
import type { Database } from '@recordproof/server/platform/db/open-db.ts';
import type { Key } from '@recordproof/server/platform/db/tables.ts';

const rowsAtOnce = 500;

type RotationPlan = {
  readonly folder: string;
  readonly envelopes: number;
  /** Every tenth envelope is for one of as many shares; none when left out. */
  readonly shares?: number;
  readonly policy?: Partial<PolicyChange>;
  /** The clock with which the run is planned; a default when left out. */
  readonly clock?: Clock;
};

export type PlannedRotation = { readonly keyFile: string; readonly tenantId: Key; readonly runId: Key };

export const toShare = (number: number): string => `share-${number}`;

/** The maximum pace and more: the run is limited by its own speed. */
export const unthrottled = 1_000_000_000;

export async function planRotation(database: Database, plan: RotationPlan): Promise<PlannedRotation> {
  const { db, kind } = database;
  await migrate(db, kind, migrations, 0);
  const keyFile = join(plan.folder, masterKeyFile);
  const keys = await openLocalKeys({ path: keyFile, createIfMissing: true });
  const owner = await addOwner(database);
  for (let first = 0; first < plan.envelopes; first += rowsAtOnce)
    await addSealedFiles(database, keys, owner, { ...plan, first });
  const keyVersion = await keys.addVersion();
  const policy = { ...defaults, provider: keys.id, provider_contract: keys.contract, provider_key_version: keyVersion };
  const { tenantId } = owner;
  await db.transaction().execute(tx => writePolicy(tx, tenantId, { ...policy, ...plan.policy }));
  const input = { mode: 'APPLY', requestId: 'planned' } as const;
  const run = await startRotation(
    { database, clock: plan.clock ?? systemClock },
    localCall('rotation', tenantId, 0),
    input,
  );
  return { keyFile, tenantId, runId: run.id };
}

const defaults = {
  logical_key_version: 2,
  batch_size: 500,
  max_items_per_minute: unthrottled,
  max_attempts: 5,
  initial_backoff_seconds: 5,
  max_backoff_seconds: 300,
  lease_seconds: 120,
  grace_period_seconds: 0,
  schedule_interval_seconds: null,
  next_run_at: null,
  acknowledged_run_id: null,
  acknowledged_at: null,
  updated_at: 0,
} as const;

type Owner = { readonly tenantId: Key; readonly ownerId: Key };

const addOwner = ({ db }: Database): Promise<Owner> =>
  db.transaction().execute(async tx => {
    const name = `rotating-${randomBytes(8).toString('hex')}`;
    const tenantId = await insertTenant(tx, name, 0);
    const account = { tenantId, username: name, email: `${name}@example.org`, role: 'user' } as const;
    const { id } = await createAccount(tx, localOrigin('rotation', 0), { ...account, passwordHash: 'none' }, 0);
    return { tenantId, ownerId: id };
  });

async function seal(
  keys: KeyProvider,
  { dataKey, fileNonce }: FileKey,
  subject: EnvelopeSubject,
): Promise<SealedEnvelope> {
  const envelope = await sealEnvelope(keys, dataKey, toBinding(subject, fileNonce));
  return { ...envelope, signatureSuite: unsignedEnvelope, kemSuite: noKem, subject };
}

type Slice = Pick<RotationPlan, 'envelopes' | 'shares'> & { readonly first: number };

async function addSealedFiles({ db }: Database, keys: KeyProvider, owner: Owner, slice: Slice): Promise<void> {
  const count = Math.min(rowsAtOnce, slice.envelopes - slice.first);
  const fileKeys = Array.from({ length: count }, newFileKey);
  const planned = fileKeys.map(({ fileNonce }) => ({
    ...owner,
    fileHash: randomBytes(32).toString('hex'),
    contentHash: `sha256:${randomBytes(32).toString('hex')}`,
    fileName: 'file.bin',
    fileSize: 10,
    contentType: 'application/octet-stream',
    encryption: contentSuite,
    fileNonce: Buffer.from(fileNonce).toString('hex'),
    createdBy: `rotation:${randomBytes(16).toString('hex')}`,
  }));
  const files = await db.transaction().execute(tx => insertFiles(tx, planned, 0));
  const ids = new Map(files.map(file => [file.file_hash, file.id]));
  const { tenantId, ownerId } = owner;
  const recipientOf = (index: number): Pick<EnvelopeSubject, 'recipientType' | 'recipientId'> =>
    slice.shares !== undefined && index % 10 === 0
      ? { recipientType: 'SHARE', recipientId: toShare((index / 10) % slice.shares) }
      : { recipientType: 'OWNER', recipientId: String(ownerId) };
  const sealed = await Promise.all(
    planned.map(({ fileHash }, index) =>
      seal(keys, fileKeys[index] as FileKey, {
        ...recipientOf(slice.first + index),
        tenantId,
        fileId: ids.get(fileHash) as Key,
        fileHash,
      }),
    ),
  );
  await db.transaction().execute(tx => storeEnvelopes(tx, sealed, 0));
}
