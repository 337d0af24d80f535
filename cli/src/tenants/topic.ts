// Commands of the topic `tenants`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const tenants = topic({
  topics: { 'admin tenants': 'Tenants of the installation, for its administrators' },
  commands: {
    'admin tenants create': async () => (await import('./commands.ts')).create,
    'admin tenants delete': async () => (await import('./commands.ts')).remove,
    'admin tenants list': async () => (await import('./commands.ts')).list,
    'admin tenants reactivate': async () => (await import('./commands.ts')).reactivate,
    'admin tenants suspend': async () => (await import('./commands.ts')).suspend,
  },
});
