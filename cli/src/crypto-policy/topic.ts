import { topic } from '../platform/topic.ts';

export const cryptoPolicy = topic({
  topics: {
    'admin crypto': 'What new files are protected with, and until when',
    'admin crypto policy': 'What new files of the tenant are protected with',
  },
  commands: {
    'admin crypto diagnostics': async () => (await import('./commands.ts')).diagnostics,
    'admin crypto policy': async () => (await import('./commands.ts')).showPolicy,
    'admin crypto policy set': async () => (await import('./commands.ts')).setPolicy,
  },
});
