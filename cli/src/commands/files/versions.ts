import { string as argument } from '@oclif/core/args';
import { recordId } from '@recordproof/shared/api/common.ts';
import { getFile, listVersions } from '@recordproof/shared/api/files.ts';
import { parseField } from '../../account.ts';
import { command } from '../../command.ts';
import { toTable } from '../../output.ts';

const isFileHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

export default command({
  summary: 'List all versions of a file, newest first',
  examples: [{ command: 'files versions <fileHash>', description: 'What came before this file?' }],
  args: { file: argument({ required: true, description: 'Hash or id of the file.' }) },
  async run({ args, program }) {
    const client = await program.session();
    const id = isFileHash(args.file)
      ? (await client.call(getFile, { params: { hash: args.file } })).id
      : parseField('File', recordId, args.file);
    return client.call(listVersions, { params: { id } });
  },
  text: versions =>
    toTable(
      versions.map(({ id, version, isLatest, createdAt, fileName }) => [
        isLatest ? '*' : ' ',
        `v${version}`,
        id,
        createdAt,
        fileName,
      ]),
    ),
});
