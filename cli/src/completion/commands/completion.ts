import { custom } from '@oclif/core/args';
import { completionFor, type Shell, shells } from '@recordproof/shared/completion/shells.ts';
import { command } from '../../platform/command.ts';
import { toWords } from '../words.ts';

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
    shell: custom<Shell>({ description: 'The shell.', options: shells })({
      required: true,
      parse: async text => text as Shell,
    }),
  },
  async run({ args: { shell }, context }) {
    return {
      shell,
      script: completionFor[shell]({ program: 'recordproof', positions: toWords(await context.allCommands()) }),
    };
  },
  text: ({ script }) => script,
});
