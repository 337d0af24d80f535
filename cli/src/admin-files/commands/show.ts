import { command } from '../../platform/command.ts';
import { anyFileArgument, findAnyFile } from '../find-any-file.ts';
import { detailsText } from '../tables.ts';

export default command({
  summary: 'Show all about a file, where it came from, and who saved it',
  examples: [{ command: 'admin files show report.pdf', description: 'Whosever it is, deleted ones too' }],
  args: anyFileArgument,
  run: async ({ args, context }) => findAnyFile(await context.session(), args.file),
  text: detailsText,
});
