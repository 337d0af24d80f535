import { commandsOf, topic } from '../platform/topic.ts';

const own = commandsOf(() => import('./commands.ts'));

export const integrity = topic({
  topics: {
    'admin integrity': 'Check what is stored against what was recorded, and heal what is damaged',
  },
  commands: {
    'admin integrity ack': own('ack'),
    'admin integrity alerts': own('alerts'),
    'admin integrity check': own('check'),
    'admin integrity repair': own('repair'),
    'admin integrity resolve': own('resolve'),
    'admin integrity show': own('show'),
    'admin integrity watch': own('watch'),
  },
});
