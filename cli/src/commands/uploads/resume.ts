import { integer, string } from '@oclif/core/flags';
import { checkUpload, resumeUpload } from '@recordproof/shared/api/uploads.ts';
import { command } from '../../command.ts';
import { Fixable } from '../../fixable.ts';
import { toTable } from '../../output.ts';
import { openTransferKit } from '../../transfer/kit.ts';
import { findLocal } from '../../transfer/local-uploads.ts';
import { toSize } from '../../transfer/units.ts';
import { uploadOne } from '../../transfer/upload-one.ts';
import { parseUpload, uploadArgument } from '../../upload-argument.ts';

export default command({
  summary: 'Go on with an upload that was paused or interrupted',
  description: 'When it was begun on this machine, the rest is sent now. Otherwise only its pause ends.',
  examples: [{ command: 'uploads resume <upload>', description: 'Send what is missing' }],
  args: uploadArgument,
  flags: {
    jobs: integer({ helpValue: '<n>', min: 1, max: 16, default: 4, summary: 'Parts sent at the same time.' }),
    'limit-rate': string({ helpValue: '<rate>', summary: 'Bytes per second for all parts together, as 500K or 2M.' }),
  },
  async run({ flags, args, program }) {
    const clientId = parseUpload(args.upload);
    const client = await program.session();
    const { status } = await client.call(checkUpload, { query: { clientId } });
    const local = await findLocal(program, clientId);
    if (local) {
      const { mode, fileName, contentType, targetFileId } = local.entry.plan;
      const wish = { mode, fileName, contentType, ...(targetFileId && { targetFileId }), jobs: flags.jobs };
      await using kit = await openTransferKit(program, flags['limit-rate']);
      return await uploadOne(kit, { ...wish, path: local.path, resume: 'require', skipExisting: false }, local.path);
    }
    if (status !== 'PAUSED')
      throw new Fixable('refused', `this machine has nothing of upload ${clientId}, which is ${status}`, {
        try: 'resume it where it was begun',
      });
    return { ...(await client.call(resumeUpload, { body: { clientId } })), name: null };
  },
  text: result =>
    result.name === null
      ? ''
      : toTable([[result.status, result.fileId, result.fileHash, toSize(result.bytes), result.name]]),
  note: result => (result.name === null ? `${result.clientId} takes parts again, from where it was begun` : ''),
});
