import { string as argument } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { deleteFile, getFile } from '@recordproof/shared/api/files.ts';
import { command } from '../../command.ts';
import { confirm } from '../../confirm.ts';
import { parseFileHash } from '../../file-table.ts';
import { printable, say } from '../../output.ts';
import type { Program } from '../../program.ts';
import { reportEach } from '../../transfer/report.ts';
import { toSize } from '../../transfer/units.ts';

async function showAndConfirm(program: Program, hashes: readonly string[]): Promise<void> {
  const client = await program.session();
  for (const hash of hashes) {
    const file = await client.call(getFile, { params: { hash } });
    say(`${printable(file.fileName)}  v${file.version}  ${toSize(file.fileSize)}  ${hash}`);
  }
  const question = hashes.length === 1 ? 'Delete this file?' : `Delete these ${hashes.length} files?`;
  await confirm(program, question, 'nothing was deleted');
}

export default command({
  summary: 'Delete files',
  description: 'The newest living version before a deleted one becomes the latest. Proofs that exist stay valid.',
  examples: [
    { command: 'files rm <fileHash>', description: 'Shows the file and asks' },
    { command: 'files rm <fileHash> --yes', description: 'For scripts: does not ask' },
  ],
  args: { files: argument({ required: true, multiple: true, description: 'Hashes of the files.' }) },
  flags: { yes: boolean({ char: 'y', summary: 'Do not ask.' }) },
  async run({ flags, args, program }) {
    const hashes = (args.files as unknown as string[]).map(parseFileHash);
    if (!flags.yes) await showAndConfirm(program, hashes);
    const client = await program.session();
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
