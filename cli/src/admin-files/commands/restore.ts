import { boolean, string } from '@oclif/core/flags';
import { changeFileStatus } from '@recordproof/shared/api/admin-files.ts';
import { fileStatus } from '@recordproof/shared/api/files.ts';
import { command } from '../../platform/command.ts';
import { confirm } from '../../platform/confirm.ts';
import { say } from '../../platform/output.ts';
import { anyFileArgument, findAnyFile } from '../find-any-file.ts';
import { describeFile, stateNote } from '../tables.ts';

export default command({
  summary: 'Take the deletion of a file back, while its bytes are held',
  description: 'Its shares stay ended. It counts against the quota of its owner again.',
  examples: [
    {
      command: 'admin files restore 42 --reason "deleted by mistake"',
      description: 'Shows the file and its owner, and asks',
    },
    { command: 'admin files restore 42 --yes', description: 'For scripts: does not ask' },
  ],
  args: anyFileArgument,
  flags: {
    reason: string({ helpValue: '<text>', summary: 'Why; it goes to the audit log.' }),
    yes: boolean({ char: 'y', summary: 'Do not ask.' }),
  },
  async run({ flags, args, context }) {
    const client = await context.session();
    const file = await findAnyFile(client, args.file);
    if (!flags.yes) {
      say(describeFile(file));
      await confirm(context, 'Take the deletion of this file back?', 'nothing was restored');
    }
    const { fileHash: hash } = file;
    const body = { status: fileStatus.SUCCESS, ...(flags.reason !== undefined && { reason: flags.reason }) };
    return client.call(changeFileStatus, { params: { hash }, body });
  },
  note: stateNote,
});
