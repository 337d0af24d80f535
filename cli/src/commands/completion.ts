import { custom } from '@oclif/core/args';
import { command } from '../command.ts';
import { loadAllCommands } from '../command-table.ts';
import { toBash } from '../completion/bash.ts';
import { toFish } from '../completion/fish.ts';
import { toWords } from '../completion/words.ts';
import { toZsh } from '../completion/zsh.ts';

const writers = { bash: toBash, zsh: toZsh, fish: toFish } as const;
type Shell = keyof typeof writers;

export default command({
  summary: 'Print the completion script for a shell',
  description: 'The script knows every command, flag and fixed value; it starts nothing and reads no file.',
  examples: [
    { command: 'completion bash > ~/.local/share/bash-completion/completions/recordproof', description: 'bash' },
    { command: 'completion zsh > ~/.zsh/completions/_recordproof', description: 'zsh' },
    { command: 'completion fish > ~/.config/fish/completions/recordproof.fish', description: 'fish' },
  ],
  args: {
    shell: custom<Shell>({ description: 'The shell.', options: Object.keys(writers) as Shell[] })({
      required: true,
      parse: async text => text as Shell,
    }),
  },
  async run({ args: { shell } }) {
    return { shell, script: writers[shell](toWords(await loadAllCommands())) };
  },
  text: ({ script }) => script,
});
