// File records on a chain: the record id of a file and the hash of its chunk manifest. A record id has one record
// permanently, so an uncertain write is resolved by a query.
import { createHash } from 'node:crypto';
import { canonicalJson } from '@recordproof/shared/evidence/canonical-json.ts';
import { toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { type NewLedgerEntry, parseLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import type { Db, Tx } from '../../platform/db/tables.ts';
import { ChainError } from './chain-port.ts';
import { checkLeafHash } from './ledger/entry-tiles.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { EntryRow } from './ledger/packed-entry.ts';
import { listEntriesAbout } from './ledger/queries.ts';

export type FileEvidence = {
  /** Random and unique, so that two records of the same bytes differ. */
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
  /** The final record under this record id; null if there is none. Throws ChainError. */
  findRecord(fileHash: string): Promise<ChainRecord | null>;

  /**
   * Resolves when the record is final; idempotent for the same record. Does not wait long: after a ChainError other
   * than REFUSED the record may be pending, so call again. Never returns an existing record with another manifest.
   */
  recordFile(record: RecordToWrite): Promise<ChainRecord>;

  /** Records in the same database as the files; absent if the chain is elsewhere. */
  readonly within?: RecordsWithin;
};

/** Records written with the caller's transaction. */
export type RecordsWithin = {
  /**
   * Durable with the commit, which throws ChainError if the ledger holds conflicting records. Their hashes are known
   * only at the end of the transaction: `recorded` gets them, in order, and writes the rows that refer to them.
   */
  write(
    tx: Tx,
    records: readonly RecordToWrite[],
    recorded: (transactionHashes: readonly string[]) => Promise<void>,
  ): Promise<void>;
  /** Call after the commit. */
  written(): void;
};

/** The record id, known before the record is written. */
export function toFileHash({ subject, contentHash, fileSize }: FileEvidence): string {
  const payload = canonicalJson({ schema: 'recordproof.file-record.v1', subject, contentHash, fileSize });
  return createHash('sha256').update(`recordproof file record\n${payload}`).digest('hex');
}

const toEntry = ({ fileHash: recordId, manifestHash }: RecordToWrite): NewLedgerEntry => ({
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

/** New records go to the contract; records from before it was configured stay on the ledger. */
export const openContractRecords = (contract: FileRecords, ledger: Pick<Ledger, 'db'>): FileRecords => ({
  findRecord: async fileHash => (await findLedgerRecord(ledger.db, fileHash)) ?? (await contract.findRecord(fileHash)),
  recordFile: async record => {
    const earlier = await findLedgerRecord(ledger.db, record.fileHash);
    return earlier === null ? contract.recordFile(record) : sameAs(record, earlier);
  },
});

export function sameAs({ fileHash, manifestHash }: RecordToWrite, found: ChainRecord): ChainRecord {
  if (found.manifestHash === manifestHash) return found;
  throw new ChainError('REFUSED', `the chain has a different manifest for the record id ${fileHash}`);
}

/** Throws LedgerDamaged if the entry does not match its hash. */
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
