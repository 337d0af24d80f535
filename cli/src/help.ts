// The help of a command, of a topic, or of the whole program.
import { Help } from '@oclif/core/help';
import { commandIds, loadAllCommands, loadCommand } from './commands-by-id.ts';
import { loadOclif } from './oclif.ts';

export async function showHelp(words: readonly string[]): Promise<void> {
  const id = words.join(':');
  const commands = commandIds.includes(id) ? [await loadCommand(id)] : await loadAllCommands();
  const help = new Help(await loadOclif(commands), {
    hideCommandSummaryInDescription: true,
    flagSortOrder: 'none',
  });
  await help.showHelp([...words]);
}
