// File records on the embedded ledger: the record id of a file and the hash of its chunk manifest. A record id has one
// entry for ever, so that an uncertain write is settled by asking.
import { createHash } from 'node:crypto';
import { canonicalJson } from '@recordproof/shared/evidence/canonical-json.ts';
import { toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { parseLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Ledger } from './ledger/ledger.ts';
import { type EntryRow, listEntriesAbout } from './ledger/queries.ts';

export type FileEvidence = {
  /** Random and unique: makes two records of the same bytes different. */
  readonly subject: string;
  readonly contentHash: string;
  readonly fileSize: number;
};

export type ChainRecord = {
  /** The record id. */
  readonly fileHash: string;
  readonly manifestHash: string;
  readonly transactionHash: string;
  readonly blockNumber: number;
};

/** The id of the record, known before it is written. */
export function toFileHash({ subject, contentHash, fileSize }: FileEvidence): string {
  const payload = canonicalJson({ schema: 'recordproof.file-record.v1', subject, contentHash, fileSize });
  return createHash('sha256').update(`recordproof file record\n${payload}`).digest('hex');
}

export async function findFileRecord(db: Db, fileHash: string): Promise<ChainRecord | null> {
  const [row] = await listEntriesAbout(db, 'FILE_RECORD', [fileHash]);
  return row ? toChainRecord(row) : null;
}

/**
 * Durable when it resolves; asked again for the same record it answers with the same entry. A record that is there with
 * another manifest is never answered as if it were this one.
 */
export async function recordFile(
  ledger: Pick<Ledger, 'append'>,
  { fileHash, manifestHash }: Pick<ChainRecord, 'fileHash' | 'manifestHash'>,
): Promise<ChainRecord> {
  const record = toChainRecord(await ledger.append({ kind: 'FILE_RECORD', recordId: fileHash, manifestHash }));
  if (record.manifestHash !== manifestHash)
    throw new Error(`the ledger holds another manifest under the record id ${fileHash}`);
  return record;
}

function toChainRecord(row: EntryRow): ChainRecord {
  const entry = parseLedgerEntry(toUtf8(row.entry));
  if (entry.kind !== 'FILE_RECORD') throw new Error(`entry ${row.position} of the ledger is no file record`);
  const { recordId: fileHash, manifestHash } = entry;
  return { fileHash, manifestHash, transactionHash: `0x${row.leaf_hash}`, blockNumber: row.position };
}
