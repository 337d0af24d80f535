import { commandsOf, topic } from '../platform/topic.ts';

const own = commandsOf(() => import('./commands.ts'));

export const keyRotation = topic({
  topics: {
    'admin key-rotation': 'Move the keys of all files of the tenant under a new key, and prove it',
  },
  commands: {
    'admin key-rotation acknowledge': own('acknowledge'),
    'admin key-rotation cancel': own('cancel'),
    'admin key-rotation certificate': own('certificate'),
    'admin key-rotation items': own('items'),
    'admin key-rotation list': own('list'),
    'admin key-rotation pause': own('pause'),
    'admin key-rotation plan': own('plan'),
    'admin key-rotation policy': own('policy'),
    'admin key-rotation resume': own('resume'),
    'admin key-rotation retry': own('retry'),
    'admin key-rotation start': own('start'),
    'admin key-rotation status': own('status'),
    'admin key-rotation watch': own('watch'),
  },
});
