// Commands of the topic `api-tokens`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const apiTokens = topic({
  topics: {
    tokens: 'API tokens: for programs, in place of a password',
    'admin service-accounts': 'Accounts that programs use, without a password',
    'admin service-accounts tokens': 'API tokens of service accounts',
    'admin service-accounts trust': 'Rules under which jobs of build systems act as service accounts',
  },
  commands: {
    'tokens create': async () => (await import('./commands.ts')).create,
    'tokens exchange': async () => (await import('./trust.ts')).exchange,
    'tokens list': async () => (await import('./commands.ts')).list,
    'tokens revoke': async () => (await import('./commands.ts')).revoke,
    'tokens show': async () => (await import('./commands.ts')).show,
    'admin service-accounts create': async () => (await import('./service-accounts.ts')).create,
    'admin service-accounts list': async () => (await import('./service-accounts.ts')).list,
    'admin service-accounts trust add': async () => (await import('./trust.ts')).addRule,
    'admin service-accounts trust list': async () => (await import('./trust.ts')).listRules,
    'admin service-accounts trust remove': async () => (await import('./trust.ts')).removeRule,
    'admin service-accounts tokens create': async () => (await import('./service-accounts.ts')).createToken,
    'admin service-accounts tokens list': async () => (await import('./service-accounts.ts')).listTokens,
    'admin service-accounts tokens revoke': async () => (await import('./service-accounts.ts')).revokeToken,
  },
});
