// Commands of the topic `key-rotation`, each with the module that defines it.
import { runEntries } from '../platform/run-topic.ts';
import { topic } from '../platform/topic.ts';

export const keyRotation = topic({
  topics: {
    'admin key-rotation': 'Move the keys of all files of the tenant under a new key, and prove it',
  },
  commands: {
    ...runEntries('admin key-rotation', async () => (await import('./commands.ts')).common),
    'admin key-rotation acknowledge': async () => (await import('./commands.ts')).acknowledge,
    'admin key-rotation cancel': async () => (await import('./commands.ts')).cancel,
    'admin key-rotation certificate': async () => (await import('./certificate.ts')).certificate,
    'admin key-rotation plan': async () => (await import('./commands.ts')).plan,
    'admin key-rotation policy': async () => (await import('./commands.ts')).policy,
    'admin key-rotation retry': async () => (await import('./commands.ts')).retry,
    'admin key-rotation start': async () => (await import('./commands.ts')).start,
  },
});
