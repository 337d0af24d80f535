// Declaration of the command `completion`, shared by server and verifier.
import type { CommandDeclaration } from '../command-line/command.ts';

export const declareCompletion = (program: string): CommandDeclaration => ({
  path: 'completion',
  summary: 'Prints the script that completes commands and options in a shell',
  usage: ['completion bash|zsh|fish'],
  words: [
    ['bash', `for ~/.local/share/bash-completion/completions/${program}`],
    ['zsh', `for a file _${program} in a folder of the fpath`],
    ['fish', `for ~/.config/fish/completions/${program}.fish`],
  ],
  options: {},
  notes: `For one bash alone: source <(${program} completion bash)\n`,
});
