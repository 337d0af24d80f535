import { custom } from '@oclif/core/args';
import { command } from '../../platform/command.ts';
import { toBash } from '../bash.ts';
import { toFish } from '../fish.ts';
import { toWords } from '../words.ts';
import { toZsh } from '../zsh.ts';

const writers = { bash: toBash, zsh: toZsh, fish: toFish } as const;
type Shell = keyof typeof writers;

export default command({
  summary: 'Print the completion script for a shell',
  description:
    'The script knows every command, flag and fixed value; profiles, and ids and names from the server, are asked for when they are needed.',
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
  async run({ args: { shell }, context }) {
    return { shell, script: writers[shell](toWords(await context.allCommands())) };
  },
  text: ({ script }) => script,
});
