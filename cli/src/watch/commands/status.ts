import { command } from '../../platform/command.ts';
import { folderArgument } from '../folder-argument.ts';
import { readStatus } from '../status.ts';
import { statusTable } from '../status-table.ts';
import { findFolder, findState } from '../watching.ts';

export default command({
  summary: 'Is a folder kept proven? What is proven, what is not yet, and whether the log is whole',
  description: [
    'Reads the log of the watch and the folder, not the server. Every line of the log holds the digest of the line before;',
    'a log that was changed ends with exit code 65. Exit code 1 means that something is not proven.',
  ].join(' '),
  examples: [
    { command: 'watch status contracts', description: 'For a person' },
    { command: 'watch status contracts --json', description: 'For monitoring' },
  ],
  args: { folder: folderArgument },
  async run({ args, context }) {
    const folder = await findFolder(args.folder);
    const { server } = await context.settings();
    return await readStatus(folder, await findState(folder, server.value));
  },
  text: statusTable,
  ending: ({ waitingForProof, notStored, withoutProof }) =>
    waitingForProof + notStored.length + withoutProof.length > 0 ? 'refused' : 'ok',
});
