// Table types and migrations of the ledger and chains.
import type { Generated } from 'kysely';
import type { Migration } from '../../platform/db/migrate.ts';
import { bytesOfHex, emptyBytes } from '../../platform/db/pack-column.ts';
import { packAllEntries } from './ledger/packed-entry.ts';
import type { EntryKind } from './new-entry.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** One row: the log that this database holds, and its state. */
    ledger_log: {
      id: number;
      origin: string;
      /** 64 hex digits. */
      public_key: string;
      /** Committed entries. */
      size: number;
      /** Entries covered by a signed checkpoint; never more than `size`, never decreasing. */
      published_size: number;
      /** No entry is dated before it, except for a small clock skew. */
      recorded_until: Time;
      /** Grows while servers run; also in the object store (writer-fence.ts). */
      writer_beat: number;
      writer_nonce: string | null;
      /** When another database was found to have taken over. */
      fenced_at: Time | null;
    };
    /** Append-only. */
    ledger_entry: {
      /** From 0, without gaps. */
      position: number;
      kind: EntryKind;
      /** The subject; one entry per kind and subject, so an uncertain write is resolved by a query. */
      subject: string;
      /** The canonical JSON of docs/spec/ledger.md section 2 (ledger/packed-entry.ts). */
      packed: Buffer;
      leaf_hash: Buffer;
      recorded_at: Time;
    };
    /**
     * Published checkpoints. The last of each minute is kept, and each with `is_kept` = 1: witnesses were asked to
     * cosign it.
     */
    ledger_checkpoint: { size: number; root: string; note: string; published_at: Time; is_kept: Generated<number> };
    /** Transactions to the anchor contract, stored before they are sent: sending one again is harmless. */
    evm_transaction: {
      id: NewKey;
      chain_id: string;
      contract: string;
      sender: string;
      nonce: number;
      kind: EntryKind;
      subject: string;
      /** Signed. */
      raw: string;
      hash: string;
      /** SENT, SETTLED, or FAILED: rejected, or its nonce was used by another. */
      state: string;
      signed_at: Time;
    };
  }
}

export const chainMigrations: readonly Migration[] = [
  {
    name: 'V1.2.2 ledger and anchor contract',
    statements: t => [
      `create table ledger_log (
        id ${t.integer} primary key check (id = 1),
        origin text not null,
        public_key text not null,
        size ${t.integer} not null check (size >= 0),
        published_size ${t.integer} not null check (published_size between 0 and size)
      ) ${t.strict}`,
      `create table ledger_entry (
        position ${t.integer} primary key,
        kind text not null,
        subject text not null,
        entry text not null,
        leaf_hash text not null,
        recorded_at ${t.integer} not null,
        unique (kind, subject)
      ) ${t.strict}`,
      `create table ledger_checkpoint (
        size ${t.integer} primary key,
        root text not null,
        note text not null,
        published_at ${t.integer} not null
      ) ${t.strict}`,
      `create table evm_transaction (
        id ${t.key},
        chain_id text not null,
        contract text not null,
        sender text not null,
        nonce ${t.integer} not null,
        batch_no text not null,
        raw text not null,
        hash text not null,
        state text not null check (state in ('SENT', 'SETTLED', 'FAILED')),
        signed_at ${t.integer} not null
      ) ${t.strict}`,
      `create unique index evm_transaction_live on evm_transaction (chain_id, sender, nonce) where state = 'SENT'`,
    ],
  },
  {
    name: 'V1.5.2 file records on the anchor contract',
    statements: () => [
      'alter table evm_transaction rename column batch_no to subject',
      `alter table evm_transaction add column kind text not null default 'BATCH_ROOT'`,
      'create index evm_transaction_subject on evm_transaction (kind, subject)',
    ],
  },
  {
    name: 'V1.39.60 time of the newest ledger entry',
    statements: t => [
      `alter table ledger_log add column recorded_until ${t.integer} not null default 0`,
      `update ledger_log set recorded_until = coalesce(
        (select recorded_at from ledger_entry where position = ledger_log.size - 1), 0)`,
    ],
  },
  {
    name: 'V1.40.20 checkpoints that are kept',
    statements: t => [
      `alter table ledger_checkpoint add column is_kept ${t.integer} not null default 0 check (is_kept in (0, 1))`,
    ],
  },
  {
    name: 'V1.41.1 writer of the ledger',
    statements: t => [
      `alter table ledger_log add column writer_beat ${t.integer} not null default 0`,
      'alter table ledger_log add column writer_nonce text',
      `alter table ledger_log add column fenced_at ${t.integer}`,
    ],
  },
  {
    name: 'V1.48.2 packed ledger entries',
    statements: t => [
      `alter table ledger_entry add column packed ${t.bytes} not null default ${emptyBytes[t.engine]}`,
      `alter table ledger_entry add column leaf ${t.bytes} not null default ${emptyBytes[t.engine]}`,
      `update ledger_entry set leaf = ${bytesOfHex(t.engine, 'leaf_hash')}`,
    ],
    convert: packAllEntries,
  },
  {
    name: 'V1.48.3 no ledger entries as text',
    statements: () => [
      'alter table ledger_entry drop column entry',
      'alter table ledger_entry drop column leaf_hash',
      'alter table ledger_entry rename column leaf to leaf_hash',
    ],
  },
];
