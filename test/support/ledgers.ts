// A ledger on a database and a folder, opened as a server does it, here or in another process.
import { createPrivateKey, createSecretKey, generateKeyPairSync } from 'node:crypto';
import { findNewestCheckpoint, type Ledger, openLedger } from '@recordproof/server/features/chain/index.ts';
import type { Clock } from '@recordproof/server/platform/clock.ts';
import { systemClock } from '@recordproof/server/platform/clock.ts';
import type { Db } from '@recordproof/server/platform/db/tables.ts';
import { openDiskStore } from '@recordproof/server/platform/objects/disk-store.ts';
import type { ObjectStore } from '@recordproof/server/platform/objects/object-store.ts';
import { silentLog } from '@recordproof/server/platform/telemetry/log.ts';

export const openTestStore = (folder: string): Promise<ObjectStore> =>
  openDiskStore({ folder, presign: { baseUrl: 'http://127.0.0.1', secret: createSecretKey(Buffer.alloc(32)) } });

/** A private key as text, for another process. */
export const newLedgerKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

export const openTestLedger = (
  db: Db,
  objects: ObjectStore,
  key: string,
  clock: Clock = systemClock,
): Promise<Ledger> =>
  openLedger({ db, objects, clock, log: silentLog, privateKey: createPrivateKey(key), name: 'test.example/log' });

/** A unique entry. */
export const fileRecord = (number: number) => {
  const hex = number.toString(16).padStart(64, '0');
  return { kind: 'FILE_RECORD', recordId: hex, manifestHash: `sha256:${hex}` } as const;
};

export const batchRoot = (number: number) =>
  ({
    kind: 'BATCH_ROOT',
    batchNo: `MB-${number}`,
    merkleRoot: number.toString(16).padStart(64, '0'),
    treeSize: 1,
  }) as const;

/** The newest checkpoint as it was signed. */
export async function readCheckpointNote({ db }: Pick<Ledger, 'db'>): Promise<string> {
  const checkpoint = await findNewestCheckpoint(db);
  if (checkpoint === null) throw new Error('an opened ledger has a checkpoint');
  return checkpoint.note;
}
