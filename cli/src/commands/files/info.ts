import { string as argument } from '@oclif/core/args';
import { fileStatus, getFile } from '@recordproof/shared/api/files.ts';
import { command } from '../../command.ts';
import { parseFileHash } from '../../file-table.ts';
import { toTable } from '../../output.ts';
import { toSize } from '../../transfer/units.ts';

const statusName = (status: number): string =>
  Object.entries(fileStatus).find(([, value]) => value === status)?.[0] ?? String(status);

export default command({
  summary: 'Show all about one file',
  examples: [{ command: 'files info <fileHash>', description: 'Hashes, version, proof, owner' }],
  args: { file: argument({ required: true, description: 'Hash of the file, as `files list` shows it.' }) },
  run: async ({ args, program }) =>
    (await program.session()).call(getFile, { params: { hash: parseFileHash(args.file) } }),
  text: file =>
    toTable([
      ['name', file.fileName],
      ['id', file.id],
      ['file hash', file.fileHash],
      ['content hash', file.contentHash],
      ['manifest hash', file.manifestHash ?? 'none'],
      ['transaction', file.transactionHash ?? 'none'],
      ['size', `${file.fileSize} bytes (${toSize(file.fileSize)})`],
      ['type', file.contentType],
      ['status', statusName(file.status)],
      ['version', `${file.version}${file.isLatest ? ', the latest' : ''}`],
      ['proof', file.proofStatus],
      ['owner', file.ownerName],
      ['created', file.createdAt],
      ...(file.sharedFromUserName === null ? [] : [['shared by', file.sharedFromUserName]]),
    ]),
});
