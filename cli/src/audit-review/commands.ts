// Commands under `admin audit`.
import { string as argument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import {
  type AuditConfigKey,
  auditConfigKeys,
  checkAnomalies,
  getAuditOverview,
  getTimeDistribution,
  listAuditConfigs,
  listAuditErrors,
  listHighFrequency,
  putAuditConfig,
} from '@recordproof/shared/api/audit-figures.ts';
import {
  type AuditBackup,
  backUpAuditLogs,
  downloadAuditBackup,
  exportAuditLogs,
  getAuditLog,
  listAuditBackups,
  listAuditLogs,
  listSensitiveOperations,
  mostRetentionDays,
} from '@recordproof/shared/api/audit-review.ts';
import type { Client } from '@recordproof/shared/api/client.ts';
import { recordId } from '@recordproof/shared/api/common.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { command } from '../platform/command.ts';
import { CommandError } from '../platform/command-error.ts';
import { confirm, yesFlag } from '../platform/confirm.ts';
import { parseField } from '../platform/fields.ts';
import { writeWholeFile } from '../platform/whole-file.ts';
import { filterFlags, outputFlags, spanFlags, toFilter, toSpan, toUserId, userFlag } from './flags.ts';
import {
  anomaliesText,
  backupsTable,
  configsText,
  errorsTable,
  fastTable,
  hoursText,
  overviewText,
  rowPages,
  rowsTable,
  rowText,
} from './tables.ts';

export const overview = command({
  summary: 'The audit log at a glance: in all, today, the last seven days',
  examples: [{ command: 'admin audit overview', description: 'Days are days in UTC' }],
  run: async ({ context }) => (await context.session()).call(getAuditOverview),
  text: overviewText,
});

export const list = command({
  summary: 'List the audit log, the newest rows first',
  examples: [
    { command: 'admin audit list', description: 'The newest twenty' },
    { command: 'admin audit list --username ada --from 2026-01-31', description: 'Operations of ada since then' },
    { command: 'admin audit list --module auth --status error', description: 'Rejected sign-ins' },
  ],
  flags: { ...rowPages.flags, ...filterFlags },
  run: async ({ flags, context }) =>
    (await context.session()).call(listAuditLogs, { query: { ...rowPages.toQuery(flags), ...toFilter(flags) } }),
  text: rowsTable,
  note: rowPages.note,
});

export const show = command({
  summary: 'Show one row of the audit log, with its hashes',
  examples: [{ command: 'admin audit show 42', description: 'The row with this id' }],
  args: { row: argument({ required: true, description: 'Id of the row, as in the list.' }) },
  async run({ args, context }) {
    const id = parseField('Row', recordId, args.row);
    try {
      return await (await context.session()).call(getAuditLog, { params: { id } });
    } catch (error) {
      if (!(error instanceof ApiError) || error.kind !== 'RESULT_DATA_NONE') throw error;
      throw new CommandError('refused', `the log of the tenant has no row ${id}`, {
        try: 'recordproof admin audit list',
      });
    }
  },
  text: rowText,
});

export const times = command({
  summary: 'Show the hours of the week with operations, within the last thirty days',
  examples: [
    { command: 'admin audit times', description: 'Of all users' },
    { command: 'admin audit times --user 7', description: 'By one account' },
  ],
  flags: { ...spanFlags, user: userFlag },
  run: async ({ flags, context }) =>
    (await context.session()).call(getTimeDistribution, { query: { ...toSpan(flags), ...toUserId(flags.user) } }),
  text: hoursText,
  note: hours => (hours.length === 0 ? 'nothing was done' : ''),
});

export const errors = command({
  summary: 'List rejected operations of the last week, the most frequent first',
  examples: [{ command: 'admin audit errors --from 2026-01-01', description: 'Since then' }],
  flags: spanFlags,
  run: async ({ flags, context }) => (await context.session()).call(listAuditErrors, { query: toSpan(flags) }),
  text: errorsTable,
  note: found => (found.length === 0 ? 'nothing was refused' : ''),
});

export const sensitive = command({
  summary: 'List sensitive operations: whole modules, and deletions',
  description: 'Which modules those are says `admin audit config SENSITIVE_MODULES`.',
  examples: [{ command: 'admin audit sensitive', description: 'The newest twenty' }],
  flags: { ...rowPages.flags, ...filterFlags },
  run: async ({ flags, context }) =>
    (await context.session()).call(listSensitiveOperations, {
      body: { ...rowPages.toQuery(flags), ...toFilter(flags) },
    }),
  text: rowsTable,
  note: rowPages.note,
});

export const highFrequency = command({
  summary: 'List users with too many operations in five minutes, within the last day',
  examples: [{ command: 'admin audit high-frequency', description: 'The most first' }],
  flags: spanFlags,
  run: async ({ flags, context }) => (await context.session()).call(listHighFrequency, { query: toSpan(flags) }),
  text: fastTable,
  note: found => (found.length === 0 ? 'no user exceeded the limit' : ''),
});

export const anomalies = command({
  summary: 'Check for anomalies now',
  examples: [{ command: 'admin audit anomalies', description: 'High frequency, failed sign-ins, rejected operations' }],
  run: async ({ context }) => (await context.session()).call(checkAnomalies),
  text: anomaliesText,
});

const mostRows = 10_000;

export const exportLogs = command({
  summary: 'Write rows of the audit log into a spreadsheet (.xlsx), at most 10,000',
  description: 'The newest that match. A text that looks like a formula is prefixed with an apostrophe.',
  examples: [
    { command: 'admin audit export -o audit.xlsx', description: 'The newest rows' },
    { command: 'admin audit export --from 2026-01-01 --to 2026-01-31', description: 'Into audit.xlsx' },
  ],
  flags: { ...filterFlags, ...outputFlags },
  async run({ flags, context }) {
    const client = await context.session();
    const output = flags.output ?? 'audit.xlsx';
    const answer = await client.open(exportAuditLogs, { body: toFilter(flags) });
    await writeWholeFile(output, answer.body ?? new Uint8Array(), flags.force);
    const matching = Number(answer.headers.get('x-audit-rows') ?? 0);
    return { output, matching, written: Math.min(matching, mostRows) };
  },
  text: ({ output }) => output,
  note: ({ matching, written }) =>
    matching > written
      ? `${written} of ${matching} rows: the newest; narrow it down with --from and --to for the others`
      : `${written} rows`,
});

function toKey(text: string): AuditConfigKey {
  const key = auditConfigKeys.find(one => one === text.toUpperCase().replaceAll('-', '_'));
  if (key === undefined)
    throw new CommandError('usage', `there is no setting ${text}`, { try: `one of ${auditConfigKeys.join(', ')}` });
  return key;
}

export const config = command({
  summary: 'Show or change what counts as sensitive or unusual',
  examples: [
    { command: 'admin audit config', description: 'All settings' },
    { command: 'admin audit config HIGH_FREQ_THRESHOLD 200', description: 'Change one; asks before it does' },
  ],
  args: {
    setting: argument({ description: 'Which one; without a value it is shown.' }),
    value: argument({ description: 'The new value.' }),
  },
  flags: { yes: yesFlag },
  async run({ flags, args, context }) {
    const client = await context.session();
    const configs = await client.call(listAuditConfigs);
    if (args.setting === undefined) return configs;
    const configKey = toKey(args.setting);
    const shown = configs.filter(config => config.configKey === configKey);
    if (args.value === undefined) return shown;
    if (!flags.yes)
      await confirm(context, `${configKey} is ${shown[0]?.configValue}. Make it ${args.value}?`, 'nothing was changed');
    const changed = await client.call(putAuditConfig, { body: { configKey, configValue: args.value } });
    return changed.filter(config => config.configKey === configKey);
  },
  text: configsText,
});

type BackupOptions = { readonly retentionDays?: number; readonly deleteAfterBackup: boolean };

function toDays(text: string | undefined): { retentionDays?: number } {
  if (text === undefined) return {};
  const retentionDays = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0;
  if (retentionDays < 1 || retentionDays > mostRetentionDays)
    throw new CommandError('usage', `--older-than ${text} is not 1 to ${mostRetentionDays.toLocaleString('en')} days`);
  return { retentionDays };
}

/** File by file, until no old rows are left. */
async function backUpAll(client: Client, options: BackupOptions): Promise<AuditBackup[]> {
  const backups: AuditBackup[] = [];
  for (;;) {
    const { backup, complete } = await client.call(backUpAuditLogs, { body: options });
    if (backup !== null) backups.push(backup);
    if (complete || backup === null) return backups;
  }
}

async function fetchAll(client: Client, backups: readonly AuditBackup[], mayReplace: boolean): Promise<void> {
  for (const { backupId, firstPosition, lastPosition } of backups) {
    const { body } = await client.open(downloadAuditBackup, { params: { id: backupId } });
    await writeWholeFile(`audit-${firstPosition}-${lastPosition}.ndjson.gz`, body ?? new Uint8Array(), mayReplace);
  }
}

export const backup = command({
  summary: 'Write old rows of the audit log into signed files, and delete them where that is asked for',
  description:
    'The files lie in the object store of the server; --fetch brings them here too. What is deleted can be read only from them. The chain of hashes goes on behind it.',
  examples: [
    { command: 'admin audit backup', description: 'Rows older than LOG_RETENTION_DAYS; deletes nothing' },
    { command: 'admin audit backup --older-than 365 --delete --fetch', description: 'Asks before it deletes' },
    { command: 'admin audit backup --list', description: 'Those that there are' },
  ],
  flags: {
    'older-than': string({ helpValue: '<days>', summary: 'Take rows that are older than this.' }),
    delete: boolean({ summary: 'Delete the backed-up rows from the log.' }),
    fetch: boolean({ summary: 'Write the files into this folder, too.' }),
    force: boolean({ summary: 'Replace files that exist.' }),
    list: boolean({ summary: 'Only list the newest hundred backups.' }),
    yes: yesFlag,
  },
  async run({ flags, context }) {
    const client = await context.session();
    if (flags.list) return (await client.call(listAuditBackups, { query: { size: 100 } })).records;
    const options = { ...toDays(flags['older-than']), deleteAfterBackup: flags.delete };
    if (flags.delete && !flags.yes)
      await confirm(context, 'Rows that are backed up will be deleted from the log. Go on?', 'nothing was done');
    const backups = await backUpAll(client, options);
    if (flags.fetch) await fetchAll(client, backups, flags.force);
    return backups;
  },
  text: backupsTable,
  note: backups => (backups.length === 0 ? 'there is nothing to back up' : ''),
});
