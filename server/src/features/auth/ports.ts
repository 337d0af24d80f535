import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Cluster } from '../../platform/cluster/cluster.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { RateLimiter } from '../../platform/http/rate-limit.ts';
import type { Mail } from '../../platform/mail/mail.ts';
import type { Tokens } from './tokens.ts';

export type AuthPorts = {
  readonly db: Db;
  readonly database: Database;
  readonly clock: Clock;
  readonly cluster: Pick<Cluster, 'putOnce'>;
  /** Where calls are counted, also while the cluster is away. */
  readonly counters: Pick<Cluster, 'hit'>;
  readonly limiter: RateLimiter;
  readonly tokens: Tokens;
  readonly pepper: KeyObject;
  readonly mail: Mail;
  readonly intervalSeconds: number;
};
