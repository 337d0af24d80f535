// Commands of the topic `integrity`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const integrity = topic({
  topics: {
    'admin integrity': 'Check stored files against their records, and repair damaged ones',
  },
  commands: {
    'admin integrity ack': async () => (await import('./commands.ts')).ack,
    'admin integrity alerts': async () => (await import('./commands.ts')).alerts,
    'admin integrity check': async () => (await import('./commands.ts')).check,
    'admin integrity repair': async () => (await import('./commands.ts')).repair,
    'admin integrity resolve': async () => (await import('./commands.ts')).resolve,
    'admin integrity scrub': async () => (await import('./commands.ts')).scrub,
    'admin integrity show': async () => (await import('./commands.ts')).show,
    'admin integrity watch': async () => (await import('./commands.ts')).watch,
  },
});
