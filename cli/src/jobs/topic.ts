import { topic } from '../platform/topic.ts';

export const jobs = topic({
  topics: {
    'admin jobs': 'Work that was given up: look at it, try it again, throw it away',
    'admin outbox': 'Events that reached nobody: look at them, try them again, throw them away',
  },
  commands: {
    'admin jobs drop': () => import('./commands/drop-jobs.ts'),
    'admin jobs list': () => import('./commands/list-jobs.ts'),
    'admin jobs revive': () => import('./commands/revive-jobs.ts'),
    'admin jobs show': () => import('./commands/show-job.ts'),
    'admin outbox drop': () => import('./commands/drop-events.ts'),
    'admin outbox list': () => import('./commands/list-events.ts'),
    'admin outbox revive': () => import('./commands/revive-events.ts'),
    'admin outbox show': () => import('./commands/show-event.ts'),
  },
});
