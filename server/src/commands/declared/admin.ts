// Declarations of `recordproof-server admin …`.
import { flag, value } from '@recordproof/shared/command-line/command.ts';
import { listed, local, tenant, username } from './local.ts';

const passwordOption = flag('read the password from standard input; fail if it is a terminal');

const piped = (rest: string) => `The password is prompted for twice on a terminal, or read from standard input:
  printf %s "$PASSWORD" | recordproof-server admin ${rest}
`;

export const adminCommands = [
  local('admin create', {
    summary: 'Create an administrator, or with --role another account',
    options: {
      username: listed(
        'usernames',
        'NAME',
        '3 to 32 letters (Chinese, Japanese and Korean included), digits, dots, hyphens or underscores',
      ),
      email: value('ADDRESS', 'for signing in and for resetting the password'),
      nickname: value('NAME', 'display name; optional'),
      role: listed('roles', 'ROLE', 'admin, user or monitor (admin)'),
      tenant,
      'password-stdin': passwordOption,
      new: flag('create a new installation although keys or objects of another one are present; these are moved aside'),
    },
    notes: piped('create --username ada --email ada@example.org'),
    run: async input => (await import('../admin.ts')).create(input),
  }),
  local('admin installation', {
    summary: 'List the administrators of the installation; grant or revoke this role',
    options: {
      grant: listed(
        'usernames',
        'NAME',
        'grant this administrator of the default tenant the management of the installation: tenants, maintenance, all queues',
      ),
      revoke: listed('usernames', 'NAME', 'revoke it; the last one cannot be revoked'),
    },
    notes: 'The first administrator has this role.\n',
    run: async input => (await import('../installation-admins.ts')).installationAdmins(input),
  }),
  local('admin maintenance', {
    summary: 'Start or end maintenance (read-only) mode; without an option, show its state',
    options: {
      on: value('MESSAGE', 'reject every change on all servers with this message for the users; reads continue'),
      off: flag('end maintenance mode'),
    },
    notes: `  recordproof-server admin maintenance --on "Storage is being moved; back at 18:00 UTC."

Signing in still works. Requests and jobs that have started are finished; other jobs that change data wait.
`,
    run: async input => (await import('../maintenance.ts')).maintenance(input),
  }),
  local('admin password', {
    summary: 'Set a new password for an account and end its sessions',
    options: { username, tenant, 'password-stdin': passwordOption },
    notes: piped('password --username ada'),
    run: async input => (await import('../admin.ts')).changePassword(input),
  }),
  local('admin reset-factors', {
    summary: 'Remove the second factors of an account whose owner lost them',
    options: { username, tenant },
    notes: `  recordproof-server admin reset-factors --username ada

The password is kept, and the sessions end. The owner is notified by mail. The server may be running.
`,
    run: async input => (await import('../admin.ts')).removeFactors(input),
  }),
  local('admin sign-in-link', {
    summary: 'Print a one-time sign-in link for an administrator who cannot sign in otherwise',
    options: {
      username: listed('usernames', 'NAME', 'user name or e-mail address of an active administrator'),
      tenant,
      minutes: value('N', 'validity of the link, 1 to 60 (15)'),
    },
    notes: `For when the single sign-on provider is unavailable or misconfigured and local sign-in is disabled. Creation and use are
recorded in the audit log and mailed to all administrators of the tenant.
`,
    run: async input => (await import('../sign-in-link.ts')).signInLink(input),
  }),
  local('admin tenants', {
    summary: 'List tenants; create, suspend, reactivate or delete one',
    options: {
      create: value('NAME', 'create a tenant: 1 to 63 lowercase letters, digits or hyphens'),
      new: flag('with --create: create a new installation although keys or objects of another one are present'),
      suspend: listed('tenants', 'NAME', 'end its sessions, block sign-ins and share links; its files are kept'),
      reactivate: listed('tenants', 'NAME', 'allow sign-ins and share links again'),
      delete: listed(
        'tenants',
        'NAME',
        'delete it permanently, with its accounts and files; a running server does this in the background',
      ),
      confirm: listed('tenants', 'NAME', 'with --delete: the name again'),
      reason: value('TEXT', 'reason for the audit log'),
    },
    notes: `  recordproof-server admin tenants --delete acme --confirm acme

The default tenant cannot be suspended or deleted. Issued proofs stay verifiable, and the audit log is kept.
`,
    run: async input => (await import('../tenants.ts')).tenants(input),
  }),
  local('admin unlock', {
    summary: 'Remove the locks of an account after failed sign-ins; optionally exempt an address',
    options: {
      username,
      tenant,
      address: value(
        'IP',
        'exempt this address from locks caused by others; its failed sign-ins are counted separately',
      ),
    },
    notes: `  recordproof-server admin unlock --username ada --address 203.0.113.7

The password and the sessions are kept. The server may be running.
`,
    run: async input => (await import('../admin.ts')).unlock(input),
  }),
];
