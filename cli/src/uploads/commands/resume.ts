import { integer, string } from '@oclif/core/flags';
import { checkUpload, resumeUpload } from '@recordproof/shared/api/uploads.ts';
import { command } from '../../platform/command.ts';
import { Fixable } from '../../platform/fixable.ts';
import { openTransfers } from '../../platform/transfers.ts';
import { findLocal } from '../local-uploads.ts';
import { parseUpload, uploadArgument } from '../upload-argument.ts';
import { uploadedLines, uploadOne } from '../upload-one.ts';

export default command({
  summary: 'Go on with an upload that was paused or interrupted',
  description: 'When it was begun on this machine, the rest is sent now. Otherwise only its pause ends.',
  examples: [{ command: 'uploads resume <upload>', description: 'Send what is missing' }],
  args: uploadArgument,
  flags: {
    jobs: integer({ helpValue: '<n>', min: 1, max: 16, default: 4, summary: 'Parts sent at the same time.' }),
    'limit-rate': string({ helpValue: '<rate>', summary: 'Bytes per second for all parts together, as 500KB or 2MB.' }),
  },
  async run({ flags, args, context }) {
    const clientId = parseUpload(args.upload);
    const client = await context.session();
    const { status } = await client.call(checkUpload, { query: { clientId } });
    const local = await findLocal(context, clientId);
    if (local) {
      const { mode, fileName, contentType, targetFileId, folder } = local.entry.plan;
      const given = { ...(targetFileId && { targetFileId }), ...(folder && { folder }) };
      const wish = { mode, fileName, contentType, ...given, jobs: flags.jobs };
      await using transfers = await openTransfers(context, flags['limit-rate']);
      return await uploadOne(
        transfers,
        { ...wish, path: local.path, resume: 'require', skipExisting: false },
        local.path,
      );
    }
    if (status !== 'PAUSED')
      throw new Fixable('refused', `this machine has nothing of upload ${clientId}, which is ${status}`, {
        try: 'resume it where it was begun',
      });
    return { ...(await client.call(resumeUpload, { body: { clientId } })), name: null };
  },
  text: result => (result.name === null ? '' : uploadedLines([result])),
  note: result => (result.name === null ? `${result.clientId} takes parts again, from where it was begun` : ''),
});
