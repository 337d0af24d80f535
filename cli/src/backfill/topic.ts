// Commands of the topic `backfill`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const backfill = topic({
  topics: {
    'admin backfill': 'Examine records of an older system, and give manifests to those that can be proven',
  },
  commands: {
    'admin backfill apply': async () => (await import('./commands.ts')).apply,
    'admin backfill dry-run': async () => (await import('./commands.ts')).dryRun,
    'admin backfill items': async () => (await import('./commands.ts')).items,
    'admin backfill list': async () => (await import('./commands.ts')).list,
    'admin backfill pause': async () => (await import('./commands.ts')).pause,
    'admin backfill resume': async () => (await import('./commands.ts')).resume,
    'admin backfill retry': async () => (await import('./commands.ts')).retry,
    'admin backfill scan': async () => (await import('./commands.ts')).scan,
    'admin backfill status': async () => (await import('./commands.ts')).status,
    'admin backfill watch': async () => (await import('./commands.ts')).watch,
  },
});
