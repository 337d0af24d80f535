import { boolean, string } from '@oclif/core/flags';
import { repairChunk, repairIntegrityAlert } from '@recordproof/shared/api/integrity.ts';
import { command } from '../../platform/command.ts';
import { confirm } from '../../platform/confirm.ts';
import { callLong } from '../call-long.ts';
import { findInBackup, readBytes } from '../find-in-backup.ts';
import { alertArgument, repairText, toAlertParams } from '../tables.ts';

export default command({
  summary: 'Heal a damaged file, and resolve its alert',
  description:
    'The server reads the whole file again and takes what is damaged from other records of the same content. With --from a folder is searched, too: for the stored objects (of a backup of the server) and for the file itself (of a backup of its owner), under whatever names. The server takes only bytes that are exactly the recorded ones. Ends with exit code 1 when something is still damaged.',
  examples: [
    { command: 'admin integrity repair 12', description: 'From other copies on the server' },
    { command: 'admin integrity repair 12 --from /backup/objects', description: 'And from a backup' },
  ],
  args: alertArgument,
  flags: {
    from: string({ helpValue: '<folder>', summary: 'A backup to search for what is damaged.' }),
    yes: boolean({ char: 'y', summary: 'Do not ask.' }),
  },
  async run({ flags, args, context }) {
    const params = toAlertParams(args.alert);
    if (!flags.yes)
      await confirm(context, `Replace the damaged bytes that alert ${params.id} is about?`, 'nothing was replaced');
    const first = await callLong(context, repairIntegrityAlert, { params });
    if (flags.from === undefined || first.damaged.length === 0) return first;
    const found = await findInBackup(flags.from, first);
    for (const bytes of found)
      await callLong(context, repairChunk, {
        params: { ...params, index: bytes.chunk.index },
        query: { form: bytes.form },
        bytes: { size: bytes.end - bytes.start, read: () => readBytes(bytes) },
      });
    if (found.length === 0) return first;
    const last = await callLong(context, repairIntegrityAlert, { params });
    return { ...last, healedChunks: first.healedChunks + found.length + last.healedChunks };
  },
  ending: ({ damaged }) => (damaged.length > 0 ? 'refused' : 'ok'),
  text: repairText,
  note: ({ damaged, alert }) =>
    damaged.length === 0
      ? ''
      : `still damaged; give a backup to search: recordproof admin integrity repair ${alert.id} --from <folder>`,
});
