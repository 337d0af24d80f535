// The items of a completed run, as lines; the certificate contains their digest.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type RotationItem, rotationItemLine } from '@recordproof/shared/evidence/rotation-item.ts';
import { toIso } from '../../platform/clock.ts';
import type { Db, Key, Tables } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { readPages } from '../runs/index.ts';
import type { ItemRow } from './item-queries.ts';
import type { RunRow } from './queries.ts';

type Envelope = Tables['envelope'];
type EvidenceRow = Pick<ItemRow, 'id' | 'envelope_id' | 'recipient_type' | 'outcome' | 'updated_at'> &
  Pick<Envelope, 'file_hash' | 'provider' | 'provider_contract' | 'provider_key_version'>;

/** Items with their envelopes, ordered by envelope. */
const listEvidence = (db: Db, run: RunRow, after: Key, limit: number): Promise<EvidenceRow[]> =>
  db
    .selectFrom('key_rotation_item as i')
    .innerJoin('envelope as e', 'e.id', 'i.envelope_id')
    .select(['i.id', 'i.envelope_id', 'i.recipient_type', 'i.outcome', 'i.updated_at'])
    .select(['e.file_hash', 'e.provider', 'e.provider_contract', 'e.provider_key_version'])
    .where('i.tenant_id', '=', run.tenant_id)
    .where('i.run_id', '=', run.id)
    .where('i.envelope_id', '>', after)
    .orderBy('i.envelope_id')
    .limit(limit)
    .execute();

/** Items of a COMPLETED run do not change, and their envelopes keep their key names. */
export async function* readItems(db: Db, run: RunRow): AsyncGenerator<readonly RotationItem[]> {
  for await (const rows of readPages<EvidenceRow>((last, limit) =>
    listEvidence(db, run, last?.envelope_id ?? 0, limit),
  ))
    yield rows.map(row => toItem(run, row));
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

/** Throws immediately if the run has no certificate. */
export function exportItems(db: Db, run: RunRow): AsyncIterable<Uint8Array> {
  assertCompleted(run);
  return writeLines(db, run);
}

async function* writeLines(db: Db, run: RunRow): AsyncGenerator<Uint8Array> {
  for await (const items of readItems(db, run)) yield Buffer.concat(items.map(rotationItemLine));
}

export function assertCompleted(run: RunRow): void {
  if (run.mode !== 'APPLY' || run.status !== 'COMPLETED')
    throw new ApiError(
      'RUN_STATE_CONFLICT',
      `run ${run.id} is ${run.mode} and ${run.status}: only an APPLY run that is COMPLETED has a certificate`,
    );
}
