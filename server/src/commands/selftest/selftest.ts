// `selftest`: tests an installation within a minute, with or without a running server, and leaves nothing behind. Exit
// code 1 if a check failed.

import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { buildCommit } from '@recordproof/shared/build-commit.ts';
import { migrations } from '../../compose/features.ts';
import { openInstallation } from '../../compose/open-schema.ts';
import type { Config } from '../../config/config.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { SchemaError } from '../../platform/db/migrate.ts';
import { NotFoundError, StartError } from '../../platform/installation.ts';
import { version } from '../../version.ts';
import type { Input } from '../declared/local.ts';
import { inspectKeyProviders } from '../doctor/inspect-key-providers.ts';
import { readUsable } from '../local.ts';
import { answer, Interrupted } from '../outcome.ts';
import { type Check, failed, ok, runCheck, skipped } from './check.ts';
import { checkClock } from './check-clock.ts';
import { checkEvidence } from './check-evidence.ts';
import { checkBroker, checkMail, checkRedis } from './check-services.ts';
import { checkDatabase, checkDisk, checkObjects } from './check-stores.ts';
import { redact } from './redact.ts';
import { type Report, toText } from './report.ts';
import { makeScratch, type Scratch } from './scratch.ts';

export async function selftest({ values, configArgs }: Input<'mail-to'>): Promise<number> {
  const config = await readUsable(configArgs);
  await becomeOwner(config.dataFolder);
  const stopping = new AbortController();
  const stop = () => stopping.abort(new Interrupted('the selftest was interrupted; nothing is left of it.'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  const report = await runSelftest(config, { mailTo: values['mail-to'], signal: stopping.signal });
  return answer(values.json, { json: report, text: toText(report) }, report.isWorking);
}

/** As root, switches to the data folder's owner: same view as the server, and no files that it cannot remove. */
async function becomeOwner(dataFolder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const owner = await stat(dataFolder).catch(() => null);
  if (owner === null || owner.uid === 0) return;
  process.setgroups?.([owner.gid]);
  process.setgid?.(owner.gid);
  process.setuid?.(owner.uid);
}

type Options = {
  readonly mailTo?: string | undefined;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
};

export async function runSelftest(
  config: Config,
  { mailTo, clock = systemClock, signal = new AbortController().signal }: Options = {},
): Promise<Report> {
  const startedAt = performance.now();
  const checks = await runChecks(config, { mailTo, clock, signal });
  signal.throwIfAborted();
  const report: Report = {
    isWorking: checks.every(({ status }) => status !== 'failed'),
    version,
    commit: buildCommit ?? null,
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    profile: config.profile,
    database: config.db.kind,
    objects: config.objects.kind,
    keyProvider: config.keyProviders.active,
    checks,
    durationMs: Math.round(performance.now() - startedAt),
  };
  return redact(report, config);
}

/** Throws if there is no installation to test; checks report everything else. */
async function rejectForeign(config: Config): Promise<void> {
  try {
    await (await openInstallation(config, migrations)).database.close();
  } catch (error) {
    const isRejected = [StartError, NotFoundError, SchemaError].some(kind => error instanceof kind);
    if (isRejected || (config.db.kind === 'sqlite' && !existsSync(config.db.path))) throw error;
  }
}

async function runChecks(config: Config, { mailTo, clock, signal }: Required<Options>): Promise<Check[]> {
  await rejectForeign(config);
  const database = await checkDatabase(config);
  await using made = new AsyncDisposableStack();
  let scratch: Scratch | undefined;
  const disk = await checkDisk(config, async () => {
    scratch = made.use(await makeScratch(config, clock.now()));
    return scratch;
  });
  signal.throwIfAborted();
  const others = await Promise.all([
    checkKeyProvider(config),
    checkClock(config, clock),
    checkMail(config, mailTo),
    checkRedis(config, scratch?.name ?? 'alone'),
    checkBroker(config),
  ]);
  const tried = scratch
    ? [await checkObjects(config, scratch), ...(await checkEvidence(scratch, signal))]
    : withoutRoom;
  return [disk, database, ...tried, ...others];
}

const withoutRoom: readonly Check[] = ['object-store', 'store', 'prove', 'verify', 'damage'].map(name => ({
  name,
  ...skipped('it needs "disk"'),
  durationMs: 0,
}));

const keysRemedy = 'Run: recordproof-server doctor';

const checkKeyProvider = (config: Config): Promise<Check> =>
  runCheck('key-provider', keysRemedy, async () => {
    const findings = await inspectKeyProviders(config);
    const error = findings.find(({ status }) => status === 'error');
    return error ? failed(error.found, error.remedy ?? keysRemedy) : ok(findings.map(({ found }) => found).join('; '));
  });
