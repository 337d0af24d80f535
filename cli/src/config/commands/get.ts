import { command } from '../../platform/command.ts';
import { settingArgument } from '../setting-argument.ts';

export default command({
  summary: 'Print one setting that is in force',
  examples: [{ command: 'config get server', description: 'Which server is spoken to?' }],
  args: { name: settingArgument },
  async run({ args, context }) {
    const { value, source } = (await context.settings())[args.name];
    return { name: args.name, value, source };
  },
  text: ({ value }) => String(value),
});
