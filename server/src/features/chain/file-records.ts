// File records on a chain: the record id of a file and the hash of its chunk manifest. A record id has one record for
// ever, so that an uncertain write is settled by asking.
import { createHash } from 'node:crypto';
import { canonicalJson } from '@recordproof/shared/evidence/canonical-json.ts';
import { toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { parseLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import type { Db } from '../../platform/db/tables.ts';
import { ChainError } from './chain-port.ts';
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

export type RecordToWrite = Pick<ChainRecord, 'fileHash' | 'manifestHash'>;

export type FileRecords = {
  /** What stands there for good under this record id; null when nothing does. Throws ChainError. */
  findRecord(fileHash: string): Promise<ChainRecord | null>;

  /**
   * There for good when it resolves; asked again for the same record it answers with the same one. Does not wait long: a
   * ChainError that is not REFUSED means that it may be on its way, so ask again. A record that is there with another
   * manifest is never answered as if it were this one.
   */
  recordFile(record: RecordToWrite): Promise<ChainRecord>;
};

/** The id of the record, known before it is written. */
export function toFileHash({ subject, contentHash, fileSize }: FileEvidence): string {
  const payload = canonicalJson({ schema: 'recordproof.file-record.v1', subject, contentHash, fileSize });
  return createHash('sha256').update(`recordproof file record\n${payload}`).digest('hex');
}

export const openLedgerRecords = (ledger: Pick<Ledger, 'append' | 'db'>): FileRecords => ({
  findRecord: fileHash => findOnLedger(ledger.db, fileHash),
  recordFile: async record => {
    const entry = { kind: 'FILE_RECORD', recordId: record.fileHash, manifestHash: record.manifestHash } as const;
    return sameAs(record, toChainRecord(await ledger.append(entry)));
  },
});

/** New records go to the contract; those of before it was told so stay where they are. */
export const openContractRecords = (contract: FileRecords, ledger: Pick<Ledger, 'db'>): FileRecords => ({
  findRecord: async fileHash => (await findOnLedger(ledger.db, fileHash)) ?? (await contract.findRecord(fileHash)),
  recordFile: async record => {
    const earlier = await findOnLedger(ledger.db, record.fileHash);
    return earlier === null ? contract.recordFile(record) : sameAs(record, earlier);
  },
});

export function sameAs({ fileHash, manifestHash }: RecordToWrite, found: ChainRecord): ChainRecord {
  if (found.manifestHash === manifestHash) return found;
  throw new ChainError('REFUSED', `the chain holds another manifest under the record id ${fileHash}`);
}

async function findOnLedger(db: Db, fileHash: string): Promise<ChainRecord | null> {
  const [row] = await listEntriesAbout(db, 'FILE_RECORD', [fileHash]);
  return row ? toChainRecord(row) : null;
}

function toChainRecord(row: EntryRow): ChainRecord {
  const entry = parseLedgerEntry(toUtf8(row.entry));
  if (entry.kind !== 'FILE_RECORD') throw new Error(`entry ${row.position} of the ledger is no file record`);
  const { recordId: fileHash, manifestHash } = entry;
  return { fileHash, manifestHash, transactionHash: `0x${row.leaf_hash}`, blockNumber: row.position };
}
