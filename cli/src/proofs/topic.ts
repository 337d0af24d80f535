import { topic } from '../platform/topic.ts';

export const proofs = topic({
  topics: {
    proofs: 'Proofs of your files: archives, status, revocation',
  },
  commands: {
    'proofs export': () => import('./commands/export.ts'),
    prove: () => import('./commands/prove.ts'),
    'proofs revoke': () => import('./commands/revoke.ts'),
    'proofs status': () => import('./commands/status.ts'),
  },
});
