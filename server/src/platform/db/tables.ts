// The database's type. Every feature adds its own tables by declaration merging, beside its migrations:
//   declare module '…/platform/db/tables.ts' { interface Tables { ticket: TicketTable } }
import type { Generated, Kysely, Transaction } from 'kysely';

// biome-ignore lint/suspicious/noEmptyInterface: filled by the features
export interface Tables {}

/** A database id: handed out by the database, always positive, always exact in a JavaScript number. */
export type Key = number;
export type NewKey = Generated<Key>;

/** Milliseconds since the epoch. */
export type Time = number;

export type Tx = Transaction<Tables>;
/** What queries take: inside a transaction that transaction, elsewhere the database. */
export type Db = Kysely<Tables>;
