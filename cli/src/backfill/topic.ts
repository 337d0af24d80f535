import { commandsOf, topic } from '../platform/topic.ts';

const own = commandsOf(() => import('./commands.ts'));

export const backfill = topic({
  topics: {
    'admin backfill': 'Examine records of an older system, and give manifests to those that can be proven',
  },
  commands: {
    'admin backfill apply': own('apply'),
    'admin backfill dry-run': own('dryRun'),
    'admin backfill items': own('items'),
    'admin backfill list': own('list'),
    'admin backfill pause': own('pause'),
    'admin backfill resume': own('resume'),
    'admin backfill retry': own('retry'),
    'admin backfill scan': own('scan'),
    'admin backfill status': own('status'),
    'admin backfill watch': own('watch'),
  },
});
