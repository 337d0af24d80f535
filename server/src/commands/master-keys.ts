// Master keys of the provider `local`: list, add, use, and retire a version that nothing needs.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { countServersWithoutKey, countServersWrappingWith } from '../compose/announce-keys.ts';
import type { Config } from '../config/config.ts';
import { hasEnvelopes } from '../features/envelopes/index.ts';
import { listRetirementObstacles } from '../features/key-rotation/index.ts';
import { findUploadsUnder } from '../features/upload-sessions/index.ts';
import { type Clock, systemClock, toIso } from '../platform/clock.ts';
import { type MasterKeyInfo, masterKeyFile, openLocalKeys } from '../platform/crypto/local-keys.ts';
import type { Db } from '../platform/db/tables.ts';
import { type Answer, CommandRejected, UsageError } from './outcome.ts';

type KeyStoreContext = {
  readonly db: Db;
  readonly config: Pick<Config, 'keysFolder' | 'db'>;
  readonly clock?: Pick<Clock, 'now'>;
};

/** Time after which data wrapped by the previous version is stored or abandoned. */
const minActiveMs = 60_000;

const toPath = ({ config }: KeyStoreContext): string => join(config.keysFolder, masterKeyFile);

const openKeys = ({ clock = systemClock, ...context }: KeyStoreContext) =>
  openLocalKeys({
    path: toPath(context),
    createIfMissing: false,
    now: () => new Date(clock.now()),
  });

export async function listMasterKeys(context: KeyStoreContext): Promise<readonly MasterKeyInfo[]> {
  const isNeeded = existsSync(toPath(context)) || (await hasEnvelopes(context.db, 'local'));
  return isNeeded ? (await openKeys(context)).listVersions() : [];
}

export const toMasterKeyLine = ({ version, state, createdAt }: MasterKeyInfo): string =>
  `local\tversion ${version}\t${state}\t${createdAt}\n`;

/** Active at once on SQLite; on a shared database it is published first, for every server to load. */
export async function addMasterKey(context: KeyStoreContext): Promise<Answer> {
  const keys = await openKeys(context);
  const isActive = context.config.db.kind === 'sqlite';
  const version = await (isActive ? keys.addVersion() : keys.publishVersion());
  const text = isActive
    ? `file keys are now wrapped by master key version ${version}; make a backup, then rotate`
    : `master key version ${version} is published and wraps nothing yet; copy ${masterKeyFile} to every server that shares the database, then run: keys use --version ${version}`;
  return { json: { version, state: isActive ? 'ACTIVE' : 'NEW' }, text: `${text}\n` };
}

/** Rejected until every running server has the key: a server without it could not open what it wraps. */
export async function useMasterKey(context: KeyStoreContext, { version }: Retiring): Promise<Answer> {
  if (version === undefined) throw new UsageError('--version is missing: keys use --version N.');
  const keys = await openKeys(context);
  const key = (await keys.listVersions()).find(one => one.version === version);
  if (key === undefined)
    throw new CommandRejected(`there is no master key version "${version}"; "keys list" shows them.`);
  if (key.state !== 'NEW') throw new CommandRejected(`master key version ${version} is ${key.state}, not NEW.`);
  if (context.config.db.kind === 'postgres') await assertLoaded(context.db, key);
  await keys.useVersion(version);
  const text = `file keys are now wrapped by master key version ${version}; run the same on every server that has its own copy of ${masterKeyFile}, then rotate\n`;
  return { json: { version, state: 'ACTIVE' }, text };
}

async function assertLoaded(db: Db, key: MasterKeyInfo): Promise<void> {
  const { servers, without } = await countServersWithoutKey(db, key);
  if (without === 0) return;
  throw new CommandRejected(
    `${without} of ${servers} running servers have not loaded master key version ${key.version}: copy this ${masterKeyFile} to each, which takes effect within seconds, or stop those that are of an older release.`,
  );
}

type Retiring = { readonly version?: string | undefined; readonly 'despite-grace'?: boolean };

/**
 * Rejects a version that is still in use. --despite-grace overrides the policy's grace period, but not wrapped data.
 */
export async function retireMasterKey(context: KeyStoreContext, options: Retiring): Promise<Answer> {
  const { version } = options;
  if (version === undefined) throw new UsageError('--version is missing: keys retire --version N.');
  const keys = await openKeys(context);
  const versions = await keys.listVersions();
  const retiring = versions.find(one => one.version === version);
  if (retiring === undefined)
    throw new CommandRejected(`there is no master key version ${version}; see them with "keys list".`);
  const newest = versions.findLast(({ state }) => state !== 'NEW');
  await rejectNeeded(context, version, newest);
  if (!options['despite-grace']) await rejectDuringGrace(context, version);
  if (context.config.db.kind === 'postgres' && retiring.state === 'OLD') {
    await rejectWrapping(context.db, retiring);
    await rejectNeeded(context, version, newest); // what other servers have wrapped until then
  }
  await keys.removeVersion(version);
  const text = `master key version ${version} is forgotten; destroy its backups when you are sure\n`;
  return { json: { version, retired: true }, text };
}

async function rejectNeeded(
  { db, clock = systemClock }: KeyStoreContext,
  version: string,
  newest?: MasterKeyInfo,
): Promise<void> {
  if (newest?.activeSince && Date.parse(newest.activeSince) > clock.now() - minActiveMs)
    throw new CommandRejected(
      `master key version ${newest.version} has been in use for less than a minute, and uploads under way may still need an older one; try again in a minute.`,
    );
  if (await hasEnvelopes(db, 'local', version))
    throw new CommandRejected(`files are still wrapped by master key version ${version}; rotate them first.`);
  const uploads = await findUploadsUnder(db, { provider: 'local', keyVersion: version });
  if (uploads !== null)
    throw new CommandRejected(
      `${uploads.count} unfinished uploads need master key version ${version}; wait until they are completed or cancelled. Without further parts they expire by ${toIso(uploads.lastExpiresAt)}.`,
    );
}

/** A server with a key file of its own may not have got the newer version yet. */
async function rejectWrapping(db: Db, key: MasterKeyInfo): Promise<void> {
  const servers = await countServersWrappingWith(db, key);
  if (servers === 0) return;
  throw new CommandRejected(
    `${servers} of the running servers wrap with master key version ${key.version}: run "keys use" on each that has its own copy of ${masterKeyFile}, wait a few seconds, rotate again, then retire it.`,
  );
}

async function rejectDuringGrace({ db, clock = systemClock }: KeyStoreContext, version: string): Promise<void> {
  const obstacles = await listRetirementObstacles(db, { provider: 'local', version }, clock.now());
  if (obstacles.length === 0) return;
  throw new CommandRejected(
    `master key version ${version} is kept: ${obstacles.join('; ')}. Wait, or overrule it with --despite-grace.`,
  );
}
