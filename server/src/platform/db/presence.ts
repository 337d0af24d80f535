// Presence of a server on a shared database: two advisory locks of one session, which end with the process however it
// ends. One says whether the server tolerates others, the other that it relies on the current schema.

import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Client } from 'pg';
import type { LogPort } from '../log-port.ts';
import type { DatabaseOptions } from './database-options.ts';
import { toLockKey } from './lock.ts';
import { keepAlive } from './postgres.ts';
import type { Db, Tx } from './tables.ts';

type PostgresOptions = DatabaseOptions & { kind: 'postgres' };

/** Taken in shared mode by servers that tolerate others, exclusively by one that does not. */
const serverLock = toLockKey('servers on this database');
const schemaLock = toLockKey('servers that rely on the schema');

/** PostgreSQL notices a killed server at once; an orderly shutdown takes longer. */
const lockTimeoutMs = 5000;
const reconnectDelayMs = 1000;
const lockNotAvailable = '55P03';

/** Another server runs, and one of the two does not tolerate the other. */
export class OtherServerRunning extends Error {}

export type Presence = AsyncDisposable & {
  /** False while the connection is lost, or if another server has taken the lock since. */
  readonly isHeld: boolean;
  /**
   * Blocks all migrations that would break this server. If no other server relies on the schema, `whenAlone` runs
   * first, and a server that starts meanwhile waits for it.
   */
  relyOnSchema(whenAlone?: () => Promise<void>): Promise<void>;
  /** Replaces the names that this server announces; `countServersWithout` counts them. */
  announce(names: readonly string[]): Promise<void>;
};

type PresenceOptions = { readonly database: PostgresOptions; readonly allowsOthers: boolean; readonly log: LogPort };

/** Throws `OtherServerRunning`, or PostgreSQL's error. */
export async function openPresence(options: PresenceOptions): Promise<Presence> {
  const presence = new PostgresPresence(options);
  await presence.acquire();
  return presence;
}

/** For transactions that change what running servers rely on; holds until their end. */
export async function isFreeOfServers(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`
    select pg_try_advisory_xact_lock(${schemaLock}::bigint) as free`.execute(tx);
  return rows[0]?.free === true;
}

/** Number of servers on this database, and how many have not announced this name. */
export async function countServersWithout(db: Db, name: string): Promise<{ servers: number; without: number }> {
  const holdersOf = (key: string) => sql`
    select pid from pg_locks where locktype = 'advisory' and granted and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())
    and ((classid::bigint << 32) | objid::bigint) = ${key}::bigint`;
  const { rows } = await sql<{ servers: number; without: number }>`
    select count(*) as servers, count(*) filter (where pid not in (${holdersOf(toLockKey(name))})) as without
    from (${holdersOf(serverLock)}) as server`.execute(db);
  return rows[0] ?? { servers: 0, without: 0 };
}

/** Connections of a killed server may remain for a short time. */
const longestGoneMs = 10_000;
const pollMs = 200;

/** Whether other servers are connected. Only for programs with a single connection so far. */
export async function hasOtherServers(db: Db): Promise<boolean> {
  for (const until = performance.now() + longestGoneMs; ; await sleep(pollMs)) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and application_name = current_setting('application_name')`.execute(db);
    if (rows[0]?.count === 0) return false;
    if (performance.now() > until) return true;
  }
}

class PostgresPresence implements Presence {
  readonly #options: PresenceOptions;
  #client: Client | undefined;
  #reliesOnSchema = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  #reconnecting: Promise<void> = Promise.resolve();
  #announced: readonly string[] = [];
  #reported = new Set<string>();
  #announcing: Promise<void> = Promise.resolve();

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  get isHeld(): boolean {
    return this.#client !== undefined;
  }

  async acquire(): Promise<void> {
    const client = await connect(this.#options.database);
    try {
      await acquireServerLock(client, this.#options.allowsOthers);
      if (this.#reliesOnSchema) await acquireSchemaLock(client);
    } catch (error) {
      await client.end();
      throw error;
    }
    this.#client = client;
    this.#reported = new Set();
    client.once('end', () => this.#lost());
    await this.announce(this.#announced);
  }

  async announce(names: readonly string[]): Promise<void> {
    this.#announced = names;
    this.#announcing = this.#announcing.then(() => this.#sendAnnouncements());
    return this.#announcing;
  }

  /** Runs one at a time; after a reconnection everything is announced again. */
  async #sendAnnouncements(): Promise<void> {
    const client = this.#client;
    const reported = this.#reported;
    if (client === undefined) return;
    try {
      for (const name of new Set(this.#announced).difference(reported)) {
        await client.query('select pg_advisory_lock_shared($1)', [toLockKey(name)]);
        reported.add(name);
      }
      for (const name of reported.difference(new Set(this.#announced))) {
        reported.delete(name);
        await client.query('select pg_advisory_unlock_shared($1)', [toLockKey(name)]);
      }
    } catch (error) {
      if (this.#client === client) throw error;
    }
  }

  async relyOnSchema(whenAlone?: () => Promise<void>): Promise<void> {
    this.#reliesOnSchema = true;
    const client = this.#client;
    if (!client) return;
    const isAlone = whenAlone !== undefined && (await tryAcquireSchemaLock(client));
    if (isAlone) await whenAlone();
    await acquireSchemaLock(client);
    if (isAlone) await client.query('select pg_advisory_unlock($1)', [schemaLock]);
  }

  #lost(): void {
    this.#client = undefined;
    if (this.#isClosed) return;
    this.#options.log.warn({}, 'lost the connection that announces this server to others; reconnecting');
    this.#reconnect();
  }

  #reconnect(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#reconnecting = this.acquire().catch((error: unknown) => {
        if (error instanceof OtherServerRunning) this.#options.log.warn({}, error.message);
        this.#reconnect();
      });
    }, reconnectDelayMs).unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#reconnecting;
    await this.#announcing.catch(() => {});
    await this.#client?.end();
  }
}

/** Notices a dead machine within half a minute, and keeps idle sessions open. */
const sessionSettings = {
  lock_timeout: `${lockTimeoutMs}`,
  idle_session_timeout: '0',
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '4',
};

async function connect({ url }: PostgresOptions): Promise<Client> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: url.reveal(),
    connectionTimeoutMillis: 10_000,
    ...keepAlive,
    application_name: 'recordproof-presence',
  });
  client.on('error', () => {}); // handled by the `end` listener
  await client.connect();
  try {
    const names = Object.keys(sessionSettings);
    const set = names.map((_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, false)`);
    await client.query(`select ${set.join(', ')}`, Object.entries(sessionSettings).flat());
  } catch (error) {
    await client.end();
    throw error;
  }
  return client;
}

async function acquireServerLock(client: Client, allowsOthers: boolean): Promise<void> {
  try {
    await client.query(`select pg_advisory_lock${allowsOthers ? '_shared' : ''}($1)`, [serverLock]);
  } catch (error) {
    if (Object(error).code !== lockNotAvailable) throw error;
    throw new OtherServerRunning(allowsOthers ? otherIsAlone : mustBeAlone);
  }
}

/** Waits for a running migration. */
async function acquireSchemaLock(client: Client): Promise<void> {
  await client.query('set lock_timeout = 0');
  await client.query('select pg_advisory_lock_shared($1)', [schemaLock]);
}

/** Exclusive against other sessions; this one may also take the lock in shared mode. */
async function tryAcquireSchemaLock(client: Client): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1) as taken', [schemaLock]);
  return rows[0]?.taken === true;
}

const mustBeAlone =
  'another server runs on this database, and without Redis they share no state: each counts rate limits alone, so that ' +
  'more servers allow more password guesses, rejects one-time tokens of the others, and delivers events ' +
  'seconds late. Set REDIS_URL on all servers, stop the other one, or accept this with several-servers-without-redis ' +
  '(RECORDPROOF_SEVERAL_SERVERS_WITHOUT_REDIS=true) on all servers.';

const otherIsAlone =
  'a server without Redis runs on this database and must be the only one; set REDIS_URL on it and restart it, or stop it.';
