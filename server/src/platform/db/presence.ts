// That a server runs on a shared database, told to all others by two locks of one session, which end with the process
// however it ends: one says whether it bears others beside it, the other that it relies on the schema as it is.
import { sql } from 'kysely';
import type { Client } from 'pg';
import type { LogPort } from '../log-port.ts';
import type { DatabaseOptions } from './database-options.ts';
import { toLockKey } from './lock.ts';
import type { Db, Tx } from './tables.ts';

type PostgresOptions = DatabaseOptions & { kind: 'postgres' };

/** Shared by servers that agree with each other, or were told to bear others; alone for one that does neither. */
const companyLock = toLockKey('servers on this database');
const schemaLock = toLockKey('servers that rely on the schema');

/** A server that was killed is gone for PostgreSQL within moments; one that ends in order takes its time. */
const patienceMs = 5000;
const comeBackMs = 1000;
const lockNotAvailable = '55P03';

/** Another server is there, and one of the two does not bear the other. */
export class NotAlone extends Error {}

export type Presence = AsyncDisposable & {
  /** False while the connection is lost, and when another server came in between. */
  readonly isHeld: boolean;
  /**
   * From here on no step is taken that would break this server. Where no other server relies on the schema, `whenAlone`
   * runs before, and a server that starts meanwhile waits for its end.
   */
  relyOnSchema(whenAlone?: () => Promise<void>): Promise<void>;
  /** What this server holds from now on, in place of what it announced before; `countServersWithout` asks for it. */
  announce(names: readonly string[]): Promise<void>;
};

type PresenceOptions = { readonly database: PostgresOptions; readonly bearsOthers: boolean; readonly log: LogPort };

/** Throws `NotAlone`, or what PostgreSQL says. */
export async function openPresence(options: PresenceOptions): Promise<Presence> {
  const presence = new HeldPresence(options);
  await presence.hold();
  return presence;
}

/** For a transaction that changes what running servers rely on; holds until it ends. */
export async function isFreeOfServers(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`
    select pg_try_advisory_xact_lock(${schemaLock}::bigint) as free`.execute(tx);
  return rows[0]?.free === true;
}

/** How many servers run on this database, and how many of them have not announced this. */
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
  #told = new Set<string>();
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
    this.#told = new Set();
    client.once('end', () => this.#lost());
    await this.announce(this.#announced);
  }

  async announce(names: readonly string[]): Promise<void> {
    this.#announced = names;
    this.#telling = this.#telling.then(() => this.#tell());
    return this.#telling;
  }

  /** One after the other; a connection that is lost meanwhile is made again, and then all is told anew. */
  async #tell(): Promise<void> {
    const client = this.#client;
    const told = this.#told;
    if (client === undefined) return;
    try {
      for (const name of new Set(this.#announced).difference(told)) {
        await client.query('select pg_advisory_lock_shared($1)', [toLockKey(name)]);
        told.add(name);
      }
      for (const name of told.difference(new Set(this.#announced))) {
        told.delete(name);
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
    this.#options.log.warn({}, 'the connection that tells other servers of this one was lost; it is made again');
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

/** A machine that is gone without a word is noticed within half a minute, and an idle session is left alone. */
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
  client.on('error', () => {}); // its end is heard of
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

/** Waits for whoever is changing the schema. */
async function takeSchema(client: Client): Promise<void> {
  await client.query('set lock_timeout = 0');
  await client.query('select pg_advisory_lock_shared($1)', [schemaLock]);
}

/** Against everybody else; this session may take its shared lock beside it. */
async function tryTakeSchemaAlone(client: Client): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1) as taken', [schemaLock]);
  return rows[0]?.taken === true;
}

const mustBeAlone =
  'another server runs on this database, and without Redis the two cannot agree: each would count limits for itself, so that ' +
  'guessing passwords becomes cheaper with every server, one-time tokens of one would mean nothing to the other, and events ' +
  'would come seconds late. Set REDIS_URL for all of them, stop the other one, or bear that with several-servers-without-redis ' +
  '(RECORDPROOF_SEVERAL_SERVERS_WITHOUT_REDIS=true) for all of them.';

const otherIsAlone =
  'a server without Redis runs on this database and bears no other beside it; give it REDIS_URL too and start it again, or stop it.';
