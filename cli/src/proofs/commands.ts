// Commands under `proofs`.
import { mkdir } from 'node:fs/promises';
import { string as argument } from '@oclif/core/args';
import { boolean, integer, string } from '@oclif/core/flags';
import type { File } from '@recordproof/shared/api/files.ts';
import {
  getProofStatus,
  getPublicProofStatus,
  type ProofStatusView,
  proofId,
  revokeProof,
} from '@recordproof/shared/api/proofs.ts';
import { fileArgument, filesArgument, findFile, findFileId } from '../files/find-file.ts';
import { command } from '../platform/command.ts';
import { confirm, yesFlag } from '../platform/confirm.ts';
import { type Failed, reportEach } from '../platform/report.ts';
import { alignRows, extra, linesOf, name } from '../platform/table.ts';
import { type ArchiveForm, toArchivePaths } from './archive-names.ts';
import { fetchAlone, fetchProof, type Waiting } from './fetch-proof.ts';
import { writeEvidence } from './write-evidence.ts';

const statusTable = (proof: ProofStatusView): string =>
  alignRows([
    ['proof', proof.proofId],
    ['status', proof.status],
    ['status version', String(proof.statusVersion)],
    ['reason', proof.reason ?? 'none'],
    ['key', `${proof.keyId} version ${proof.keyVersion}`],
    ['issued', proof.issuedAt],
    ['updated', proof.updatedAt],
  ]);

export const status = command({
  summary: 'Show the status of a proof',
  description: 'With a proof id no account is needed.',
  examples: [
    { command: 'proofs status report.pdf', description: 'Of a file of your own' },
    { command: 'proofs status rp-proof-<64 hex digits>', description: 'Of any proof, by its id' },
  ],
  args: {
    proof: argument({ required: true, description: 'Id, record id or name of the file, or the id of the proof.' }),
  },
  async run({ args, context }) {
    const parsed = proofId.safeParse(args.proof);
    if (parsed.success)
      return (await context.anonymous()).call(getPublicProofStatus, { params: { proofId: parsed.data } });
    const client = await context.session();
    return client.call(getProofStatus, { params: { id: await findFileId(client, args.proof) } });
  },
  text: statusTable,
});

type Exported = {
  readonly name: string;
  readonly status: 'exported';
  readonly fileId: string;
  readonly proofId: string;
  /** Vouchers for its time that are not in the archive. */
  readonly vouchers: readonly string[];
};

const exportedLines = linesOf<Exported>({ PROOF: extra(file => file.proofId), WRITTEN: name(file => file.name) });

const isDone = (report: Exported | Failed): report is Exported => report.status !== 'failed';

export const exportProofs = command({
  summary: 'Write the proof archives of files',
  description: [
    'The same proof is the same bytes each time. An archive holds no byte of its file. Beside it is written what others say',
    'about its time: <name>.tlog-proof, <name>.tsr and <name>.ots, as far as they are there.',
  ].join(' '),
  examples: [
    { command: 'proofs export report.pdf', description: 'Into report.pdf.proof.zip in this folder' },
    { command: 'proofs export 42 --one-file', description: 'Archive and vouchers in one file' },
    { command: 'proofs export 42 --output archive.zip', description: 'Under another name' },
    { command: 'proofs export 42 --wait 600', description: 'Waits for the batch, ten minutes at most' },
  ],
  args: filesArgument,
  flags: {
    output: string({ char: 'o', helpValue: '<path>', summary: 'File or folder to write to.' }),
    force: boolean({ summary: 'Replace a file that exists.' }),
    'wait-vouched': boolean({ summary: 'Wait until others have vouched for the time, too; needs --wait.' }),
    'one-file': boolean({ summary: 'Write <name>.evidence.zip: the archive and all vouchers in one file.' }),
    wait: integer({ helpValue: '<seconds>', min: 0, max: 86_400, default: 0, summary: 'Wait for a proof so long.' }),
  },
  async run({ flags, args, context }) {
    const { output, force, wait } = flags;
    const client = await context.session();
    const timeLeft = { leftMs: wait * 1000 };
    const form: ArchiveForm = flags['one-file'] ? 'evidence' : 'proof';
    const waiting: Waiting = { timeLeft, isVouched: flags['wait-vouched'], form };
    const files: File[] = [];
    for (const text of args.files) files.push(await findFile(client, text));
    if (output?.endsWith('/')) await mkdir(output, { recursive: true });
    const paths = await toArchivePaths(
      files.map(file => file.fileName),
      output,
      form,
    );
    return reportEach(
      files.map((file, at) => ({ file, path: paths[at] ?? '' })),
      ({ file }) => file.fileName,
      'recordproof proofs export',
      async ({ file: { id }, path }): Promise<Exported> => {
        const { evidence, proofId, unvouched } = await fetchProof(fetchAlone(client), id, waiting);
        const vouchers = await writeEvidence(evidence, { path, form, force });
        if (unvouched) throw unvouched;
        return { name: path, status: 'exported', fileId: id, proofId, vouchers };
      },
    );
  },
  text: ({ files }) => exportedLines(files.filter(isDone)),
  ending: ({ ending }) => ending,
});

export const revoke = command({
  summary: 'Revoke the proof of a file, for good',
  description: 'Online verification of the archive reports from then on that it is revoked, and why.',
  examples: [
    { command: 'proofs revoke report.pdf --reason "sent by mistake"', description: 'Asks before it does' },
    { command: 'proofs revoke 42 --reason "key lost" --yes', description: 'For scripts: does not ask' },
  ],
  args: fileArgument,
  flags: {
    reason: string({
      required: true,
      helpValue: '<text>',
      summary: 'The reason; it is public. At most 256 letters.',
    }),
    yes: yesFlag,
  },
  async run({ flags, args, context }) {
    const client = await context.session();
    const id = await findFileId(client, args.file);
    if (!flags.yes)
      await confirm(context, `Revoke the proof of file ${id}? It cannot be undone.`, 'nothing was revoked');
    return client.call(revokeProof, { params: { id }, body: { reason: flags.reason } });
  },
  text: statusTable,
});
