import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { string as argument } from '@oclif/core/args';
import { boolean, integer, string } from '@oclif/core/flags';
import { command } from '../../command.ts';
import { Fixable } from '../../fixable.ts';
import { printable, toTable } from '../../output.ts';
import { fetchProof, writeProof } from '../../proofs/fetch-proof.ts';
import { findFileId } from '../../proofs/file-argument.ts';
import { type Failed, reportEach } from '../../transfer/report.ts';

type Exported = {
  readonly name: string;
  readonly status: 'exported';
  readonly fileId: string;
  readonly proofId: string;
};

const isFolder = async (path: string): Promise<boolean> =>
  path.endsWith('/') || (await stat(path).catch(() => undefined))?.isDirectory() === true;

const isDone = (report: Exported | Failed): report is Exported => report.status !== 'failed';

export default command({
  summary: 'Write the proof archives of files',
  description: 'The same proof is the same bytes each time. An archive holds no byte of its file.',
  examples: [
    { command: 'proofs export <fileHash>', description: 'Into proof-<id>.zip in this folder' },
    { command: 'proofs export 42 --output report.pdf.proof.zip', description: 'Under another name' },
    { command: 'proofs export 42 --wait 600', description: 'Waits for the batch, ten minutes at most' },
  ],
  args: { files: argument({ required: true, multiple: true, description: 'Hashes or ids of the files.' }) },
  flags: {
    output: string({ char: 'o', helpValue: '<path>', summary: 'File or folder to write to.' }),
    force: boolean({ summary: 'Replace a file that exists.' }),
    wait: integer({ helpValue: '<seconds>', min: 0, max: 86_400, default: 0, summary: 'Wait for a proof so long.' }),
  },
  async run({ flags, args, program }) {
    const files = args.files as unknown as string[];
    const { output, force, wait } = flags;
    const folder = output !== undefined && (await isFolder(output)) ? output : undefined;
    if (output !== undefined && folder === undefined && files.length > 1)
      throw new Fixable('usage', `--output ${output} is one file, but ${files.length} proofs are asked for`);
    const client = await program.session();
    return reportEach(
      files,
      file => file,
      'recordproof proofs export',
      async (file): Promise<Exported> => {
        const fileId = await findFileId(client, file);
        const { archive, proofId } = await fetchProof(client, fileId, { seconds: wait });
        const name = folder === undefined && output !== undefined ? output : join(folder ?? '.', `proof-${fileId}.zip`);
        await writeProof(name, archive, force);
        return { name, status: 'exported', fileId, proofId };
      },
    );
  },
  text: ({ files }) => toTable(files.filter(isDone).map(({ name, proofId }) => [proofId, printable(name)])),
  ending: ({ ending }) => ending,
});
