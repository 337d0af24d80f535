import { topic } from '../platform/topic.ts';

export const auth = topic({
  topics: {
    password: 'Your password',
  },
  commands: {
    login: () => import('./commands/login.ts'),
    logout: () => import('./commands/logout.ts'),
    'password reset': () => import('./commands/password-reset.ts'),
    register: () => import('./commands/register.ts'),
    setup: () => import('./commands/setup.ts'),
    whoami: () => import('./commands/whoami.ts'),
  },
});
