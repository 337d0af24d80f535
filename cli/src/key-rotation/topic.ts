import { topic } from '../platform/topic.ts';

export const keyRotation = topic({
  topics: {
    'admin key-rotation': 'Move the keys of all files of the tenant under a new key, and prove it',
  },
  commands: {
    'admin key-rotation acknowledge': () => import('./commands/acknowledge.ts'),
    'admin key-rotation cancel': () => import('./commands/cancel.ts'),
    'admin key-rotation certificate': () => import('./commands/certificate.ts'),
    'admin key-rotation items': () => import('./commands/items.ts'),
    'admin key-rotation list': () => import('./commands/list.ts'),
    'admin key-rotation pause': () => import('./commands/pause.ts'),
    'admin key-rotation plan': () => import('./commands/plan.ts'),
    'admin key-rotation policy': () => import('./commands/policy.ts'),
    'admin key-rotation resume': () => import('./commands/resume.ts'),
    'admin key-rotation retry': () => import('./commands/retry.ts'),
    'admin key-rotation start': () => import('./commands/start.ts'),
    'admin key-rotation status': () => import('./commands/status.ts'),
    'admin key-rotation watch': () => import('./commands/watch.ts'),
  },
});
