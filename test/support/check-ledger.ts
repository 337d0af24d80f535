import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Db } from '../../server/src/platform/db/tables.ts';

const sha256 = (...parts: readonly (string | Buffer)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

/** Every entry is the hash of what it says and of the one before it; the head is the last of them. */
export async function checkLedger(db: Db): Promise<void> {
  let previous = '0'.repeat(64);
  const entries = await db.selectFrom('ledger_entry').selectAll().orderBy('position').execute();
  for (const [position, entry] of entries.entries()) {
    const leaf = sha256(Buffer.of(0), entry.payload);
    const hash = sha256(Buffer.of(1), Buffer.from(previous, 'hex'), Buffer.from(leaf, 'hex'));
    expect(entry, `ledger entry ${position}`).toMatchObject({
      position,
      leaf_hash: leaf,
      previous_hash: previous,
      entry_hash: hash,
    });
    previous = hash;
  }
  const head = await db.selectFrom('ledger_head').selectAll().executeTakeFirstOrThrow();
  expect(head, 'head of the ledger').toMatchObject({ length: entries.length, entry_hash: previous });
}
