// The composition root: the only place that says what is made of what. Opens everything in order and closes it in
// reverse: no new requests, then the running ones, then the jobs, then what they stand on.
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Config } from './config.ts';
import { localOrigin } from './features/audit/index.ts';
import { ensureConfiguredAdmin, ensureDefaultTenant, openAuthenticate, openTokens, renewSetupCode } from './features/auth/index.ts';
import { migrations, openFeatures } from './features.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { openCluster } from './platform/cluster/open-cluster.ts';
import { openServerKeys } from './platform/crypto/server-keys.ts';
import { migrate } from './platform/db/migrate.ts';
import { type Database, openDatabase } from './platform/db/open-db.ts';
import { buildHttp } from './platform/http/http-server.ts';
import { openRateLimiter } from './platform/http/rate-limit.ts';
import { checkInstallation, holdFolder } from './platform/installation.ts';
import { openWorker } from './platform/jobs/worker.ts';
import { openMail } from './platform/mail/open-mail.ts';
import { type Log, openLog } from './platform/telemetry/log.ts';

/** What tests replace at the door. */
export type Overrides = { readonly clock?: Clock; readonly log?: Log };

export type App = AsyncDisposable & {
  /** Where it listens, with the port that was really taken. */
  readonly url: string;
  /** For making the first administrator; null when there is one. */
  readonly setupCode: string | null;
  readonly database: Database;
  /** Runs every job, event and schedule that is due, to the end. */
  drain(): Promise<void>;
};
