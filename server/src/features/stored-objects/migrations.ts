import type { Generated } from 'kysely';
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    stored_object: {
      id: NewKey;
      tenant_id: Key;
      /** Digest and length of the bytes as they lie in the store. */
      sha256: string;
      size: number;
      /** Where they lie. Random in part, so that no path is ever used a second time. */
      path: string;
      /** LIVE, then DELETING (the bytes must go), then GONE (they went; looked after once more, then forgotten). */
      state: string;
      /** When the collector has to look at it; null while somebody holds it. */
      due_at: Time | null;
      /** When all of its bytes were last read, or the scrub first saw it; 0 until then. */
      verified_at: Generated<Time>;
      /** That of the verified bytes in an S3 store; null where it is not known, or they may have been written anew. */
      etag: string | null;
    };
    object_hold: { object_id: Key; tenant_id: Key; holder: string };
  }
}

export const storedObjectMigrations: readonly Migration[] = [
  {
    name: 'V1.2.4 stored objects',
    statements: t => [
      `create table stored_object (
        id ${t.key},
        tenant_id ${t.integer} not null references tenant (id),
        sha256 text not null,
        size ${t.integer} not null,
        path text not null unique,
        state text not null check (state in ('LIVE', 'DELETING', 'GONE')),
        due_at ${t.integer}
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
    ],
  },
  {
    name: 'V1.24.11 walks over the objects of a tenant',
    statements: () => [`create index stored_object_walk on stored_object (tenant_id, id) where state = 'LIVE'`],
  },
  {
    name: 'V1.41.30 when stored objects were last verified',
    statements: t => [
      `alter table stored_object add column verified_at ${t.integer} not null default 0`,
      'alter table stored_object add column etag text',
      `create index stored_object_verified on stored_object (verified_at, id) where state = 'LIVE'`,
    ],
  },
];
