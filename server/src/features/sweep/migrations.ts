// Table types and migrations of census and sweep.
import type {
  CensusPhase,
  CensusState,
  MarkReason,
  MarkState,
  UnknownHoldReason,
} from '@recordproof/shared/api/sweep.ts';
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** One walk over all references and all objects; also stores its progress. */
    sweep_census: {
      id: NewKey;
      tenant_id: Key;
      state: CensusState;
      phase: CensusPhase;
      /** The last processed file, stored object or key of the phase. */
      position: string;
      /** Over everything found so far; final once the census is completed. */
      digest: string;
      known_references: number;
      unknown_holds: number;
      objects: number;
      unreferenced: number;
      unreferenced_bytes: number;
      foreign_objects: number;
      created_at: Time;
      /** Time of the last progress. */
      moved_at: Time;
      completed_at: Time | null;
    };
    /** Paths that manifests name without a reference to the object. */
    sweep_reference: { census_id: Key; path: string };
    sweep_unknown_hold: { id: NewKey; census_id: Key; file_id: Key; reason: UnknownHoldReason };
    sweep_candidate: {
      id: NewKey;
      census_id: Key;
      path: string;
      size: number;
      sha256: string;
      modified_at: Time;
    };
    sweep_mark: {
      id: NewKey;
      tenant_id: Key;
      /** The census it was marked after; only a later one permits deletion. */
      census_id: Key;
      state: MarkState;
      reason: MarkReason | null;
      path: string;
      sha256: string;
      size: number;
      attempts: number;
      created_at: Time;
      protected_until: Time;
      /** MARKED: the next check, or the end of the lease of the current one. */
      due_at: Time | null;
      fence: number;
      ended_at: Time | null;
    };
  }
}

export const sweepMigrations: readonly Migration[] = [
  {
    name: 'V2.0.31 tables of the sweep',
    statements: t => [
      `create table sweep_census (
        id ${t.key},
        tenant_id ${t.integer} not null,
        state text not null check (state in ('RUNNING', 'COMPLETED', 'FAILED')),
        phase text not null check (phase in ('FILES', 'REFERENCES', 'OBJECTS', 'DONE')),
        position text not null,
        digest text not null,
        known_references ${t.integer} not null,
        unknown_holds ${t.integer} not null,
        objects ${t.integer} not null,
        unreferenced ${t.integer} not null,
        unreferenced_bytes ${t.integer} not null,
        foreign_objects ${t.integer} not null,
        created_at ${t.integer} not null,
        moved_at ${t.integer} not null,
        completed_at ${t.integer}
      ) ${t.strict}`,
      `create unique index sweep_census_running on sweep_census (tenant_id) where state = 'RUNNING'`,
      'create index sweep_census_newest on sweep_census (tenant_id, id)',
      `create table sweep_reference (
        census_id ${t.integer} not null references sweep_census (id) on delete cascade,
        path text not null,
        primary key (census_id, path)
      ) ${t.strict}`,
      `create table sweep_unknown_hold (
        id ${t.key},
        census_id ${t.integer} not null references sweep_census (id) on delete cascade,
        file_id ${t.integer} not null,
        reason text not null check (reason in ('MANIFEST_MISSING', 'MANIFEST_UNREADABLE')),
        unique (census_id, file_id)
      ) ${t.strict}`,
      `create table sweep_candidate (
        id ${t.key},
        census_id ${t.integer} not null references sweep_census (id) on delete cascade,
        path text not null,
        size ${t.integer} not null,
        sha256 text not null,
        modified_at ${t.integer} not null,
        unique (census_id, path)
      ) ${t.strict}`,
      `create table sweep_mark (
        id ${t.key},
        tenant_id ${t.integer} not null,
        census_id ${t.integer} not null,
        state text not null check (state in ('MARKED', 'DELETED', 'RETAINED', 'FAILED')),
        reason text,
        path text not null,
        sha256 text not null,
        size ${t.integer} not null,
        attempts ${t.integer} not null,
        created_at ${t.integer} not null,
        protected_until ${t.integer} not null,
        due_at ${t.integer},
        fence ${t.integer} not null,
        ended_at ${t.integer}
      ) ${t.strict}`,
      `create unique index sweep_mark_open on sweep_mark (tenant_id, path) where state = 'MARKED'`,
      `create index sweep_mark_due on sweep_mark (tenant_id, due_at) where state = 'MARKED'`,
      'create index sweep_mark_list on sweep_mark (tenant_id, state, id)',
    ],
  },
];
