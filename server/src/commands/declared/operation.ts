// Declarations of the commands that run, show and check a server, and manage its dead jobs.
import { flag, value } from '@recordproof/shared/command-line/command.ts';
import { json, listed, local, type ServerCommand, settings } from './local.ts';

export const serve: ServerCommand = {
  path: 'serve',
  summary: 'Run the server until it is told to stop',
  options: {
    ...settings,
    new: flag('begin a new installation where keys or objects of another are left: these are set aside'),
    'take-over': flag('continue the ledger from this database, which replaces the one that wrote it before'),
    json,
  },
  notes: `Settings come from options, then the environment (RECORDPROOF_DATA, RECORDPROOF_LOG_LEVEL and so on), then the file named by
--config, then defaults, which stand in brackets. "recordproof-server config" lists all the others.
--new and --take-over are for one start. Both are in docs/guide/self-hosting.md.
`,
  run: async args => (await import('../serve.ts')).serve(args),
};

export const configCommand: ServerCommand = {
  path: 'config',
  summary: 'Show every setting in force, where it comes from and how to set it',
  options: settings,
  notes: `--profile without a name shows what the profiles server and laptop set differently.
It takes the options of "serve" and refuses what "serve" would refuse; secrets show only that they are set.
`,
  run: async args => (await import('../config.ts')).showConfig(args),
};

export const checkCommands = [
  local('doctor', {
    summary: 'Check whether this machine and its settings are suitable for a server, and what to fix',
    options: {},
    notes: `Looks at disk, rights, keys, database, ledger, object store, public address, presigned links, proxies, mail, Redis,
RabbitMQ, witnesses, authorities, calendars and the clock. Makes, sends and changes nothing. Ends with 1 at an error, with
0 at warnings alone, with 78 where a setting is wrong.
`,
    run: async input => (await import('../doctor/doctor.ts')).doctor(input),
  }),
  local('selftest', {
    summary: 'Store, prove, verify and more, for real, within a minute, and leave nothing behind',
    options: {
      'mail-to': value('ADDRESS', 'send a test mail there; without it the mail server is only greeted'),
    },
    notes: `Stores a file, proves it, verifies the proof, damages the stored bytes and finds the damage, in a scratch installation
with the disk or the bucket and the key provider of this one; its database, ledger and accounts get nothing. Checks
disk, database, clock, mail, Redis and RabbitMQ, too. What a killed run left is removed by the next one or by the
server. The output holds no secret and can be pasted into a ticket. Ends with 1 where a check failed, with 66 where
nothing is set up, with 78 where a setting is wrong or parts do not belong together.
`,
    run: async input => (await import('../selftest/selftest.ts')).selftest(input),
  }),
];

const id = listed('dead-jobs', 'N', 'which one');

export const jobCommands = [
  local('jobs list', {
    summary: 'List dead jobs and events, the newest first',
    options: {},
    run: async input => (await import('../jobs.ts')).list(input),
  }),
  local('jobs show', {
    summary: 'Show all that is known of one (--id N)',
    options: { id },
    run: async input => (await import('../jobs.ts')).jobs('show', input),
  }),
  local('jobs revive', {
    summary: 'Try one again (--id N), at once; a running server does it',
    options: { id },
    run: async input => (await import('../jobs.ts')).jobs('revive', input),
  }),
  local('jobs drop', {
    summary: 'Throw one away (--id N): what it was to do is never done',
    options: { id },
    run: async input => (await import('../jobs.ts')).jobs('drop', input),
  }),
];
