// The items of a finished run as the certificate has the digest of: line by line, a page of rows at a time.
import { setImmediate as othersTurn } from 'node:timers/promises';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type RotationItem, rotationItemLine } from '@recordproof/shared/evidence/rotation-item.ts';
import { toIso } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { type EvidenceRow, listEvidence } from './certificate-queries.ts';
import type { RunRow } from './queries.ts';

const rowsAtOnce = 1000;

/** Items of a run change no more once it is COMPLETED, and the envelopes that they were about keep the names of their keys. */
export async function* readItems(db: Db, run: RunRow): AsyncGenerator<readonly RotationItem[]> {
  for (let after = 0; ; ) {
    const rows = await listEvidence(db, run, { after, limit: rowsAtOnce });
    yield rows.map(row => toItem(run, row));
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtOnce) return;
    after = last.envelope_id;
    await othersTurn(); // the embedded database answers at once, and hundreds of pages would be one long stop
  }
}

function toItem(run: RunRow, row: EvidenceRow): RotationItem {
  const target = { provider: run.provider, contract: run.provider_contract, keyVersion: run.provider_key_version };
  const { outcome } = row;
  const common = {
    itemId: toWireId(row.id),
    recordId: row.file_hash,
    recipientType: row.recipient_type as RotationItem['recipientType'],
    endedAt: toIso(row.updated_at),
    before: { provider: row.provider, contract: row.provider_contract, keyVersion: row.provider_key_version },
  };
  if (outcome === 'SUCCEEDED' || outcome === 'SKIPPED_ALREADY_TARGET') return { ...common, outcome, after: target };
  if (outcome === 'SKIPPED_REVOKED' || outcome === 'SKIPPED_SOURCE_CHANGED') return { ...common, outcome };
  throw new Error(`item ${row.id} of a completed run has the outcome ${outcome}`);
}

/** Throws at once where there is no such evidence. */
export function exportItems(db: Db, run: RunRow): AsyncIterable<Uint8Array> {
  refuseUnfinished(run);
  return writeLines(db, run);
}

async function* writeLines(db: Db, run: RunRow): AsyncGenerator<Uint8Array> {
  for await (const items of readItems(db, run)) yield Buffer.concat(items.map(rotationItemLine));
}

export function refuseUnfinished(run: RunRow): void {
  if (run.mode !== 'APPLY' || run.status !== 'COMPLETED')
    throw new ApiError('RUN_STATE_CONFLICT', 'only an APPLY run that is COMPLETED has a certificate');
}
