import { string as argument } from '@oclif/core/args';
import { boolean, integer, string } from '@oclif/core/flags';
import { recordId } from '@recordproof/shared/api/common.ts';
import { parseField } from '../account.ts';
import { command } from '../command.ts';
import { Fixable } from '../fixable.ts';
import { printable, say, tint, toTable } from '../output.ts';
import { leaveOutArchives, type ProveReport, proveFiles } from '../proofs/prove-files.ts';
import { collectFiles, sayLeftOut } from '../transfer/collect-files.ts';
import { openTransferKit } from '../transfer/kit.ts';
import type { Failed } from '../transfer/report.ts';

const isDone = (report: ProveReport | Failed): report is ProveReport => report.status !== 'failed';

export default command({
  summary: 'Upload files and get the proof of each',
  description: [
    'Uploads all files, waits until their batches are anchored, and writes <name>.proof.zip beside each. Anybody can',
    'check file and archive with recordproof-verify; the archive holds no byte of the file. Archives beside their files',
    'are left out.',
  ].join(' '),
  examples: [
    { command: 'prove report.pdf', description: 'Writes report.pdf.proof.zip' },
    { command: 'prove contract.pdf --version-of 42', description: 'As the next version of file 42' },
    { command: 'prove *.pdf --no-wait', description: 'Only uploads; `proofs export` gets the archives later' },
  ],
  args: { files: argument({ required: true, multiple: true, description: 'Files, folders or patterns.' }) },
  flags: {
    wait: boolean({ allowNo: true, default: true, summary: 'Wait for the proof (default), or only upload.' }),
    patience: integer({
      helpValue: '<seconds>',
      min: 1,
      max: 86_400,
      default: 900,
      summary: 'How long to wait at most, for all files together.',
    }),
    proxied: boolean({ summary: 'Through the server, which encrypts at rest.' }),
    'version-of': string({ helpValue: '<id>', summary: 'The file whose next version this becomes.' }),
    'skip-existing': boolean({ summary: 'Do not store again what you have stored with the same SHA-256.' }),
    force: boolean({ summary: 'Replace an archive that exists.' }),
    'limit-rate': string({ helpValue: '<rate>', summary: 'Bytes per second, as 500K or 2M.' }),
  },
  async run({ flags, args, program }) {
    const { wait, patience, proxied, force } = flags;
    const target = flags['version-of'];
    const targetFileId = target === undefined ? undefined : parseField('--version-of', recordId, target);
    const { paths, leftOut } = await collectFiles(args.files as unknown as string[]);
    const { files, archives } = leaveOutArchives(paths);
    if (targetFileId !== undefined && files.length > 1)
      throw new Fixable('usage', `--version-of goes with one file, and these are ${files.length}`);
    await using kit = await openTransferKit(program, flags['limit-rate']);
    sayLeftOut(leftOut);
    for (const path of archives) say(`${tint('yellow', 'left out:')} ${printable(path)} is the archive of another`);
    const skipExisting = flags['skip-existing'];
    return await proveFiles(kit, files, {
      proxied,
      targetFileId,
      skipExisting,
      wait,
      patienceSeconds: patience,
      force,
    });
  },
  text: ({ files }) =>
    toTable(
      files
        .filter(isDone)
        .map(({ status, fileId, name, proof }) => [status, fileId, proof?.proofId ?? '', proof?.path ?? name]),
    ),
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
