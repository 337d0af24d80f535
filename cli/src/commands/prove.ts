import { string as argument } from '@oclif/core/args';
import { boolean, integer, string } from '@oclif/core/flags';
import { recordId } from '@recordproof/shared/api/common.ts';
import { parseUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { parseField } from '../account.ts';
import { command } from '../command.ts';
import { Fixable } from '../fixable.ts';
import { printable, say, toTable } from '../output.ts';
import { fetchProof, writeProof } from '../proofs/fetch-proof.ts';
import { collectFiles, sayLeftOut } from '../transfer/collect-files.ts';
import { openTransferKit, type TransferKit } from '../transfer/kit.ts';
import { type Failed, reportEach } from '../transfer/report.ts';
import { type UploadReport, uploadOne } from '../transfer/upload-one.ts';

export type ProveReport = Omit<UploadReport, 'status'> & {
  readonly status: 'proved' | 'uploaded';
  readonly proof: { readonly path: string; readonly proofId: string } | null;
};

type Wish = {
  readonly proxied: boolean;
  readonly targetFileId: string | undefined;
  readonly skipExisting: boolean;
  readonly wait: boolean;
  readonly patience: number;
  readonly force: boolean;
};

async function proveOne(kit: TransferKit, path: string, wish: Wish): Promise<ProveReport> {
  const { targetFileId, skipExisting } = wish;
  const mode = wish.proxied ? 'proxied' : 'direct';
  const upload = { path, mode, resume: 'allow', jobs: 4, skipExisting } as const;
  const sent = await uploadOne(kit, { ...upload, ...(targetFileId !== undefined && { targetFileId }) }, path);
  if (!wish.wait) return { ...sent, status: 'uploaded', proof: null };
  let isTold = false;
  const onWait = (): void => {
    if (!isTold) say(`${printable(path)}: stored, waiting for its proof`);
    isTold = true;
  };
  const waiting = { seconds: wish.patience, signal: kit.signal, onWait };
  const { archive, entries, proofId } = await fetchProof(kit.server.client, sent.fileId, waiting);
  if (parseUtf8(entries['file.hash']) !== `${sent.contentHash}\n`)
    throw new Fixable('damaged', 'the proof that the server made is that of another file');
  const target = `${path}.proof.zip`;
  await writeProof(target, archive, wish.force);
  return { ...sent, status: 'proved', proof: { path: target, proofId } };
}

const isDone = (report: ProveReport | Failed): report is ProveReport => report.status !== 'failed';

export default command({
  summary: 'Upload files and get the proof of each',
  description: [
    'Uploads, waits until the batch of the file is anchored, and writes <name>.proof.zip beside the file. Anybody can',
    'check file and archive with recordproof-verify; the archive holds no byte of the file.',
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
      summary: 'How long to wait at most.',
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
    if (targetFileId !== undefined && paths.length > 1)
      throw new Fixable('usage', `--version-of goes with one file, and these are ${paths.length}`);
    await using kit = await openTransferKit(program, flags['limit-rate']);
    sayLeftOut(leftOut);
    const wish: Wish = { proxied, targetFileId, skipExisting: flags['skip-existing'], wait, patience, force };
    return await reportEach(
      paths,
      path => path,
      'recordproof prove',
      path => proveOne(kit, path, wish),
    );
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
      ...(stored > 0 ? [`${stored} stored, their proofs will be made`] : []),
      ...(failed > 0 ? [`${failed} failed`] : []),
    ].join(', ');
  },
  ending: ({ ending }) => ending,
});
