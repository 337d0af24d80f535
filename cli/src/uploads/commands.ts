// Commands under `uploads`: list, pause, resume and cancel unfinished uploads.

import { string as argument } from '@oclif/core/args';
import { integer, string } from '@oclif/core/flags';
import { cancelUpload, checkUpload, pauseUpload, resumeUpload } from '@recordproof/shared/api/chunked-uploads.ts';
import { abortDirectUpload } from '@recordproof/shared/api/direct-uploads.ts';
import type { AnswerOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { listUploads } from '@recordproof/shared/api/upload-sessions.ts';
import { clientId } from '@recordproof/shared/api/uploads.ts';
import { type ListedUpload, listUploadJournals, openUploadJournal } from '@recordproof/shared/node/upload-journals.ts';
import { completedBy } from '../platform/arguments.ts';
import { command } from '../platform/command.ts';
import type { CommandContext } from '../platform/command-context.ts';
import { CommandError } from '../platform/command-error.ts';
import { parseField } from '../platform/fields.ts';
import { name, tableOf } from '../platform/table.ts';
import { openTransfers, toFolders } from '../platform/transfers.ts';
import { toSize } from '../platform/units.ts';
import { uploadedLines, uploadOne } from './upload-one.ts';

/** The upload that a command is about. */
const uploadArgument = {
  upload: argument({
    required: true,
    description: 'Id of the upload, as `uploads list` shows it.',
    ...completedBy('uploads'),
  }),
};

const parseUpload = (text: string): string => parseField('Upload', clientId, text);

async function listLocal(context: CommandContext): Promise<ListedUpload[]> {
  const { server } = await context.settings();
  return listUploadJournals(toFolders().uploads).filter(found => found.server === server.value);
}

const findLocal = async (context: CommandContext, clientId: string): Promise<ListedUpload | undefined> =>
  (await listLocal(context)).find(({ entry }) => entry.plan.clientId === clientId);

async function forgetLocal({ path, server, account }: ListedUpload): Promise<void> {
  await using journal = openUploadJournal(toFolders().uploads, { path, server, account });
  journal.remove();
}

type Listed = AnswerOf<typeof listUploads>[number] & { readonly path: string | null };

export const list = command({
  summary: 'List your uploads that are not finished',
  examples: [{ command: 'uploads list', description: 'Uploads that can be resumed, with their local files' }],
  async run({ context }) {
    const uploads = await (await context.session()).call(listUploads);
    const local = await listLocal(context);
    return uploads.map(upload => ({
      ...upload,
      path: local.find(({ entry }) => entry.plan.clientId === upload.clientId)?.path ?? null,
    }));
  },
  text: tableOf<Listed>({
    UPLOAD: upload => upload.clientId,
    STATUS: upload => upload.status,
    WAY: upload => (upload.direct ? 'direct' : 'proxied'),
    DONE: upload => `${Math.floor((100 * upload.uploadedChunkCount) / upload.totalChunks)} %`,
    SIZE: upload => toSize(upload.fileSize),
    FILE: name(upload => upload.path ?? upload.fileName),
  }),
  note: uploads => (uploads.length === 0 ? 'no unfinished uploads' : ''),
});

export const pause = command({
  summary: 'Pause an upload',
  description: 'A run that is sending it ends; received parts stay until the upload expires.',
  examples: [{ command: 'uploads pause <upload>', description: 'Go on with: uploads resume <upload>' }],
  args: uploadArgument,
  run: async ({ args, context }) =>
    (await context.session()).call(pauseUpload, { body: { clientId: parseUpload(args.upload) } }),
  note: ({ clientId, status }) => `${clientId} is ${status}`,
});

export const resume = command({
  summary: 'Continue an upload that was paused or interrupted',
  description: 'An upload of this machine sends its missing parts now. Of any other upload, only the pause ends.',
  examples: [{ command: 'uploads resume <upload>', description: 'Send the missing parts' }],
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
      const { mode, fileName, contentType, targetFileId, folder, onConflict } = local.entry.plan;
      const optional = {
        ...(targetFileId && { targetFileId }),
        ...(folder && { folder }),
        ...(onConflict && { onConflict }),
      };
      const options = { mode, fileName, contentType, ...optional, jobs: flags.jobs };
      await using transfers = await openTransfers(context, flags['limit-rate']);
      return await uploadOne(
        transfers,
        { ...options, path: local.path, resume: 'require', skipExisting: false },
        local.path,
      );
    }
    if (status !== 'PAUSED')
      throw new CommandError('refused', `upload ${clientId} (${status}) was not started on this machine`, {
        try: 'resume it on the machine where it was started',
      });
    return { ...(await client.call(resumeUpload, { body: { clientId } })), name: null };
  },
  text: result => (result.name === null ? '' : uploadedLines([result])),
  note: result =>
    result.name === null ? `${result.clientId} accepts parts again; continue on the machine where it was started` : '',
});

async function isDirectUpload(context: CommandContext, clientId: string): Promise<boolean> {
  const uploads = await (await context.session()).call(listUploads);
  return uploads.some(upload => upload.clientId === clientId && upload.direct);
}

/** True when the server still knew the upload. An upload that is gone already counts as cancelled if it has a local journal. */
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

export const cancel = command({
  summary: 'Cancel an upload',
  description: 'Received parts are removed at the server, and the local journal is deleted.',
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
    wasKnown ? `${clientId} was cancelled.` : `The server no longer has upload ${clientId}; it is removed here too.`,
});
