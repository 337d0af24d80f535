import { boolean } from '@oclif/core/flags';
import { deleteFile, getFile } from '@recordproof/shared/api/files.ts';
import { command } from '../../platform/command.ts';
import type { CommandContext } from '../../platform/command-context.ts';
import { confirm } from '../../platform/confirm.ts';
import { printable, say } from '../../platform/output.ts';
import { reportEach } from '../../platform/report.ts';
import { shortHash } from '../../platform/table.ts';
import { toSize } from '../../platform/units.ts';
import { filesArgument, findFileHashes } from '../find-file.ts';

async function showAndConfirm(context: CommandContext, hashes: readonly string[]): Promise<void> {
  const client = await context.session();
  for (const hash of hashes) {
    const file = await client.call(getFile, { params: { hash } });
    say(`${printable(file.fileName)}  v${file.version}  ${toSize(file.fileSize)}  ${shortHash(hash)}`);
  }
  const question = hashes.length === 1 ? 'Delete this file?' : `Delete these ${hashes.length} files?`;
  await confirm(context, question, 'nothing was deleted');
}

export default command({
  summary: 'Delete files',
  description: 'The newest living version before a deleted one becomes the latest. Proofs that exist stay valid.',
  examples: [
    { command: 'files rm report.pdf', description: 'Shows the file and asks' },
    { command: 'files rm report.pdf --yes', description: 'For scripts: does not ask' },
  ],
  args: filesArgument,
  flags: { yes: boolean({ char: 'y', summary: 'Do not ask.' }) },
  async run({ flags, args, context }) {
    const client = await context.session();
    const hashes = await findFileHashes(client, args.files);
    if (!flags.yes) await showAndConfirm(context, hashes);
    return reportEach(
      hashes,
      hash => hash,
      'recordproof files rm',
      async hash => {
        await client.call(deleteFile, { params: { hash } });
        return { name: hash, status: 'deleted' as const };
      },
    );
  },
  note: ({ files, failed }) => `${files.length - failed} deleted${failed > 0 ? `, ${failed} failed` : ''}`,
  ending: ({ ending }) => ending,
});
