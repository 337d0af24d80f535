import { topic } from '../platform/topic.ts';

export const watch = topic({
  commands: {
    watch: () => import('./commands/watch.ts'),
    'watch status': () => import('./commands/status.ts'),
  },
});
