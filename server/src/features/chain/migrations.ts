import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** The embedded ledger: append-only, each entry linked to the one before by its hash. */
    ledger_entry: {
      /** Position, from 0, without gaps. */
      position: number;
      kind: string;
      /** What the entry is about; one entry per kind and subject, so that an uncertain write can be settled by asking. */
      subject: string;
      payload: string;
      leaf_hash: string;
      previous_hash: string;
      entry_hash: string;
      recorded_at: Time;
    };
    ledger_head: { id: number; length: number; entry_hash: string };
  }
}

export const chainMigrations: readonly Migration[] = [
  {
    name: 'V1.2.2 embedded ledger',
    statements: t => [
      `create table ledger_entry (
        position ${t.integer} primary key,
        kind text not null,
        subject text not null,
        payload text not null,
        leaf_hash text not null,
        previous_hash text not null,
        entry_hash text not null unique,
        recorded_at ${t.integer} not null,
        unique (kind, subject)
      ) ${t.strict}`,
      `create table ledger_head (id ${t.integer} primary key check (id = 1), length ${t.integer} not null, entry_hash text not null) ${t.strict}`,
      `insert into ledger_head (id, length, entry_hash) values (1, 0, '${'0'.repeat(64)}')`,
    ],
  },
];
