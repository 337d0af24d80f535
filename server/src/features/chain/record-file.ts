// Puts file records on the embedded ledger: each entry carries the hash of the one before, nothing is ever changed, and
// a subject has one entry, so that an uncertain write is settled by asking.
import { createHash } from 'node:crypto';
import { canonicalJson } from '@recordproof/shared/evidence/canonical-json.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/tables.ts';

type Ports = { readonly db: Db; readonly clock: Clock };

export type FileEvidence = {
  /** Random and unique: makes two records of the same bytes different. */
  readonly subject: string;
  readonly contentHash: string;
  readonly fileSize: number;
};

export type ChainRecord = { readonly fileHash: string; readonly transactionHash: string; readonly blockNumber: number };

const kind = 'file';

const toPayload = ({ subject, contentHash, fileSize }: FileEvidence): string =>
  canonicalJson({ schema: 'recordproof.file-record.v1', subject, contentHash, fileSize });

const sha256 = (...parts: readonly (string | Buffer)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

/** The id of the record, known before it is written. */
export const toFileHash = (evidence: FileEvidence): string => sha256('recordproof file record\n', toPayload(evidence));

export async function findFileRecord(db: Db, subject: string): Promise<Omit<ChainRecord, 'fileHash'> | null> {
  const row = await db
    .selectFrom('ledger_entry')
    .select(['position', 'entry_hash'])
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .executeTakeFirst();
  return row ? { transactionHash: `0x${row.entry_hash}`, blockNumber: row.position } : null;
}

/** Durable when it resolves; asked again for the same subject it answers with the same record. */
export async function recordFile({ db, clock }: Ports, evidence: FileEvidence): Promise<ChainRecord> {
  const fileHash = toFileHash(evidence);
  const record = await db.transaction().execute(async tx => {
    const head = await lockHead(tx);
    const entry = { kind, subject: evidence.subject, payload: toPayload(evidence) };
    return (await findFileRecord(tx, evidence.subject)) ?? (await appendEntry(tx, head, entry, clock.now()));
  });
  return { fileHash, ...record };
}

type Head = { readonly length: number; readonly entry_hash: string };

/** An update that changes nothing holds the row on both databases until the transaction ends. */
export const lockHead = (tx: Tx): Promise<Head> =>
  tx
    .updateTable('ledger_head')
    .set(eb => ({ length: eb.ref('length') }))
    .returning(['length', 'entry_hash'])
    .executeTakeFirstOrThrow();

export type NewEntry = { readonly kind: string; readonly subject: string; readonly payload: string };

export async function appendEntry(tx: Tx, head: Head, { kind, subject, payload }: NewEntry, now: number) {
  const leafHash = sha256(Buffer.of(0), payload);
  const entryHash = sha256(Buffer.of(1), Buffer.from(head.entry_hash, 'hex'), Buffer.from(leafHash, 'hex'));
  await tx
    .insertInto('ledger_entry')
    .values({
      position: head.length,
      kind,
      subject,
      payload,
      leaf_hash: leafHash,
      previous_hash: head.entry_hash,
      entry_hash: entryHash,
      recorded_at: now,
    })
    .execute();
  await tx
    .updateTable('ledger_head')
    .set({ length: head.length + 1, entry_hash: entryHash })
    .execute();
  return { transactionHash: `0x${entryHash}`, blockNumber: head.length };
}
