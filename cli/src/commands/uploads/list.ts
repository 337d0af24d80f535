import { listUploads } from '@recordproof/shared/api/uploads.ts';
import { command } from '../../command.ts';
import { toTable } from '../../output.ts';
import { listLocal } from '../../transfer/local-uploads.ts';
import { toSize } from '../../transfer/units.ts';

export default command({
  summary: 'List your uploads that are not finished',
  examples: [{ command: 'uploads list', description: 'What can be resumed, and which file of this machine it is' }],
  async run({ program }) {
    const uploads = await (await program.session()).call(listUploads);
    const local = await listLocal(program);
    return uploads.map(upload => ({
      ...upload,
      path: local.find(({ entry }) => entry.plan.clientId === upload.clientId)?.path ?? null,
    }));
  },
  text: uploads =>
    toTable(
      uploads.map(({ clientId, status, direct, uploadedChunkCount, totalChunks, fileSize, fileName, path }) => [
        clientId,
        status,
        direct ? 'direct' : 'proxied',
        `${Math.floor((100 * uploadedChunkCount) / totalChunks)} %`,
        toSize(fileSize),
        path ?? fileName,
      ]),
    ),
  note: uploads => (uploads.length === 0 ? 'no unfinished uploads' : ''),
});
