// THE list: one line per feature. Routes, jobs, schedules, consumers and sagas are collected from here, and the schema
// from the migrations below.
import { accountMigrations, accounts } from './features/accounts/index.ts';
import { auditMigrations } from './features/audit/index.ts';
import { type AuthPorts, auth, authMigrations } from './features/auth/index.ts';
import type { Migration } from './platform/db/migrate.ts';
import type { Feature } from './platform/feature.ts';
import { installationMigrations } from './platform/installation.ts';
import { jobMigrations } from './platform/jobs/migrations.ts';

export type Ports = AuthPorts;

export const openFeatures = (ports: Ports): Feature[] => [auth(ports), accounts(ports)];

export const migrations: readonly Migration[] = [
  ...installationMigrations,
  ...jobMigrations,
  ...auditMigrations,
  ...accountMigrations,
  ...authMigrations,
];
