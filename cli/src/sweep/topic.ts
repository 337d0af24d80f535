import { commandsOf, topic } from '../platform/topic.ts';

const own = commandsOf(() => import('./commands.ts'));

export const sweep = topic({
  topics: {
    'admin sweep': 'Find stored objects that nothing refers to, and remove them in steps that each look again',
  },
  commands: {
    'admin sweep candidates': own('candidates'),
    'admin sweep census': own('census'),
    'admin sweep mark': own('mark'),
    'admin sweep marks': own('marks'),
    'admin sweep status': own('status'),
    'admin sweep unknown-holds': own('unknownHolds'),
    'admin sweep watch': own('watch'),
  },
});
