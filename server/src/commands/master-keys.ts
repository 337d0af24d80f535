// The master keys of the provider `local`, from the command line: which there are, a new one, and an old one forgotten
// once nothing needs it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { hasEnvelopes } from '../features/envelopes/index.ts';
import { listRetirementObstacles } from '../features/key-rotation/index.ts';
import { hasUploadsUnder } from '../features/uploads/index.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { type MasterKeyInfo, masterKeyFile, openLocalKeys } from '../platform/crypto/local-keys.ts';
import type { Db } from '../platform/db/tables.ts';
import { StartRefused } from '../platform/installation.ts';
import type { Answer } from './answer.ts';
import { UsageError } from './exit.ts';

type Place = { readonly db: Db; readonly config: Pick<Config, 'keysFolder'>; readonly clock?: Pick<Clock, 'now'> };

/** What was wrapped by the version before is stored by then, or was given up. */
const settleMs = 60_000;

const toPath = ({ config }: Place): string => join(config.keysFolder, masterKeyFile);

const openKeys = ({ clock = systemClock, ...place }: Place) =>
  openLocalKeys({
    path: toPath(place),
    createIfMissing: false,
    now: () => new Date(clock.now()),
  });

export async function listMasterKeys(place: Place): Promise<readonly MasterKeyInfo[]> {
  return existsSync(toPath(place)) ? (await openKeys(place)).listVersions() : [];
}

export const toMasterKeyLine = ({ version, isActive, createdAt }: MasterKeyInfo): string =>
  `local\tversion ${version}\t${isActive ? 'ACTIVE' : 'OLD'}\t${createdAt}\n`;

export async function addMasterKey(place: Place): Promise<Answer> {
  const version = await (await openKeys(place)).addVersion();
  const text = `from now on keys of files are wrapped by master key version ${version}; copy the key file to every server that shares the database, then rotate\n`;
  return { json: { version, isActive: true }, text };
}

type Retiring = { readonly version?: string; readonly 'despite-grace'?: boolean };

/** Rejects a version that anything still needs. What a policy waits for can be overruled, what is wrapped cannot. */
export async function retireMasterKey(place: Place, options: Retiring): Promise<Answer> {
  const { version } = options;
  if (version === undefined) throw new UsageError('say which master key: keys retire --version N.');
  const keys = await openKeys(place);
  await refuseNeeded(place, version, (await keys.listVersions()).at(-1));
  if (!options['despite-grace']) await refuseDuringGrace(place, version);
  await keys.removeVersion(version);
  const text = `master key version ${version} is forgotten; destroy its backups when you are sure\n`;
  return { json: { version, retired: true }, text };
}

async function refuseNeeded(
  { db, clock = systemClock }: Place,
  version: string,
  newest?: MasterKeyInfo,
): Promise<void> {
  if (newest && Date.parse(newest.createdAt) > clock.now() - settleMs)
    throw new UsageError(
      `version ${newest.version} is not a minute old; files under way may still need the one before.`,
    );
  if (await hasEnvelopes(db, 'local', version))
    throw new UsageError(`files are still wrapped by master key version ${version}; rotate them first.`);
  if (await hasUploadsUnder(db, { provider: 'local', keyVersion: version }))
    throw new UsageError(`uploads under way need master key version ${version}; wait until they are done.`);
}

async function refuseDuringGrace({ db, clock = systemClock }: Place, version: string): Promise<void> {
  const obstacles = await listRetirementObstacles(db, { provider: 'local', version }, clock.now());
  if (obstacles.length === 0) return;
  throw new StartRefused(
    `master key version ${version} is kept: ${obstacles.join('; ')}. Wait, or overrule it with --despite-grace.`,
  );
}
