// The master keys of the provider `local`, from the command line: which there are, a new one, and an old one forgotten
// once nothing needs it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { hasEnvelopes } from '../features/envelopes/index.ts';
import { listGracePeriods } from '../features/key-rotation/index.ts';
import { hasUploadsUnder } from '../features/uploads/index.ts';
import { type Clock, systemClock, toIso } from '../platform/clock.ts';
import { masterKeyFile, openLocalKeys } from '../platform/crypto/local-keys.ts';
import type { Database } from '../platform/db/open-db.ts';
import { UsageError } from './exit.ts';

type Place = {
  readonly database: Pick<Database, 'db' | 'kind'>;
  readonly config: Pick<Config, 'keysFolder'>;
  readonly clock?: Pick<Clock, 'now'>;
};

/** What was wrapped by the version before is stored by then, or was given up. */
const settleMs = 60_000;

type OpenKeys = Awaited<ReturnType<typeof openKeys>>;

const toPath = ({ config }: Place): string => join(config.keysFolder, masterKeyFile);

const openKeys = ({ clock = systemClock, ...place }: Place) =>
  openLocalKeys({
    path: toPath(place),
    createIfMissing: false,
    now: () => new Date(clock.now()),
  });

export async function listMasterKeys(place: Place): Promise<string> {
  if (!existsSync(toPath(place))) return '';
  const versions = await (await openKeys(place)).listVersions();
  const active = Number(versions.find(({ isActive }) => isActive)?.version);
  const toState = (version: string) =>
    Number(version) === active ? 'ACTIVE' : Number(version) > active ? 'NOT YET USED' : 'OLD';
  return versions
    .map(({ version, createdAt }) => `local\tversion ${version}\t${toState(version)}\t${createdAt}\n`)
    .join('');
}

/**
 * Where several servers may share the database, nothing is wrapped by the new version before all of them have it: one without
 * it could not open what another one stores.
 */
export async function addMasterKey(place: Place): Promise<string> {
  const keys = await openKeys(place);
  if (place.database.kind === 'postgres') {
    const published = await keys.publishVersion();
    return `master key version ${published} is in ${toPath(place)}, and wraps nothing yet; copy this file to every server that shares the database, then run on each: keys use --version ${published}\n`;
  }
  const version = await keys.addVersion();
  return `from now on keys of files are wrapped by master key version ${version}\n`;
}

export async function useMasterKey(place: Place, { version }: Wanted): Promise<string> {
  if (version === undefined) throw new UsageError('say which master key: keys use --version N.');
  const keys = await openKeys(place);
  if (!(await keys.listVersions()).some(key => key.version === version))
    throw new UsageError(
      `there is no master key version "${version}" in ${toPath(place)}; copy that file from the server that added it.`,
    );
  await keys.useVersion(version);
  return `from now on keys of files are wrapped by master key version ${version}; run the same on every server that shares the database, then rotate\n`;
}

export type Wanted = { readonly version?: string | undefined; readonly beforeGrace?: boolean | undefined };

/** Refuses a version that anything still needs, or that a policy of key rotation keeps for a while. */
export async function retireMasterKey(place: Place, { version, beforeGrace }: Wanted): Promise<string> {
  if (version === undefined) throw new UsageError('say which master key: keys retire --version N.');
  const { database, clock = systemClock } = place;
  const { db } = database;
  const keys = await openKeys(place);
  if (clock.now() - (await findLastChange(keys, clock)) < settleMs)
    throw new UsageError(
      'the key file was changed less than a minute ago; files under way may need the version before.',
    );
  if (await hasEnvelopes(db, 'local', version))
    throw new UsageError(`files are still wrapped by master key version ${version}; rotate them first.`);
  if (await hasUploadsUnder(db, { provider: 'local', keyVersion: version }))
    throw new UsageError(`uploads under way need master key version ${version}; wait until they are done.`);
  const [kept] = beforeGrace ? [] : await listGracePeriods(db, { provider: 'local', keyVersion: version }, clock.now());
  if (kept !== undefined)
    throw new UsageError(
      `the key rotation of tenant "${kept.tenant}" keeps master key version ${version} until ${toIso(kept.readyAt)} (its grace period); wait until then, or retire it with --before-grace: older backups and servers that were not updated need it.`,
    );
  await keys.removeVersion(version);
  return `master key version ${version} is forgotten; destroy its backups when you are sure\n`;
}

/** Some clocks are set back: what lies in the future says nothing. */
async function findLastChange(keys: OpenKeys, clock: Pick<Clock, 'now'>): Promise<number> {
  const created = (await keys.listVersions()).map(({ createdAt }) => Date.parse(createdAt));
  return Math.max(...[...created, await keys.changedAt()].filter(at => at <= clock.now()), 0);
}
