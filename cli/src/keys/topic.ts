import { topic } from '../platform/topic.ts';

export const keys = topic({
  topics: {
    keys: 'Keys of issuers that you trust',
  },
  commands: {
    'keys pin': () => import('./commands/pin.ts'),
  },
});
