// Table types and migrations of the health watch. Its rows are installation-wide: none belongs to a tenant.
import type { Migration } from '../../platform/db/migrate.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** Event counts of the objectives, over all servers. */
    monitor_minute: { goal: string; minute: number; good: number; bad: number };
    /** Per condition, the state last seen and the state last reported. */
    monitor_condition: { name: string; seen: string; told: string; told_at: Time };
    /** The last mail to a tenant's administrators: the states that were not normal, as JSON. */
    monitor_mail: { tenant_id: Key; states: string; mailed_at: Time };
  }
}

export const monitorMigrations: readonly Migration[] = [
  {
    name: 'V2.0.30 tables of the monitor',
    statements: types => [
      `create table monitor_minute (
        goal text not null,
        minute ${types.integer} not null,
        good ${types.integer} not null,
        bad ${types.integer} not null,
        primary key (goal, minute)
      ) ${types.strict}`,
      `create table monitor_condition (
        name text primary key,
        seen text not null,
        told text not null,
        told_at ${types.integer} not null
      ) ${types.strict}`,
      `create table monitor_mail (
        tenant_id ${types.integer} primary key references tenant (id),
        states text not null,
        mailed_at ${types.integer} not null
      ) ${types.strict}`,
    ],
  },
];
