// Commands of the topic `sweep`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const sweep = topic({
  topics: {
    'admin sweep': 'Find unreferenced stored objects, and remove them in steps that each check again',
  },
  commands: {
    'admin sweep candidates': async () => (await import('./commands.ts')).candidates,
    'admin sweep census': async () => (await import('./commands.ts')).census,
    'admin sweep installation': async () => (await import('./commands.ts')).installation,
    'admin sweep mark': async () => (await import('./commands.ts')).mark,
    'admin sweep marks': async () => (await import('./commands.ts')).marks,
    'admin sweep status': async () => (await import('./commands.ts')).status,
    'admin sweep unknown-holds': async () => (await import('./commands.ts')).unknownHolds,
    'admin sweep watch': async () => (await import('./commands.ts')).watch,
  },
});
