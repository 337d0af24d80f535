import { fileStatus } from '@recordproof/shared/api/files.ts';
import { nameOfCode } from '../../platform/code-names.ts';
import { command } from '../../platform/command.ts';
import { alignRows } from '../../platform/table.ts';
import { toSize } from '../../platform/units.ts';
import { fileArgument, findFile } from '../find-file.ts';

const withoutScheme = (digest: string): string => digest.replace(/^sha256:/, '');

export default command({
  summary: 'Show all about one file',
  examples: [{ command: 'files info report.pdf', description: 'Record, SHA-256, version, proof, owner' }],
  args: fileArgument,
  run: async ({ args, context }) => findFile(await context.session(), args.file),
  text: file =>
    alignRows([
      ['name', file.fileName],
      ...(file.path === null ? [] : [['folder', file.path]]),
      ['id', file.id],
      ['record id', file.fileHash],
      ['SHA-256', withoutScheme(file.contentHash)],
      ['manifest', file.manifestHash === null ? 'none' : withoutScheme(file.manifestHash)],
      ['transaction', file.transactionHash ?? 'none'],
      ['size', `${file.fileSize} bytes (${toSize(file.fileSize)})`],
      ['type', file.contentType],
      ['status', nameOfCode(fileStatus, file.status)],
      ['version', `${file.version}${file.isLatest ? ', the latest' : ''}`],
      ['proof', file.proofStatus],
      ['owner', file.ownerName],
      ['created', file.createdAt],
      ...(file.sharedFromUserName === null ? [] : [['shared by', file.sharedFromUserName]]),
    ]),
});
