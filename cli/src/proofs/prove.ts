// The command `prove`.
import { mkdir } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Interfaces } from '@oclif/core';
import { boolean, integer, string } from '@oclif/core/flags';
import { findFileId } from '../files/find-file.ts';
import { many } from '../platform/arguments.ts';
import { command } from '../platform/command.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { CommandError } from '../platform/command-error.ts';
import { printable, tint, writeMessage } from '../platform/output.ts';
import type { Failed } from '../platform/report.ts';
import { openTransfers } from '../platform/transfers.ts';
import { collectFiles, writeLeftOut } from '../uploads/collect-files.ts';
import { openFinished } from '../uploads/finished-files.ts';
import { type ArchiveForm, besideFile, toArchivePaths } from './archive-names.ts';
import { isOver, leaveOutArchives, type ProveReport, proveFiles } from './prove-files.ts';
import { proveFolder } from './prove-folder.ts';

const isDone = (report: ProveReport | Failed): report is ProveReport => report.status !== 'failed';

/** The path of each archive: next to its file, or the output path. */
async function archivePathsOf(
  files: readonly string[],
  output: string | undefined,
  form: ArchiveForm,
): Promise<(path: string) => string> {
  const beside = (path: string): string => besideFile(path, form);
  if (output === undefined) return beside;
  if (output.endsWith('/')) await mkdir(output, { recursive: true });
  const paths = await toArchivePaths(
    files.map(file => basename(file)),
    output,
    form,
  );
  const byFile = new Map(files.map((file, at) => [file, paths[at] ?? beside(file)]));
  return file => byFile.get(file) ?? beside(file);
}

const flags = {
  wait: boolean({ allowNo: true, default: true, summary: 'Wait for the proof (default), or only upload.' }),
  patience: integer({
    helpValue: '<seconds>',
    min: 1,
    max: 86_400,
    default: 900,
    summary: 'How long to wait at most, for all files together.',
  }),
  'wait-vouched': boolean({ summary: 'Wait until others have vouched for the time, too.' }),
  'one-file': boolean({ summary: 'Write <name>.evidence.zip: the archive and all vouchers in one file.' }),
  'as-one': boolean({ summary: 'One proof for a whole folder, of the list of its files.' }),
  private: boolean({ dependsOn: ['as-one'], summary: 'Send only the list; the files stay here.' }),
  proxied: boolean({ summary: 'Through the server, which encrypts at rest.' }),
  'version-of': string({ helpValue: '<file>', summary: 'The file whose next version this becomes.' }),
  'skip-existing': boolean({ summary: 'Skip files that you have stored with the same SHA-256.' }),
  output: string({
    char: 'o',
    helpValue: '<path>',
    summary: 'File or folder for the archives; else beside the files.',
  }),
  force: boolean({ summary: 'Replace an archive that exists.' }),
  'limit-rate': string({ helpValue: '<rate>', summary: 'Bytes per second, as 500KB or 2MB.' }),
};

type Flags = Interfaces.InferredFlags<typeof flags>;

const toEvidenceOptions = (flags: Pick<Flags, 'wait-vouched' | 'one-file'>) => ({
  isVouched: flags['wait-vouched'],
  form: flags['one-file'] ? ('evidence' as const) : ('proof' as const),
});

async function proveAsOne(flags: Flags, folders: readonly string[], context: CommandContext) {
  const [folder = '', ...others] = folders;
  if (others.length > 0)
    throw new CommandError('usage', `--as-one goes with one folder, and these are ${folders.length}`);
  const { wait, patience, proxied, force, output } = flags;
  const target = flags['version-of'];
  await using transfers = await openTransfers(context, flags['limit-rate']);
  const targetFileId = target === undefined ? undefined : await findFileId(transfers.server.client, target);
  const finished = await openFinished(transfers, folders, { command: 'prove --as-one', proxied, target: targetFileId });
  return await proveFolder(transfers, folder, {
    finished,
    proxied,
    targetFileId,
    skipExisting: flags['skip-existing'],
    wait,
    maxWaitSeconds: patience,
    force,
    ...toEvidenceOptions(flags),
    output,
    isPrivate: flags.private,
  });
}

export const prove = command({
  summary: 'Upload files and get the proof of each',
  description: [
    'Uploads all files, waits until their batches are anchored, and writes <name>.proof.zip beside each. Anyone can',
    'check file and archive with recordproof-verify; the archive holds no byte of the file. Archives beside their files',
    'and vouchers are left out. What others say about the time is written beside the archive where it is there already:',
    '<name>.tlog-proof, <name>.tsr, <name>.ots; with --wait-vouched it is waited for. With --as-one a folder gets one proof: of the list of its files, <folder>.folder.json.',
  ].join(' '),
  examples: [
    { command: 'prove report.pdf', description: 'Writes report.pdf.proof.zip' },
    { command: 'prove contract.pdf --version-of 42', description: 'As the next version of file 42' },
    { command: 'prove *.pdf --output proofs/', description: 'The archives into a folder of their own' },
    {
      command: 'prove dataset --as-one --private',
      description: 'One proof for a folder, of which only the list is sent',
    },
    { command: 'prove report.pdf --wait-vouched --one-file', description: 'Everything in report.pdf.evidence.zip' },
    { command: 'prove *.pdf --no-wait', description: 'Only uploads; `proofs export` gets the archives later' },
  ],
  args: { files: many({ required: true, description: 'Files, folders or patterns.' }) },
  flags,
  async run({ flags, args, context }) {
    if (flags['as-one']) return await proveAsOne(flags, args.files, context);
    const { wait, patience, proxied, force } = flags;
    const target = flags['version-of'];
    const { paths, leftOut, folders } = await collectFiles(args.files);
    const { files, archives } = leaveOutArchives(paths);
    if (target !== undefined && files.length > 1)
      throw new CommandError('usage', `--version-of goes with one file, and these are ${files.length}`);
    const { isVouched, form } = toEvidenceOptions(flags);
    const toArchivePath = await archivePathsOf(files, flags.output, form);
    await using transfers = await openTransfers(context, flags['limit-rate']);
    writeLeftOut(leftOut);
    for (const path of archives)
      writeMessage(`${tint('yellow', 'left out:')} ${printable(path)} belongs to the proof of another`);
    const skipExisting = flags['skip-existing'];
    const targetFileId = target === undefined ? undefined : await findFileId(transfers.server.client, target);
    const finished = await openFinished(transfers, args.files, { command: 'prove', proxied, target: targetFileId });
    const reports = await proveFiles(transfers, files, {
      proxied,
      targetFileId,
      skipExisting,
      folders,
      wait,
      maxWaitSeconds: patience,
      force,
      finished,
      isVouched,
      form,
      toArchivePath,
    });
    if (await isOver(reports, { wait, toArchivePath })) await finished.forget();
    return reports;
  },
  note({ files, failed }) {
    const proved = files.filter(isDone).filter(({ status }) => status === 'proved').length;
    const stored = files.length - failed - proved;
    return [
      `${proved} proved`,
      ...(stored > 0 ? [`${stored} stored; later: recordproof proofs export <id>`] : []),
      ...(failed > 0 ? [`${failed} failed`] : []),
    ].join(', ');
  },
  ending: ({ ending }) => ending,
});
