import { command } from '../../platform/command.ts';
import { alignRows } from '../../platform/table.ts';
import { fileRows } from '../file-table.ts';
import { fileArgument, findFile } from '../find-file.ts';

export default command({
  summary: 'Show all about one file',
  examples: [{ command: 'files info report.pdf', description: 'Record, SHA-256, version, proof, owner' }],
  args: fileArgument,
  run: async ({ args, context }) => findFile(await context.session(), args.file),
  text: file => alignRows(fileRows(file)),
});
