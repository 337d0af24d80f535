import { topic } from '../platform/topic.ts';

export const backfill = topic({
  topics: {
    'admin backfill': 'Look at records of an older system, and give manifests to those that prove themselves',
  },
  commands: {
    'admin backfill apply': () => import('./commands/apply.ts'),
    'admin backfill dry-run': () => import('./commands/dry-run.ts'),
    'admin backfill items': () => import('./commands/items.ts'),
    'admin backfill list': () => import('./commands/list.ts'),
    'admin backfill pause': () => import('./commands/pause.ts'),
    'admin backfill resume': () => import('./commands/resume.ts'),
    'admin backfill retry': () => import('./commands/retry.ts'),
    'admin backfill scan': () => import('./commands/scan.ts'),
    'admin backfill status': () => import('./commands/status.ts'),
    'admin backfill watch': () => import('./commands/watch.ts'),
  },
});
