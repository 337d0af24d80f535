// Commands of the topic `backfill`: find records of an older system that lack a manifest, and create it for those whose
// content can be proven. Each with the module that defines it.
import { runEntries } from '../platform/run-topic.ts';
import { topic } from '../platform/topic.ts';

export const backfill = topic({
  topics: {
    'admin backfill': 'Examine records of an older system, and give manifests to those that can be proven',
  },
  commands: {
    ...runEntries('admin backfill', async () => (await import('./commands.ts')).common),
    'admin backfill apply': async () => (await import('./commands.ts')).apply,
    'admin backfill dry-run': async () => (await import('./commands.ts')).dryRun,
    'admin backfill retry': async () => (await import('./commands.ts')).retry,
    'admin backfill scan': async () => (await import('./commands.ts')).scan,
  },
});
