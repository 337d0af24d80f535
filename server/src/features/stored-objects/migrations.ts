// Table types and migrations of stored objects.
import type { Generated } from 'kysely';
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    stored_object: {
      id: NewKey;
      tenant_id: Key;
      /** Digest and length of the bytes as stored. */
      sha256: string;
      size: number;
      /** The path. Partly random, so that no path is ever reused. */
      path: string;
      /**
       * LIVE, then DELETING (the bytes are to be deleted), then GONE (deleted; checked once more, then the row is
       * deleted).
       */
      state: string;
      /** When the collector has to check it; null while it has references. */
      due_at: Time | null;
      /** When all of its bytes were last read, or the scrub first saw it; 0 until then. */
      verified_at: Generated<Time>;
      /** When the scrub last failed to read it although the store answered; null once it is read again. */
      failed_at: Time | null;
      /** The ETag of the verified bytes in an S3 store; null if unknown, or if they may have been rewritten. */
      etag: string | null;
    };
    /** How many live objects of a tenant were last read within an hour since the epoch; hour -1: could not be read. */
    stored_object_hour: { tenant_id: Key; hour: number; objects: number; bytes: number };
    object_hold: { object_id: Key; tenant_id: Key; holder: string };
  }
}

export const storedObjectMigrations: readonly Migration[] = [
  {
    name: 'V2.0.12 tables of stored objects',
    statements: t => [
      `create table stored_object (
        id ${t.key},
        tenant_id ${t.integer} not null references tenant (id),
        sha256 text not null,
        size ${t.integer} not null,
        path text not null unique,
        state text not null check (state in ('LIVE', 'DELETING', 'GONE')),
        due_at ${t.integer},
        verified_at ${t.integer} not null default 0,
        etag text,
        failed_at ${t.integer}
      ) ${t.strict}`,
      `create unique index stored_object_live on stored_object (tenant_id, sha256) where state = 'LIVE'`,
      'create index stored_object_due on stored_object (state, due_at) where due_at is not null',
      `create table object_hold (
        object_id ${t.integer} not null references stored_object (id),
        tenant_id ${t.integer} not null,
        holder text not null,
        primary key (object_id, holder)
      ) ${t.strict}`,
      'create index object_hold_holder on object_hold (tenant_id, holder)',
      `create index stored_object_walk on stored_object (tenant_id, id) where state = 'LIVE'`,
      `create index stored_object_verified on stored_object (verified_at, id)
        where state = 'LIVE' and failed_at is null`,
      `create index stored_object_failed on stored_object (failed_at, id)
        where state = 'LIVE' and failed_at is not null`,
      `create table stored_object_hour (
        tenant_id ${t.integer} not null references tenant (id),
        hour ${t.integer} not null,
        objects ${t.integer} not null,
        bytes ${t.integer} not null,
        primary key (tenant_id, hour)
      ) ${t.strict}`,
    ],
  },
];
