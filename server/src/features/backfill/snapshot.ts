// The digest of a snapshot: SHA-256 over one line per item, ordered by record id.
import { createHash } from 'node:crypto';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { toDigest } from '@recordproof/shared/evidence/digest.ts';
import type { Db } from '../../platform/db/tables.ts';
import { type EvidenceRow, listEvidence, type RunRow } from './item-queries.ts';

const rowsAtOnce = 1000;

export async function digestSnapshot(db: Db, run: RunRow): Promise<string> {
  const hash = createHash('sha256');
  for (let after = ''; ; ) {
    const rows = await listEvidence(db, run, after, rowsAtOnce);
    for (const row of rows) hash.update(toLine(row));
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtOnce) return toDigest(hash.digest());
    after = last.file_hash;
    await othersTurn(); // yields: SQLite answers synchronously, and hundreds of pages would block the event loop
  }
}

const toLine = ({ file_hash, classification, reason, evidence_digest }: EvidenceRow): string =>
  `${file_hash} ${classification ?? '-'} ${reason ?? '-'} ${evidence_digest ?? '-'}\n`;
