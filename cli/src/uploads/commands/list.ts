import type { AnswerOf } from '@recordproof/shared/api/endpoint.ts';
import { listUploads } from '@recordproof/shared/api/uploads.ts';
import { command } from '../../platform/command.ts';
import { name, tableOf } from '../../platform/table.ts';
import { toSize } from '../../platform/units.ts';
import { listLocal } from '../local-uploads.ts';

type Listed = AnswerOf<typeof listUploads>[number] & { readonly path: string | null };

export default command({
  summary: 'List your uploads that are not finished',
  examples: [{ command: 'uploads list', description: 'What can be resumed, and which file of this machine it is' }],
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
