// Commands of the topic `factors`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const factors = topic({
  topics: {
    factors: 'The second factor of your account',
    'admin factors': 'Second factors of the accounts of the tenant',
  },
  commands: {
    'factors add': async () => (await import('./commands.ts')).add,
    'factors recovery-codes': async () => (await import('./commands.ts')).renewCodes,
    'factors remove': async () => (await import('./commands.ts')).remove,
    'factors show': async () => (await import('./commands.ts')).show,
    'step-up': async () => (await import('./commands.ts')).stepUpCommand,
    'admin factors list': async () => (await import('./admin-commands.ts')).list,
    'admin factors require': async () => (await import('./admin-commands.ts')).requireFactors,
    'admin factors reset': async () => (await import('./admin-commands.ts')).reset,
  },
});
