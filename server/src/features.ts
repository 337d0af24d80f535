// THE list: one line per feature. Routes, jobs, schedules, consumers and sagas are collected from here, and the schema
// from the migrations below.
import type { Config } from './config.ts';
import { accountMigrations, accounts } from './features/accounts/index.ts';
import { auditMigrations } from './features/audit/index.ts';
import { auth, authMigrations, type Tokens } from './features/auth/index.ts';
import type { Platform } from './open-platform.ts';
import type { Migration } from './platform/db/migrate.ts';
import type { Feature } from './platform/feature.ts';
import type { RateLimiter } from './platform/http/rate-limit.ts';
import { installationMigrations } from './platform/installation.ts';
import { jobMigrations } from './platform/jobs/migrations.ts';
import { outboxMigrations } from './platform/outbox/migrations.ts';
import { sagaMigrations } from './platform/saga/migrations.ts';

type Doors = { readonly limiter: RateLimiter; readonly tokens: Tokens };

export function openFeatures(platform: Platform, config: Config, doors: Doors): Feature[] {
  const { database, clock, cluster, mail, keys } = platform;
  const { db } = database;
  const intervalSeconds = config.accounts.mailCodeIntervalSeconds;
  return [
    auth({ ...doors, db, database, clock, cluster, mail, pepper: keys.pepper, intervalSeconds }),
    accounts({ database, clock }),
  ];
}

export const migrations: readonly Migration[] = [
  ...installationMigrations,
  ...jobMigrations,
  ...outboxMigrations,
  ...sagaMigrations,
  ...auditMigrations,
  ...accountMigrations,
  ...authMigrations,
];
