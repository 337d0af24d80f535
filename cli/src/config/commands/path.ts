import { command } from '../../platform/command.ts';

export default command({
  summary: 'Print where the settings are kept',
  description: 'Works even when the file is broken.',
  examples: [{ command: 'config path', description: 'Which file is it?' }],
  run: async ({ context }) => context.paths,
  text: paths => paths.config,
});
