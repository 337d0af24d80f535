import { boolean, string } from '@oclif/core/flags';
import { revokeProof } from '@recordproof/shared/api/proofs.ts';
import { fileArgument, findFileId } from '../../files/find-file.ts';
import { command } from '../../platform/command.ts';
import { confirm } from '../../platform/confirm.ts';
import { statusTable } from '../status-table.ts';

export default command({
  summary: 'Revoke the proof of a file, for good',
  description: 'Whoever verifies the archive online from then on is told that it is revoked, and why.',
  examples: [
    { command: 'proofs revoke report.pdf --reason "sent by mistake"', description: 'Asks before it does' },
    { command: 'proofs revoke 42 --reason "key lost" --yes', description: 'For scripts: does not ask' },
  ],
  args: fileArgument,
  flags: {
    reason: string({
      required: true,
      helpValue: '<text>',
      summary: 'Why; everybody can read it. At most 256 letters.',
    }),
    yes: boolean({ char: 'y', summary: 'Do not ask.' }),
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
