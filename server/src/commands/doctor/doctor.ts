// `doctor`: checks whether this machine and its settings are fit for a server, and how to fix what is not. Read-only.
// Exit code 1 on errors, 0 on warnings alone.

import { migrations } from '../../compose/features.ts';
import { openInstallation, type Schema } from '../../compose/open-schema.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { MasterKeyFileError } from '../../platform/crypto/master-key-file.ts';
import { KeyFileError } from '../../platform/crypto/server-keys.ts';
import { SchemaBehind } from '../../platform/db/migrate.ts';
import { InstallationError, NotFoundError, rejectUnfinished } from '../../platform/installation.ts';
import { rejectMoved } from '../../platform/move-mark.ts';
import type { Input } from '../declared/local.ts';
import { toFailure } from '../failures.ts';
import { answer, exitCodes } from '../outcome.ts';
import { type Finding, failure, ok, warning } from './finding.ts';
import { inspectPresigned, inspectProxies, inspectPublicUrl } from './inspect-addresses.ts';
import { inspectHealth } from './inspect-health.ts';
import { inspectDatabase, inspectKeys, inspectLedger } from './inspect-installation.ts';
import { inspectKeyProviders } from './inspect-key-providers.ts';
import { inspectDisk, inspectHandles, inspectRights } from './inspect-machine.ts';
import {
  inspectBroker,
  inspectCluster,
  inspectMail,
  inspectObjects,
  inspectProofs,
  inspectVouchers,
} from './inspect-services.ts';

type Inspection = () => Promise<Finding[]> | Finding[];

export async function doctor({ values, configArgs }: Input): Promise<number> {
  const config = await readConfig(configArgs);
  const findings = await examine(config);
  const isFit = findings.every(({ status }) => status !== 'error');
  answer(values.json, { json: { isFit, findings }, text: findings.map(toLines).join('') + toVerdict(findings) });
  if (isFit) return exitCodes.ok;
  const isMismatch = findings.some(({ about, status }) => about === mismatch && status === 'error');
  return isMismatch ? exitCodes.config : exitCodes.failed;
}

export async function examine(config: Config): Promise<Finding[]> {
  const inspections: readonly (readonly [string, Inspection])[] = [
    ['disk', () => inspectDisk(config)],
    ['rights', () => inspectRights(config)],
    ['files', () => inspectHandles(config)],
    ['database', () => inspectInstallation(config)],
    ['key-provider', () => inspectKeyProviders(config)],
    ['public-url', () => inspectPublicUrl(config)],
    ['presigned', () => inspectPresigned(config)],
    ['proxies', () => inspectProxies(config)],
    ['mail', () => inspectMail(config)],
    ['redis', () => inspectCluster(config)],
    ['rabbitmq', () => inspectBroker(config)],
    ['proofs', () => inspectProofs(config)],
    ['vouchers', () => inspectVouchers(config)],
  ];
  const findings: Finding[] = [];
  for (const [about, inspection] of inspections)
    findings.push(...withoutKnown(await attempt(about, inspection), findings));
  if (!findings.some(finding => finding.about === 'clock'))
    findings.push(ok('clock', 'agrees with everything that it could be compared with'));
  return findings;
}

/** An error that affects several checks is reported once. */
const withoutKnown = (found: readonly Finding[], reported: readonly Finding[]): Finding[] =>
  found.filter(({ status, found: text }) => status !== 'error' || !reported.some(one => one.found === text));

/** Name of the finding on whether database, keys and objects belong together. */
const mismatch = 'installation';
const mismatchRemedy = 'The server does not start before that (docs/guide/self-hosting.md).';

const behindRemedy =
  'Before that: upgrade --check, and a backup with the program that wrote it (docs/guide/upgrade.md).';

const isPartMissing = (error: unknown): boolean =>
  [InstallationError, KeyFileError, MasterKeyFileError].some(kind => error instanceof kind);

/** A check that cannot run is a finding too. */
async function attempt(about: string, inspection: Inspection): Promise<Finding[]> {
  try {
    return await inspection();
  } catch (error) {
    if (error instanceof NotFoundError)
      return [ok(about, 'nothing was set up yet; the first start of the server does it')];
    if (isPartMissing(error)) return [failure(mismatch, toFailure(error).message, mismatchRemedy)];
    if (error instanceof SchemaBehind) return [warning(about, error.message, behindRemedy)];
    return [failure(about, toFailure(error).message, 'Mend that first: the server would not start.')];
  }
}

async function inspectInstallation(config: Config): Promise<Finding[]> {
  rejectUnfinished(config.dataFolder);
  rejectMoved(config);
  const schema = await openInstallation(config, migrations, { isWriter: true }); // as the server would open it
  await using database = schema.database;
  return [
    inspectId(schema),
    ...(await attempt('database', () => inspectDatabase(database, config))),
    ...(await attempt('keys', () => inspectKeys(config, schema))),
    ...(await attempt('ledger', () => inspectLedger(schema))),
    ...(await attempt('health', () => inspectHealth(database, config))),
    ...(await attempt('objects', () => inspectObjects(config, schema.keys))),
  ];
}

const inspectId = ({ installationId }: Schema): Finding =>
  ok(
    mismatch,
    installationId === null
      ? 'database, keys and objects agree; the next start of the server gives them an id'
      : `database, keys and objects are of ${installationId}`,
  );

const marks = { ok: 'ok', warning: 'WARNING', error: 'ERROR' };

const toLines = ({ about, status, found, remedy }: Finding): string =>
  `${about.padEnd(12)} ${marks[status].padEnd(8)} ${found}\n${remedy === undefined ? '' : `${' '.repeat(22)}${remedy}\n`}`;

function toVerdict(findings: readonly Finding[]): string {
  const count = (kind: Finding['status']) => {
    const found = findings.filter(({ status }) => status === kind).length;
    return `${found} ${kind}${found === 1 ? '' : 's'}`;
  };
  return `${count('error')}, ${count('warning')}\n`;
}
