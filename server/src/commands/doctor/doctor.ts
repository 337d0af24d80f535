// Looks whether this machine and its settings are fit for a server, and says what to mend. Makes and changes nothing. Exit
// code 1 at an error; warnings alone end with 0.
import { migrations } from '../../compose/features.ts';
import { openInstallation, type Schema } from '../../compose/open-schema.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { SchemaBehind } from '../../platform/db/migrate.ts';
import { InstallationRefused, NothingThere, refuseUnfinished } from '../../platform/installation.ts';
import { refuseMoved } from '../../platform/move-mark.ts';
import { answer } from '../answer.ts';
import { exitCodes } from '../exit.ts';
import { toFailure } from '../failures.ts';
import { parseLocalArgs } from '../local.ts';
import { type Finding, failure, ok, warning } from './finding.ts';
import { lookAtPresigned, lookAtProxies, lookAtPublicUrl } from './look-at-addresses.ts';
import { lookAtHealth } from './look-at-health.ts';
import { lookAtDatabase, lookAtKeys, lookAtLedger } from './look-at-installation.ts';
import { lookAtKeyProviders } from './look-at-key-providers.ts';
import { lookAtDisk, lookAtHandles, lookAtRights } from './look-at-machine.ts';
import { lookAtBroker, lookAtCluster, lookAtMail, lookAtObjects } from './look-at-services.ts';
import { lookAtProofs, lookAtVouchers } from './look-at-vouchers.ts';

type Look = () => Promise<Finding[]> | Finding[];

export async function doctor(args: readonly string[]): Promise<number> {
  const { values, configArgs } = parseLocalArgs(args, [], []);
  const config = await readConfig(configArgs);
  const findings = await examine(config);
  const isFit = findings.every(({ status }) => status !== 'error');
  answer(values.json, { json: { isFit, findings }, text: findings.map(toLines).join('') + toVerdict(findings) });
  if (isFit) return exitCodes.ok;
  const isMismatch = findings.some(({ about, status }) => about === mismatch && status === 'error');
  return isMismatch ? exitCodes.config : exitCodes.failed;
}

export async function examine(config: Config): Promise<Finding[]> {
  const looks: readonly (readonly [string, Look])[] = [
    ['disk', () => lookAtDisk(config)],
    ['rights', () => lookAtRights(config)],
    ['files', () => lookAtHandles(config)],
    ['database', () => lookAtInstallation(config)],
    ['key-provider', () => lookAtKeyProviders(config)],
    ['public-url', () => lookAtPublicUrl(config)],
    ['presigned', () => lookAtPresigned(config)],
    ['proxies', () => lookAtProxies(config)],
    ['mail', () => lookAtMail(config)],
    ['redis', () => lookAtCluster(config)],
    ['rabbitmq', () => lookAtBroker(config)],
    ['proofs', () => lookAtProofs(config)],
    ['vouchers', () => lookAtVouchers(config)],
  ];
  const findings: Finding[] = [];
  for (const [about, look] of looks) findings.push(...(await attempt(about, look)));
  if (!findings.some(finding => finding.about === 'clock'))
    findings.push(ok('clock', 'agrees with everything that it could be compared with'));
  return findings;
}

/** What database, keys and objects are one of. */
const mismatch = 'installation';
const mismatchRemedy = 'The server does not start before that (docs/guide/self-hosting.md).';

const behindRemedy =
  'Before that: upgrade --check, and a backup with the program that wrote it (docs/guide/upgrade.md).';

/** What keeps the look itself from happening is a finding like any other. */
async function attempt(about: string, look: Look): Promise<Finding[]> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof NothingThere)
      return [ok(about, 'nothing was set up yet; the first start of the server does it')];
    if (error instanceof InstallationRefused) return [failure(mismatch, error.message, mismatchRemedy)];
    if (error instanceof SchemaBehind) return [warning(about, error.message, behindRemedy)];
    return [failure(about, toFailure(error).message, 'Mend that first: the server would not start.')];
  }
}

async function lookAtInstallation(config: Config): Promise<Finding[]> {
  refuseUnfinished(config.dataFolder);
  refuseMoved(config);
  const schema = await openInstallation(config, migrations);
  try {
    return [
      lookAtId(schema),
      ...(await attempt('database', () => lookAtDatabase(schema.database, config))),
      ...(await attempt('keys', () => lookAtKeys(config, schema))),
      ...(await attempt('ledger', () => lookAtLedger(schema))),
      ...(await attempt('health', () => lookAtHealth(schema.database, config))),
      ...(await attempt('objects', () => lookAtObjects(config, schema.keys))),
    ];
  } finally {
    await schema.database.close();
  }
}

const lookAtId = ({ installationId }: Schema): Finding =>
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
  const count = (wanted: Finding['status']) => {
    const found = findings.filter(({ status }) => status === wanted).length;
    return `${found} ${wanted}${found === 1 ? '' : 's'}`;
  };
  return `${count('error')}, ${count('warning')}\n`;
}
