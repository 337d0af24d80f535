import { boolean, string } from '@oclif/core/flags';
import { changeFileStatus } from '@recordproof/shared/api/admin-files.ts';
import { fileStatus } from '@recordproof/shared/api/files.ts';
import { command } from '../../platform/command.ts';
import { confirm } from '../../platform/confirm.ts';
import { say } from '../../platform/output.ts';
import { reportEach } from '../../platform/report.ts';
import { anyFilesArgument, findAnyFile } from '../find-any-file.ts';
import { describeFile } from '../tables.ts';

export default command({
  summary: 'Delete files, whoever owns them',
  description: 'Their shares end. Until the retention time is over they can be restored; their proofs stay valid.',
  examples: [
    {
      command: 'admin files delete 42 --reason "a court order"',
      description: 'Shows the file and its owner, and asks',
    },
    { command: 'admin files delete 42 43 --yes', description: 'For scripts: does not ask' },
  ],
  args: anyFilesArgument,
  flags: {
    reason: string({ helpValue: '<text>', summary: 'Why; it goes to the audit log.' }),
    yes: boolean({ char: 'y', summary: 'Do not ask.' }),
  },
  async run({ flags, args, context }) {
    const client = await context.session();
    const files = [];
    for (const text of args.files) files.push(await findAnyFile(client, text));
    if (!flags.yes) {
      for (const file of files) say(describeFile(file));
      const question = files.length === 1 ? 'Delete this file?' : `Delete these ${files.length} files?`;
      await confirm(context, question, 'nothing was deleted');
    }
    const { DELETE: status } = fileStatus;
    const body = { status, ...(flags.reason !== undefined && { reason: flags.reason }) };
    return reportEach(
      files,
      file => file.fileHash,
      'recordproof admin files delete',
      async ({ fileHash: hash }) => {
        await client.call(changeFileStatus, { params: { hash }, body });
        return { name: hash, status: 'deleted' as const };
      },
    );
  },
  note: ({ files, failed }) => `${files.length - failed} deleted${failed > 0 ? `, ${failed} failed` : ''}`,
  ending: ({ ending }) => ending,
});
