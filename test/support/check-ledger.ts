// Checks of a ledger and of the records in it.
import { expect } from 'vitest';
import { type FileRecords, findLog, toPublicBytes, verifyLedger } from '../../server/src/features/chain/index.ts';
import type { FileRow } from '../../server/src/features/files/index.ts';
import { openServerKeys } from '../../server/src/platform/crypto/server-keys.ts';
import type { Db } from '../../server/src/platform/db/tables.ts';
import type { ObjectStore } from '../../server/src/platform/objects/object-store.ts';

/** Every entry, hash, tile and checkpoint agrees with the others, and with the key of the server. */
export async function checkLedger(db: Db, objects: ObjectStore, keysFolder: string): Promise<void> {
  const keys = openServerKeys(keysFolder, { create: false });
  const log = await findLog(db);
  if (log === null) throw new Error('a server that has run has a ledger');
  const report = await verifyLedger({ db, objects, key: { name: log.origin, publicKey: toPublicBytes(keys.ledger) } });
  expect(report.problems, 'what does not hold in the ledger').toEqual([]);
}

export async function checkRecord(records: Pick<FileRecords, 'findRecord'>, file: FileRow): Promise<void> {
  expect(await records.findRecord(file.file_hash), `record of file ${file.id}`).toMatchObject({
    transactionHash: file.transaction_hash,
    manifestHash: file.manifest_hash,
  });
}
