import type { AnswerOf } from '@recordproof/shared/api/endpoint.ts';
import { listVersions } from '@recordproof/shared/api/files.ts';
import { command } from '../../platform/command.ts';
import { toMinute } from '../../platform/output.ts';
import { name, tableOf } from '../../platform/table.ts';

import { fileArgument, findFileId } from '../find-file.ts';

export default command({
  summary: 'List all versions of a file, newest first',
  examples: [{ command: 'files versions report.pdf', description: 'What came before this file?' }],
  args: fileArgument,
  async run({ args, context }) {
    const client = await context.session();
    return client.call(listVersions, { params: { id: await findFileId(client, args.file) } });
  },
  text: tableOf<AnswerOf<typeof listVersions>[number]>({
    '': version => (version.isLatest ? '*' : ' '),
    VERSION: ({ version }) => `v${version}`,
    ID: version => version.id,
    CREATED: version => toMinute(version.createdAt),
    NAME: name(version => version.fileName),
  }),
});
