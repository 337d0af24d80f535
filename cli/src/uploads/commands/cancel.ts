import { ApiError } from '@recordproof/shared/api/errors.ts';
import { abortDirectUpload, cancelUpload, listUploads } from '@recordproof/shared/api/uploads.ts';
import { command } from '../../platform/command.ts';
import type { CommandContext } from '../../platform/command-context.ts';
import { findLocal, forgetLocal } from '../local-uploads.ts';
import { parseUpload, uploadArgument } from '../upload-argument.ts';

async function isDirectUpload(context: CommandContext, clientId: string): Promise<boolean> {
  const uploads = await (await context.session()).call(listUploads);
  return uploads.some(upload => upload.clientId === clientId && upload.direct);
}

/** True when the server still knew it. What is gone already is what was wished for, if there are notes to throw away. */
async function giveUp(
  context: CommandContext,
  clientId: string,
  isDirect: boolean,
  mayBeGone: boolean,
): Promise<boolean> {
  const client = await context.session();
  try {
    if (isDirect) await client.call(abortDirectUpload, { params: { clientId } });
    else await client.call(cancelUpload, { body: { clientId } });
    return true;
  } catch (error) {
    if (mayBeGone && error instanceof ApiError && error.kind === 'UPLOAD_SESSION_NOT_FOUND') return false;
    throw error;
  }
}

export default command({
  summary: 'Give an upload up',
  description: 'What has arrived is removed at the server, and what this machine knows of it is forgotten.',
  examples: [{ command: 'uploads cancel <upload>', description: 'The file on this machine stays as it is' }],
  args: uploadArgument,
  async run({ args, context }) {
    const clientId = parseUpload(args.upload);
    const local = await findLocal(context, clientId);
    const isDirect = local ? local.entry.plan.mode === 'direct' : await isDirectUpload(context, clientId);
    const wasKnown = await giveUp(context, clientId, isDirect, local !== undefined);
    if (local) await forgetLocal(local);
    return { clientId, status: 'CANCELLED' as const, wasKnown, path: local?.path ?? null };
  },
  note: ({ clientId, wasKnown }) =>
    wasKnown
      ? `${clientId} was given up.`
      : `The server knows nothing of ${clientId} any more; it is forgotten here too.`,
});
