import { mkdir } from 'node:fs/promises';
import { boolean, integer, string } from '@oclif/core/flags';
import type { File } from '@recordproof/shared/api/files.ts';
import { filesArgument, findFile } from '../../files/find-file.ts';
import { command } from '../../platform/command.ts';
import { type Failed, reportEach } from '../../platform/report.ts';
import { extra, linesOf, name } from '../../platform/table.ts';
import { writeWholeFile } from '../../platform/whole-file.ts';
import { toArchivePaths } from '../archive-names.ts';
import { fetchAlone, fetchProof } from '../fetch-proof.ts';

type Exported = {
  readonly name: string;
  readonly status: 'exported';
  readonly fileId: string;
  readonly proofId: string;
};

const exportedLines = linesOf<Exported>({ PROOF: extra(file => file.proofId), WRITTEN: name(file => file.name) });

const isDone = (report: Exported | Failed): report is Exported => report.status !== 'failed';

export default command({
  summary: 'Write the proof archives of files',
  description: 'The same proof is the same bytes each time. An archive holds no byte of its file.',
  examples: [
    { command: 'proofs export report.pdf', description: 'Into report.pdf.proof.zip in this folder' },
    { command: 'proofs export 42 --output evidence.zip', description: 'Under another name' },
    { command: 'proofs export 42 --wait 600', description: 'Waits for the batch, ten minutes at most' },
  ],
  args: filesArgument,
  flags: {
    output: string({ char: 'o', helpValue: '<path>', summary: 'File or folder to write to.' }),
    force: boolean({ summary: 'Replace a file that exists.' }),
    wait: integer({ helpValue: '<seconds>', min: 0, max: 86_400, default: 0, summary: 'Wait for a proof so long.' }),
  },
  async run({ flags, args, context }) {
    const { output, force, wait } = flags;
    const client = await context.session();
    const patience = { leftMs: wait * 1000 };
    const files: File[] = [];
    for (const text of args.files) files.push(await findFile(client, text));
    if (output?.endsWith('/')) await mkdir(output, { recursive: true });
    const paths = await toArchivePaths(
      files.map(file => file.fileName),
      output,
    );
    return reportEach(
      files.map((file, at) => ({ file, path: paths[at] ?? '' })),
      ({ file }) => file.fileName,
      'recordproof proofs export',
      async ({ file: { id }, path }): Promise<Exported> => {
        const { archive, proofId } = await fetchProof(fetchAlone(client), id, { patience });
        await writeWholeFile(path, archive, force);
        return { name: path, status: 'exported', fileId: id, proofId };
      },
    );
  },
  text: ({ files }) => exportedLines(files.filter(isDone)),
  ending: ({ ending }) => ending,
});
