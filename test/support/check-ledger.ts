import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { findFileRecord } from '../../server/src/features/chain/index.ts';
import type { FileRow } from '../../server/src/features/files/index.ts';
import type { Db } from '../../server/src/platform/db/tables.ts';

const leafHashOf = (entry: string): string => createHash('sha256').update(Buffer.of(0)).update(entry).digest('hex');

/** Every entry stands at its position under the hash of what it says, and the log is as long as it says. */
export async function checkLedger(db: Db): Promise<void> {
  const entries = await db.selectFrom('ledger_entry').selectAll().orderBy('position').execute();
  for (const [position, entry] of entries.entries()) {
    expect(entry, `ledger entry ${position}`).toMatchObject({ position, leaf_hash: leafHashOf(entry.entry) });
  }
  const log = await db.selectFrom('ledger_log').selectAll().executeTakeFirstOrThrow();
  expect(log.size, 'length of the ledger').toBe(entries.length);
  expect(log.published_size).toBeLessThanOrEqual(log.size);
}

export async function checkRecord(db: Db, file: FileRow): Promise<void> {
  expect(await findFileRecord(db, file.file_hash), `ledger entry of file ${file.id}`).toMatchObject({
    transactionHash: file.transaction_hash,
    manifestHash: file.manifest_hash,
  });
}
