// The command `recordproof-verify completion`: the script for a shell on standard output.
import { type Help, toCompletion } from '@recordproof/shared/completion/from-help.ts';
import { completionFor, findShell } from '@recordproof/shared/completion/shells.ts';
import { certificateCommand } from './certificate/certificate-command.ts';
import { existenceCommand } from './existence/existence-command.ts';
import { gatewayCommand } from './gateway/gateway-command.ts';
import { trustOptions } from './options.ts';
import { readArguments, UsageError } from './shell/arguments.ts';
import type { Command } from './shell/run-command.ts';
import { verifyCommand } from './verify-command.ts';
import { pageCommand } from './web/page-command.ts';
import { serveCommand } from './web/serve-command.ts';
import { witnessCommand } from './witness/witness-command.ts';

const help = `Prints the script that completes commands and options in a shell.

  completion bash   for ~/.local/share/bash-completion/completions/recordproof-verify
  completion zsh    for a file _recordproof-verify in a folder of the fpath
  completion fish   for ~/.config/fish/completions/recordproof-verify.fish

For one bash alone: source <(recordproof-verify completion bash)
`;

export const listHelps = (): Help[] => [
  { path: '', text: verifyCommand.help, takesFile: true },
  { path: 'verify', text: verifyCommand.help, takesFile: true },
  {
    path: 'certificate',
    text: verifyCommand.help + certificateCommand.help,
    without: ['--folder', '--all', ...Object.keys(trustOptions).map(name => `--${name}`)],
    takesFile: true,
  },
  { path: 'existence', text: existenceCommand.help, takesFile: true },
  ...[serveCommand, pageCommand, gatewayCommand, witnessCommand].map(({ name, help: text }) => ({ path: name, text })),
  { path: 'completion', text: help },
];

export const completionCommand: Command = {
  name: 'completion',
  help,
  async run(args, { stdout }) {
    const { positionals } = readArguments(args, {}, 1);
    const shell = findShell(positionals[0]);
    if (shell === undefined) throw new UsageError('say for which shell: completion bash, zsh or fish');
    stdout.write(completionFor[shell](toCompletion('recordproof-verify', listHelps())));
    return 0;
  },
};
