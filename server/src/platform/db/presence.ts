// Presence of a server on a shared database: two advisory locks of one session, which end with the process however it
// ends. One says whether the server tolerates others, the other that it relies on the current schema.
import { sql } from 'kysely';
import type { Client } from 'pg';
import type { LogPort } from '../log-port.ts';
import type { DatabaseOptions } from './database-options.ts';
import { toLockKey } from './lock.ts';
import type { Db, Tx } from './tables.ts';

type PostgresOptions = DatabaseOptions & { kind: 'postgres' };

/** Taken in shared mode by servers that tolerate others, exclusively by one that does not. */
const companyLock = toLockKey('servers on this database');
const schemaLock = toLockKey('servers that rely on the schema');

/** PostgreSQL notices a killed server at once; an orderly shutdown takes longer. */
const patienceMs = 5000;
const comeBackMs = 1000;
const lockNotAvailable = '55P03';

/** Another server runs, and one of the two does not tolerate the other. */
export class NotAlone extends Error {}

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

type PresenceOptions = { readonly database: PostgresOptions; readonly bearsOthers: boolean; readonly log: LogPort };

/** Throws `NotAlone`, or PostgreSQL's error. */
export async function openPresence(options: PresenceOptions): Promise<Presence> {
  const presence = new HeldPresence(options);
  await presence.hold();
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
    from (${holdersOf(companyLock)}) as server`.execute(db);
  return rows[0] ?? { servers: 0, without: 0 };
}

class HeldPresence implements Presence {
  readonly #options: PresenceOptions;
  #client: Client | undefined;
  #reliesOnSchema = false;
  #isClosed = false;
  #again: NodeJS.Timeout | undefined;
  #coming: Promise<void> = Promise.resolve();
  #announced: readonly string[] = [];
  #reported = new Set<string>();
  #telling: Promise<void> = Promise.resolve();

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  get isHeld(): boolean {
    return this.#client !== undefined;
  }

  async hold(): Promise<void> {
    const client = await connect(this.#options.database);
    try {
      await takeCompany(client, this.#options.bearsOthers);
      if (this.#reliesOnSchema) await takeSchema(client);
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
    this.#telling = this.#telling.then(() => this.#tell());
    return this.#telling;
  }

  /** Runs one at a time; after a reconnection everything is announced again. */
  async #tell(): Promise<void> {
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
    const isAlone = whenAlone !== undefined && (await tryTakeSchemaAlone(client));
    if (isAlone) await whenAlone();
    await takeSchema(client);
    if (isAlone) await client.query('select pg_advisory_unlock($1)', [schemaLock]);
  }

  #lost(): void {
    this.#client = undefined;
    if (this.#isClosed) return;
    this.#options.log.warn({}, 'lost the connection that announces this server to others; reconnecting');
    this.#comeBack();
  }

  #comeBack(): void {
    if (this.#isClosed) return;
    this.#again = setTimeout(() => {
      this.#coming = this.hold().catch((error: unknown) => {
        if (error instanceof NotAlone) this.#options.log.warn({}, error.message);
        this.#comeBack();
      });
    }, comeBackMs).unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#again);
    await this.#coming;
    await this.#telling.catch(() => {});
    await this.#client?.end();
  }
}

/** Notices a dead machine within half a minute, and keeps idle sessions open. */
const sessionSettings = {
  lock_timeout: `${patienceMs}`,
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
    keepAlive: true,
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

async function takeCompany(client: Client, bearsOthers: boolean): Promise<void> {
  try {
    await client.query(`select pg_advisory_lock${bearsOthers ? '_shared' : ''}($1)`, [companyLock]);
  } catch (error) {
    if (Object(error).code !== lockNotAvailable) throw error;
    throw new NotAlone(bearsOthers ? otherIsAlone : mustBeAlone);
  }
}

/** Waits for a running migration. */
async function takeSchema(client: Client): Promise<void> {
  await client.query('set lock_timeout = 0');
  await client.query('select pg_advisory_lock_shared($1)', [schemaLock]);
}

/** Exclusive against other sessions; this one may also take the lock in shared mode. */
async function tryTakeSchemaAlone(client: Client): Promise<boolean> {
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
