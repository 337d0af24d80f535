import { topic } from '../platform/topic.ts';

export const auditReview = topic({
  topics: {
    'admin audit': 'The audit log: who did what, what is unusual, backups',
  },
  commands: {
    'admin audit anomalies': () => import('./commands/anomalies.ts'),
    'admin audit backup': () => import('./commands/backup.ts'),
    'admin audit config': () => import('./commands/config.ts'),
    'admin audit errors': () => import('./commands/errors.ts'),
    'admin audit export': () => import('./commands/export.ts'),
    'admin audit high-frequency': () => import('./commands/high-frequency.ts'),
    'admin audit list': () => import('./commands/list.ts'),
    'admin audit overview': () => import('./commands/overview.ts'),
    'admin audit sensitive': () => import('./commands/sensitive.ts'),
    'admin audit show': () => import('./commands/show.ts'),
    'admin audit times': () => import('./commands/times.ts'),
  },
});
