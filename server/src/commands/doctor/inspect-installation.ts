// Checks of an existing installation: database and its settings, keys, ledger. Read-only.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { clockSkewMs } from '@recordproof/shared/evidence/ledger-entry.ts';
import { sql } from 'kysely';
import type { Schema } from '../../compose/open-schema.ts';
import type { Config } from '../../config/config.ts';
import {
  findClockProblem,
  findLog,
  findNewestCheckpoint,
  findTimeSteps,
  isSignedByLedger,
} from '../../features/chain/index.ts';
import { hasEnvelopes } from '../../features/envelopes/index.ts';
import { openLocalSigningKeys } from '../../features/proofs/index.ts';
import { systemClock, toIso } from '../../platform/clock.ts';
import { masterKeyFile, openLocalKeys } from '../../platform/crypto/local-keys.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Db } from '../../platform/db/tables.ts';
import { type Finding, failure, ok, warning } from './finding.ts';

const mostSkewMs = 2000;

export async function inspectDatabase({ kind, db }: Database, { db: options }: Config): Promise<Finding[]> {
  if (kind === 'sqlite' || options.kind === 'sqlite') return [ok('database', 'SQLite, up to date with this program')];
  const settings = await readPostgresSettings(db);
  const findings: Finding[] = requiredSettings.flatMap(({ name, is, found, remedy, status }) =>
    is(settings[name] ?? '') ? [] : [{ about: 'database', status, found: found(settings[name] ?? ''), remedy }],
  );
  const most = Number(settings.max_connections);
  if (options.poolSize * 2 > most)
    findings.push(
      warning(
        'database',
        `PostgreSQL takes ${most} connections, and each server may hold ${options.poolSize}`,
        'Raise max_connections, or lower database-pool-size, before there are several servers.',
      ),
    );
  const skew = systemClock.now() - Number(settings.now);
  if (Math.abs(skew) > mostSkewMs)
    findings.push(
      warning(
        'clock',
        `this clock and the database's are ${Math.round(skew / 1000)} s apart`,
        'Run a time service on both machines.',
      ),
    );
  return findings.length > 0 ? findings : [ok('database', `PostgreSQL ${settings.server_version}, fit and up to date`)];
}

type RequiredSetting = {
  readonly name: string;
  readonly is: (value: string) => boolean;
  readonly status: 'warning' | 'error';
  readonly found: (value: string) => string;
  readonly remedy: string;
};

const mustBeOn = (name: string): RequiredSetting => ({
  name,
  is: value => value === 'on',
  status: 'error',
  found: value => `${name} is ${value}: what was acknowledged may be lost when the machine stops`,
  remedy: `As its administrator: ALTER SYSTEM SET ${name} = on; and reload.`,
});

const requiredSettings: readonly RequiredSetting[] = [
  mustBeOn('fsync'),
  mustBeOn('full_page_writes'),
  {
    name: 'synchronous_commit',
    is: value => value !== 'off',
    status: 'error',
    found: () => 'synchronous_commit is off: the last commits before a crash are lost',
    remedy: 'As its administrator: ALTER SYSTEM SET synchronous_commit = on; and reload.',
  },
  {
    name: 'server_encoding',
    is: value => value === 'UTF8',
    status: 'error',
    found: value => `the database is encoded in ${value}`,
    remedy: "Make one with ENCODING 'UTF8' TEMPLATE template0, and move to it.",
  },
  {
    name: 'server_version_num',
    is: value => Number(value) >= 150_000,
    status: 'warning',
    found: () => 'PostgreSQL is older than 15, which is not tested',
    remedy: 'Update PostgreSQL.',
  },
  {
    name: 'data_checksums',
    is: value => value === 'on',
    status: 'warning',
    found: () => 'data_checksums are off: a disk that alters pages goes unnoticed',
    remedy: 'Stop PostgreSQL and run: pg_checksums --enable',
  },
];

async function readPostgresSettings(db: Db): Promise<Record<string, string>> {
  const names = [...requiredSettings.map(({ name }) => name), 'max_connections', 'server_version'];
  const columns = names.map(name => sql`current_setting(${name}) as ${sql.ref(name)}`);
  const { rows } = await sql<Record<string, string>>`
    select ${sql.join(columns)}, (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(db);
  return rows[0] ?? {};
}

export async function inspectKeys({ keysFolder }: Config, { database }: Schema): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const name of readdirSync(keysFolder)) {
    const path = join(keysFolder, name);
    if ((statSync(path).mode & 0o077) !== 0)
      findings.push(failure('keys', `${path} can be read by others`, `Run: chmod 600 ${path}`));
  }
  const { db } = database;
  const signing = await openLocalSigningKeys({ db, folder: keysFolder, clock: systemClock }).find();
  const path = join(keysFolder, masterKeyFile);
  // Once data has been sealed, a missing key file is a loss.
  const isExpected = existsSync(path) || (await hasEnvelopes(db, 'local'));
  const versions = isExpected ? await (await openLocalKeys({ path, createIfMissing: false })).listVersions() : [];
  const found = [
    signing === null ? 'no signing key yet' : `proofs are signed by ${signing.key_id} version ${signing.key_version}`,
    versions.length === 0 ? 'no master keys here' : `${versions.length} master key${versions.length === 1 ? '' : 's'}`,
  ];
  return [...findings, ok('keys', `they are this installation's: ${found.join(', ')}`)];
}

/** The longest time an entry should wait for its checkpoint. */
const lateMs = 10 * 60_000;

export async function inspectLedger({ database: { db }, keys }: Schema): Promise<Finding[]> {
  const log = await findLog(db);
  const newest = log === null ? null : await findNewestCheckpoint(db);
  if (log === null || newest === null)
    return [ok('ledger', 'there is none yet; the first start of the server begins it')];
  const remedy = 'Run: recordproof-server ledger verify';
  if (!(await isSignedByLedger(newest, { name: log.origin, privateKey: keys.ledger })))
    return [failure('ledger', 'the newest checkpoint is not signed by the key of this ledger', remedy)];
  const now = systemClock.now();
  const findings: Finding[] = [];
  if (newest.published_at > now + mostSkewMs)
    findings.push(
      failure(
        'clock',
        `the newest checkpoint is of ${toIso(newest.published_at)}, which is still to come`,
        'Correct the clock before the server continues: times in proofs follow it.',
      ),
    );
  findings.push(...(await inspectTimes(db, log.recorded_until, now)));
  const waiting = log.size - log.published_size;
  if (waiting > 0 && newest.published_at < now - lateMs)
    findings.push(
      warning(
        'ledger',
        `${waiting} entries wait for a checkpoint since ${toIso(newest.published_at)}`,
        'Start a server, and check its log for the object store.',
      ),
    );
  return [
    ...findings,
    ok('ledger', `${log.origin}: ${log.size} entries, ${log.published_size} under a checkpoint that is signed`),
  ];
}

async function inspectTimes(db: Db, recordedUntil: number, now: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  const behind = findClockProblem(now, recordedUntil);
  if (behind !== undefined)
    findings.push(failure('clock', behind, 'The server does not start before that: proofs would be dated too early.'));
  const { count, first } = await findTimeSteps(db, clockSkewMs);
  if (count > 0)
    findings.push(
      warning(
        'ledger',
        `the times of the ledger go back in ${count} ${count === 1 ? 'place' : 'places'}, first at entry ${first}`,
        'A clock was wrong when these entries were recorded, or a date is false. Run: recordproof-server ledger verify',
      ),
    );
  return findings;
}
