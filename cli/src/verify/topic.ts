import { topic } from '../platform/topic.ts';

export const verify = topic({
  commands: {
    verify: () => import('./commands/verify.ts'),
  },
});
