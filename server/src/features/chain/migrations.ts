// Table types and migrations of the ledger and chains.
import type { Generated } from 'kysely';
import type { Migration } from '../../platform/db/migrate.ts';
import type { EntryKind } from './chain-port.ts';

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
    name: 'V2.0.10 tables of the ledger and chains',
    statements: t => [
      `create table ledger_log (
        id ${t.integer} primary key check (id = 1),
        origin text not null,
        public_key text not null,
        size ${t.integer} not null check (size >= 0),
        published_size ${t.integer} not null check (published_size between 0 and size),
        recorded_until ${t.integer} not null default 0,
        writer_beat ${t.integer} not null default 0,
        writer_nonce text,
        fenced_at ${t.integer}
      ) ${t.strict}`,
      `create table ledger_entry (
        position ${t.integer} primary key,
        kind text not null,
        subject text not null,
        recorded_at ${t.integer} not null,
        packed ${t.bytes} not null default ${t.emptyBytes},
        leaf_hash ${t.bytes} not null default ${t.emptyBytes},
        unique (kind, subject)
      ) ${t.strict}`,
      `create table ledger_checkpoint (
        size ${t.integer} primary key,
        root text not null,
        note text not null,
        published_at ${t.integer} not null,
        is_kept ${t.integer} not null default 0 check (is_kept in (0, 1))
      ) ${t.strict}`,
      `create table evm_transaction (
        id ${t.key},
        chain_id text not null,
        contract text not null,
        sender text not null,
        nonce ${t.integer} not null,
        subject text not null,
        raw text not null,
        hash text not null,
        state text not null check (state in ('SENT', 'SETTLED', 'FAILED')),
        signed_at ${t.integer} not null,
        kind text not null default 'BATCH_ROOT'
      ) ${t.strict}`,
      `create unique index evm_transaction_live on evm_transaction (chain_id, sender, nonce) where state = 'SENT'`,
      'create index evm_transaction_subject on evm_transaction (kind, subject)',
    ],
  },
];
