// Commands of the topic `auth`, each with the module that defines it.
import { topic } from '../platform/topic.ts';

export const auth = topic({
  topics: {
    password: 'Your password',
    sessions: 'Where you are signed in',
  },
  commands: {
    login: async () => (await import('./commands.ts')).login,
    logout: async () => (await import('./commands.ts')).logoutCommand,
    'password reset': async () => (await import('./commands.ts')).passwordReset,
    register: async () => (await import('./register.ts')).register,
    'sessions end': async () => (await import('./sessions.ts')).end,
    'sessions list': async () => (await import('./sessions.ts')).list,
    setup: async () => (await import('./commands.ts')).setup,
    whoami: async () => (await import('./commands.ts')).whoami,
  },
});
