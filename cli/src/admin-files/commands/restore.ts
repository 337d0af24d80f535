import { string } from '@oclif/core/flags';
import { changeFileStatus } from '@recordproof/shared/api/admin-files.ts';
import { fileStatus } from '@recordproof/shared/api/files.ts';
import { command } from '../../platform/command.ts';
import { anyFileArgument, findAnyFile } from '../find-any-file.ts';
import { stateNote } from '../tables.ts';

export default command({
  summary: 'Take the deletion of a file back, while its bytes are held',
  description: 'Its shares stay ended. It counts against the quota of its owner again.',
  examples: [
    { command: 'admin files restore 42 --reason "deleted by mistake"', description: 'Its owner has it again' },
  ],
  args: anyFileArgument,
  flags: { reason: string({ helpValue: '<text>', summary: 'Why; it goes to the audit log.' }) },
  async run({ flags, args, context }) {
    const client = await context.session();
    const { fileHash: hash } = await findAnyFile(client, args.file);
    const body = { status: fileStatus.SUCCESS, ...(flags.reason !== undefined && { reason: flags.reason }) };
    return client.call(changeFileStatus, { params: { hash }, body });
  },
  note: stateNote,
});
