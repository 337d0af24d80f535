// File records on a chain: the record id of a file and the hash of its chunk manifest. A record id has one record for
// ever, so that an uncertain write is settled by asking.
import { createHash } from 'node:crypto';
import { canonicalJson } from '@recordproof/shared/evidence/canonical-json.ts';
import { toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { parseLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import type { Db, Tx } from '../../platform/db/tables.ts';
import { ChainError } from './chain-port.ts';
import { checkLeafHash } from './ledger/entry-tiles.ts';
import type { Ledger } from './ledger/ledger.ts';
import { type EntryRow, listEntriesAbout } from './ledger/queries.ts';
import type { NewFileRecord } from './new-entry.ts';

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

  /** Where records stand in the database of the files themselves; absent where the chain is elsewhere. */
  readonly within?: RecordsWithin;
};

/** Records that are written with the caller's transaction. */
export type RecordsWithin = {
  /**
   * They are there with the commit, which throws ChainError where the ledger holds others. Their transactions are known at
   * its end only: `recorded` gets their hashes, in order, and writes what names them.
   */
  write(
    tx: Tx,
    records: readonly RecordToWrite[],
    recorded: (transactionHashes: readonly string[]) => Promise<void>,
  ): Promise<void>;
  /** Call it after the commit. */
  written(): void;
};

/** The id of the record, known before it is written. */
export function toFileHash({ subject, contentHash, fileSize }: FileEvidence): string {
  const payload = canonicalJson({ schema: 'recordproof.file-record.v1', subject, contentHash, fileSize });
  return createHash('sha256').update(`recordproof file record\n${payload}`).digest('hex');
}

const toEntry = ({ fileHash: recordId, manifestHash }: RecordToWrite): NewFileRecord => ({
  kind: 'FILE_RECORD',
  recordId,
  manifestHash,
});

type Records = Pick<Ledger, 'append' | 'db' | 'recordWithin' | 'publishSoon'>;

export const openLedgerRecords = (ledger: Records): FileRecords => ({
  findRecord: fileHash => findLedgerRecord(ledger.db, fileHash),
  recordFile: async record => sameAs(record, toChainRecord(await ledger.append(toEntry(record)))),
  within: {
    write: (tx, records, recorded) =>
      ledger.recordWithin(tx, records.map(toEntry), rows => recorded(rows.map(toTransactionHash))),
    written: () => ledger.publishSoon(),
  },
});

const toTransactionHash = ({ leaf_hash }: Pick<EntryRow, 'leaf_hash'>): string => `0x${leaf_hash}`;

/** New records go to the contract; those of before it was told so stay where they are. */
export const openContractRecords = (contract: FileRecords, ledger: Pick<Ledger, 'db'>): FileRecords => ({
  findRecord: async fileHash => (await findLedgerRecord(ledger.db, fileHash)) ?? (await contract.findRecord(fileHash)),
  recordFile: async record => {
    const earlier = await findLedgerRecord(ledger.db, record.fileHash);
    return earlier === null ? contract.recordFile(record) : sameAs(record, earlier);
  },
});

export function sameAs({ fileHash, manifestHash }: RecordToWrite, found: ChainRecord): ChainRecord {
  if (found.manifestHash === manifestHash) return found;
  throw new ChainError('REFUSED', `the chain holds another manifest under the record id ${fileHash}`);
}

/** Throws LedgerDamaged where the entry is not what was appended. */
export async function findLedgerRecord(db: Db, fileHash: string): Promise<ChainRecord | null> {
  const [row] = await listEntriesAbout(db, 'FILE_RECORD', [fileHash]);
  if (!row) return null;
  checkLeafHash(row);
  return toChainRecord(row);
}

function toChainRecord(row: EntryRow): ChainRecord {
  const entry = parseLedgerEntry(toUtf8(row.entry));
  if (entry.kind !== 'FILE_RECORD') throw new Error(`entry ${row.position} of the ledger is no file record`);
  const { recordId: fileHash, manifestHash } = entry;
  return { fileHash, manifestHash, transactionHash: toTransactionHash(row), blockNumber: row.position };
}
