import { string as argument } from '@oclif/core/args';
import { getProofStatus, getPublicProofStatus, proofId } from '@recordproof/shared/api/proofs.ts';
import { findFileId } from '../../files/find-file.ts';
import { command } from '../../platform/command.ts';
import { statusTable } from '../status-table.ts';

export default command({
  summary: 'Show where a proof stands',
  description: 'By a proof id anybody may ask, without an account.',
  examples: [
    { command: 'proofs status report.pdf', description: 'Of a file of your own' },
    { command: 'proofs status rp-proof-<64 hex digits>', description: 'Of any proof, by its id' },
  ],
  args: {
    proof: argument({ required: true, description: 'Id, record id or name of the file, or the id of the proof.' }),
  },
  async run({ args, context }) {
    const known = proofId.safeParse(args.proof);
    if (known.success)
      return (await context.anonymous()).call(getPublicProofStatus, { params: { proofId: known.data } });
    const client = await context.session();
    return client.call(getProofStatus, { params: { id: await findFileId(client, args.proof) } });
  },
  text: statusTable,
});
