// Final report of a move.
import type { Config } from '../../config/config.ts';
import { listSettings } from '../../config/list-settings.ts';
import { linesIf, toLines } from '../outcome.ts';
import type { Moved } from './move-installation.ts';
import type { MovePlan } from './plan-move.ts';

export async function toReport(
  { dataFolder }: Config,
  plan: MovePlan,
  { moved, configArgs }: { readonly moved: Moved; readonly configArgs: readonly string[] },
) {
  const { tables, objects, chains, problems } = moved;
  return {
    folder: dataFolder,
    database: plan.database && { to: plan.database.to, tables },
    objects: plan.objects && objects && { to: plan.objects.to, count: objects.count, bytes: objects.bytes },
    ...chains,
    lost: objects?.lost ?? { count: 0, first: [] },
    problems,
    settings: await listSettingsToKeep(configArgs),
  };
}

/** The settings that the new server needs; of a secret only that it was set. */
async function listSettingsToKeep(configArgs: readonly string[]) {
  const all = await listSettings(configArgs);
  return all
    .filter(({ env, source }) => /^(DATABASE_|RECORDPROOF_S3_)/.test(env) && source !== 'default')
    .map(({ env, value, source }) => ({ env, value, source }));
}

type Report = Awaited<ReturnType<typeof toReport>>;

export function toText({ folder, database, objects, ledger, auditChains, lost, problems, settings }: Report): string {
  const rows = database?.tables.reduce((sum, table) => sum + table.rows, 0);
  const left = [...(database === null ? [] : ['recordproof.db']), ...(objects === null ? [] : ['objects'])];
  const lines = [
    `moved from ${folder}`,
    ...(database === null
      ? []
      : [`  database  ${rows} rows in ${database.tables.length} tables to ${database.to}; each row compared`]),
    ...(objects === null
      ? []
      : [`  objects   ${objects.count} (${objects.bytes} bytes) to ${objects.to}; each one read back`]),
    `  ledger    ${ledger.size} entries, ${ledger.tiles} tiles, ${ledger.checkpoints} checkpoints`,
    `  audit     ${auditChains} chains`,
    ...linesIf(lost.count > 0, `  LOST      ${lost.count} objects that were missing or damaged before:`),
    ...lost.first.map(line => `            ${line}`),
    ...problems.map(line => `  BROKEN    ${line}`),
    'All servers and commands now need these settings:',
    ...settings.map(({ env, value, source }) => `  ${env.padEnd(32)}  ${value} (from the ${source})`),
    `${left.join(' and ')} in ${folder} ${left.length === 1 ? 'is' : 'are'} unchanged and no longer used; keep ${left.length === 1 ? 'it' : 'them'} until the first backup of the new installation.`,
  ];
  return toLines(lines);
}
