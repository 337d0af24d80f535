// Commands of the topic `audit-review`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const auditReview = topic({
  topics: {
    'admin audit': 'The audit log: operations, anomalies, backups',
  },
  commands: {
    'admin audit anomalies': async () => (await import('./commands.ts')).anomalies,
    'admin audit backup': async () => (await import('./commands.ts')).backup,
    'admin audit config': async () => (await import('./commands.ts')).config,
    'admin audit errors': async () => (await import('./commands.ts')).errors,
    'admin audit export': async () => (await import('./commands.ts')).exportLogs,
    'admin audit high-frequency': async () => (await import('./commands.ts')).highFrequency,
    'admin audit list': async () => (await import('./commands.ts')).list,
    'admin audit overview': async () => (await import('./commands.ts')).overview,
    'admin audit sensitive': async () => (await import('./commands.ts')).sensitive,
    'admin audit show': async () => (await import('./commands.ts')).show,
    'admin audit times': async () => (await import('./commands.ts')).times,
  },
});
