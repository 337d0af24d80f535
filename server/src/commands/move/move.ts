// `migrate move`: moves an installation from its data folder (SQLite and disk) to the stores of the settings
// (PostgreSQL and S3). Exit code 1 if that is impossible, or if objects had been lost or chains broken before.

import { join } from 'node:path';
import { type Config, readConfig } from '../../config/config.ts';
import { MoveError } from '../../platform/db/move-rows.ts';
import { takeLock } from '../../platform/installation.ts';
import { forgetMove, readMoveMark } from '../../platform/move-mark.ts';
import type { Input } from '../declared/local.ts';
import { answer, CommandRejected, exitCodes, UsageError } from '../outcome.ts';
import { checkMove, toCheckText } from './check-move.ts';
import { moveInstallation } from './move-installation.ts';
import { type MovePlan, parts, planMove } from './plan-move.ts';
import { openProgress } from './progress.ts';
import { toReport, toText } from './report.ts';

export async function move({ values, configArgs }: Input<'only', 'check' | 'give-up'>): Promise<number> {
  const only = parts.find(part => part === values.only);
  if (values.only !== undefined && only === undefined) throw new UsageError('--only must be "database" or "objects".');
  const config = await readConfig(configArgs);
  if (values['give-up']) return cancel(config);
  const plan = planMove(config, only);
  return values.check ? check(config, plan, values.json) : run(config, plan, { isJson: values.json, configArgs });
}

async function check(config: Config, plan: MovePlan, isJson: boolean): Promise<number> {
  const found = await checkMove(config, plan);
  return answer(isJson, { json: found, text: toCheckText(found) }, found.obstacles.length === 0);
}

type Answering = { readonly isJson: boolean; readonly configArgs: readonly string[] };

async function run(config: Config, plan: MovePlan, { isJson, configArgs }: Answering): Promise<number> {
  const progress = openProgress(line => void process.stderr.write(line));
  const moved = await moveInstallation(config, plan, progress);
  const over = { folder: config.dataFolder, isOver: true };
  if (moved === null) return answer(isJson, { json: over, text: 'everything has been moved already; nothing to do\n' });
  const report = await toReport(config, plan, { moved, configArgs });
  const isSound = report.lost.count === 0 && report.problems.length === 0;
  return answer(isJson, { json: report, text: toText(report) }, isSound);
}

async function cancel({ dataFolder }: Config): Promise<number> {
  const { underWay } = readMoveMark(dataFolder);
  if (underWay === null) throw new CommandRejected(`no move is under way in ${dataFolder}.`);
  if (underWay.isProven) throw new MoveError('everything is already copied; run "migrate move" to finish.');
  const lock = await takeLock(join(dataFolder, 'server.lock'), `a move is at work on ${dataFolder}; stop it first.`);
  await forgetMove(dataFolder);
  lock.close();
  const locations = [underWay.database, underWay.objects].filter(location => location !== null);
  process.stdout.write(
    `cancelled; ${dataFolder} is unchanged. Empty the target before the next move: ${locations.join(', and ')}\n`,
  );
  return exitCodes.ok;
}
