import { string as argument } from '@oclif/core/args';
import { getProofStatus, getPublicProofStatus, proofId } from '@recordproof/shared/api/proofs.ts';
import { command } from '../../command.ts';
import { findFileId, statusTable } from '../../proofs/file-argument.ts';

export default command({
  summary: 'Show where a proof stands',
  description: 'By a proof id anybody may ask, without an account.',
  examples: [
    { command: 'proofs status <fileHash>', description: 'Of a file of your own' },
    { command: 'proofs status rp-proof-<64 hex digits>', description: 'Of any proof, by its id' },
  ],
  args: { proof: argument({ required: true, description: 'Hash or id of the file, or the id of the proof.' }) },
  async run({ args, program }) {
    const known = proofId.safeParse(args.proof);
    if (known.success)
      return (await program.anonymous()).call(getPublicProofStatus, { params: { proofId: known.data } });
    const client = await program.session();
    return client.call(getProofStatus, { params: { id: await findFileId(client, args.proof) } });
  },
  text: statusTable,
});
