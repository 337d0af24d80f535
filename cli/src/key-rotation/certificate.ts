// The command that writes the certificate of a completed key rotation.
import { boolean, string } from '@oclif/core/flags';
import { exportRotationItems, issueRetirementCertificate } from '@recordproof/shared/api/key-rotation.ts';
import { toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import {
  parseRetirementDocument,
  retirementDocumentText,
} from '@recordproof/shared/evidence/retirement-certificate.ts';
import { command } from '../platform/command.ts';
import { findRunId, runArgument } from '../platform/run-commands.ts';
import { alignRows } from '../platform/table.ts';
import { toCount } from '../platform/units.ts';
import { writeWholeFile } from '../platform/whole-file.ts';
import { rotations } from './rotations.ts';

export const certificate = command({
  summary: 'Write the signed certificate of a completed run',
  description:
    'It says which keys wrapped how much before and after, and has the digest of all items. Together with --items it says which key wrapped which file. No key is in either. With the issuer’s public key both can be checked: recordproof-verify certificate.',
  examples: [
    { command: 'admin key-rotation certificate', description: 'Of the newest run, into key-retirement-<run>.json' },
    { command: 'admin key-rotation certificate 7 -o cert.json --items items.ndjson', description: 'For an auditor' },
  ],
  args: runArgument,
  flags: {
    output: string({ char: 'o', helpValue: '<file>', summary: 'Where to write the certificate.' }),
    items: string({ helpValue: '<file>', summary: 'Write the items, too: a line of JSON for each.' }),
    force: boolean({ summary: 'Replace files that exist.' }),
  },
  async run({ flags, args, context }) {
    const client = await context.session();
    const params = { runId: await findRunId(rotations, client, args.run) };
    const document = await client.call(issueRetirementCertificate, { params });
    const text = toUtf8(retirementDocumentText(document));
    const { certificate } = parseRetirementDocument(text);
    const output = flags.output ?? `key-retirement-${params.runId}.json`;
    await writeWholeFile(output, text, flags.force);
    if (flags.items !== undefined) {
      const { body } = await client.open(exportRotationItems, { params });
      await writeWholeFile(flags.items, body ?? new Uint8Array(), flags.force);
    }
    return { output, items: flags.items ?? null, certificate };
  },
  text: ({ output, items, certificate }) =>
    alignRows([
      ['written', output],
      ...(items === null ? [] : [['items', items]]),
      ['envelopes', toCount(certificate.counts.total)],
      ['moved', toCount(certificate.counts.succeeded)],
      ['old keys', certificate.oldKeyInUse ? 'STILL IN USE' : 'not in use any more'],
      ['signed by', `${certificate.signature.keyId}, version ${certificate.signature.keyVersion}`],
    ]),
  note: ({ output, items }) =>
    `check it: recordproof-verify certificate ${output}${items === null ? '' : ` --items ${items}`} --trusted-key <key.json>`,
});
