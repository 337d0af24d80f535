import { boolean, string } from '@oclif/core/flags';
import {
  type AuditBackup,
  backUpAuditLogs,
  downloadAuditBackup,
  listAuditBackups,
} from '@recordproof/shared/api/audit-review.ts';
import type { Client } from '@recordproof/shared/api/client.ts';
import { command } from '../../platform/command.ts';
import { confirm } from '../../platform/confirm.ts';
import { Fixable } from '../../platform/fixable.ts';
import { writeWholeFile } from '../../platform/whole-file.ts';
import { backupsTable } from '../tables.ts';

type Wish = { readonly retentionDays?: number; readonly deleteAfterBackup: boolean };

function toDays(text: string | undefined): { retentionDays?: number } {
  if (text === undefined) return {};
  if (!/^[1-9][0-9]{0,4}$/.test(text)) throw new Fixable('usage', '--older-than takes a number of days, at least 1');
  return { retentionDays: Number(text) };
}

/** File by file, until nothing old enough is left. */
async function backUpAll(client: Client, wish: Wish): Promise<AuditBackup[]> {
  const backups: AuditBackup[] = [];
  for (;;) {
    const { backup, complete } = await client.call(backUpAuditLogs, { body: wish });
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

export default command({
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
    delete: boolean({ summary: 'Delete from the log what backups have.' }),
    fetch: boolean({ summary: 'Write the files into this folder, too.' }),
    force: boolean({ summary: 'Replace files that exist.' }),
    list: boolean({ summary: 'Only list the newest hundred backups.' }),
    yes: boolean({ char: 'y', summary: 'Do not ask.' }),
  },
  async run({ flags, context }) {
    const client = await context.session();
    if (flags.list) return (await client.call(listAuditBackups, { query: { size: 100 } })).records;
    const wish = { ...toDays(flags['older-than']), deleteAfterBackup: flags.delete };
    if (flags.delete && !flags.yes)
      await confirm(context, 'Rows that are backed up will be deleted from the log. Go on?', 'nothing was done');
    const backups = await backUpAll(client, wish);
    if (flags.fetch) await fetchAll(client, backups, flags.force);
    return backups;
  },
  text: backupsTable,
  note: backups => (backups.length === 0 ? 'there is nothing to back up' : ''),
});
