// Commands of the topic `proofs`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const proofs = topic({
  topics: {
    proofs: 'Proofs of your files: archives, status, revocation',
  },
  commands: {
    'proofs export': async () => (await import('./commands.ts')).exportProofs,
    prove: async () => (await import('./prove.ts')).prove,
    'proofs revoke': async () => (await import('./commands.ts')).revoke,
    'proofs status': async () => (await import('./commands.ts')).status,
  },
});
