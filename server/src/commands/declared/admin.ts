// Declarations of `recordproof-server admin …`.
import { flag, value } from '@recordproof/shared/command-line/command.ts';
import { listed, local, tenant, username } from './local.ts';

const passwordOption = flag('the password must come from a pipe, or nothing is done');

const piped = (rest: string) => `The password is asked for twice on a terminal, or read from a pipe:
  printf %s "$PASSWORD" | recordproof-server admin ${rest}
`;

export const adminCommands = [
  local('admin create', {
    summary: 'Make an administrator (or --role user|monitor, --tenant NAME)',
    options: {
      username: listed(
        'usernames',
        'NAME',
        '3 to 32 letters, Chinese, Japanese and Korean ones among them, digits, dots, hyphens, underscores',
      ),
      email: value('ADDRESS', 'for signing in and for resetting the password'),
      nickname: value('NAME', 'how people see the account; may be left away'),
      role: listed('roles', 'ROLE', 'admin (unless told otherwise), user or monitor'),
      tenant,
      'password-stdin': passwordOption,
      new: flag('begin a new installation where keys or objects of another are left: these are set aside'),
    },
    notes: piped('create --username ada --email ada@example.org'),
    run: async input => (await import('../admin.ts')).create(input),
  }),
  local('admin installation', {
    summary: 'Show who manages the installation; grant or revoke it',
    options: {
      grant: listed(
        'usernames',
        'NAME',
        'let this administrator of the first tenant manage the installation: tenants, maintenance, all queues',
      ),
      revoke: listed('usernames', 'NAME', 'take that back; the last one keeps it'),
    },
    notes: 'The administrator who is created first has it.\n',
    run: async input => (await import('../installation-admins.ts')).installationAdmins(input),
  }),
  local('admin maintenance', {
    summary: 'Let everything be read and nothing be changed, or end that; without an option, show it',
    options: {
      on: value(
        'MESSAGE',
        'reject every change on all servers, with this message for the users; reading stays possible',
      ),
      off: flag('take changes again'),
    },
    notes: `  recordproof-server admin maintenance --on "We move the store; back at 18:00 UTC."

Signing in goes on. Requests and jobs that have begun are finished; other jobs that change data wait.
`,
    run: async input => (await import('../maintenance.ts')).maintenance(input),
  }),
  local('admin password', {
    summary: 'Set a new password for an account; its sessions end',
    options: { username, tenant, 'password-stdin': passwordOption },
    notes: piped('password --username ada'),
    run: async input => (await import('../admin.ts')).changePassword(input),
  }),
  local('admin reset-factors', {
    summary: 'Remove the second factors of an account whose owner has lost them',
    options: { username, tenant },
    notes: `  recordproof-server admin reset-factors --username ada

The password stays, and the sessions end. The owner is told by mail. The server may run.
`,
    run: async input => (await import('../admin.ts')).removeFactors(input),
  }),
  local('admin sign-in-link', {
    summary: 'Print a one-time link that signs an administrator in, when nothing else does',
    options: {
      username: listed('usernames', 'NAME', 'user name or e-mail address of an active administrator'),
      tenant,
      minutes: value('N', 'how long the link is good: 1 to 60, unless told otherwise 15'),
    },
    notes: `For when the provider of single sign-on is down or its settings are wrong, and local sign-in is disabled. It is in the
audit log, and all administrators of the tenant get mail when it is created and when it is used.
`,
    run: async input => (await import('../sign-in-link.ts')).signInLink(input),
  }),
  local('admin tenants', {
    summary: 'List tenants; create, suspend, reactivate or delete one',
    options: {
      create: value('NAME', 'make one first: 1 to 63 small letters, digits or hyphens'),
      new: flag('with --create: begin a new installation where keys or objects of another are left'),
      suspend: listed('tenants', 'NAME', 'end its sessions and block sign-ins and share links; its files stay'),
      reactivate: listed('tenants', 'NAME', 'let its accounts and share links in again'),
      delete: listed(
        'tenants',
        'NAME',
        'delete it for good: its accounts and files; a running server does it in the background',
      ),
      confirm: listed('tenants', 'NAME', 'with --delete: the name once more'),
      reason: value('TEXT', 'why, for the audit log'),
    },
    notes: `  recordproof-server admin tenants --delete acme --confirm acme

The first tenant is neither suspended nor deleted. Issued proofs stay verifiable, and the audit log is kept.
`,
    run: async input => (await import('../tenants.ts')).tenants(input),
  }),
  local('admin unlock', {
    summary: 'Unlock an account after failed sign-ins, and exempt an address from later locks',
    options: {
      username,
      tenant,
      address: value('IP', 'exempt this address: failed sign-ins from other addresses no longer lock it out'),
    },
    notes: `  recordproof-server admin unlock --username ada --address 203.0.113.7

The password and the sessions stay as they are. The server may run.
`,
    run: async input => (await import('../admin.ts')).unlock(input),
  }),
];
