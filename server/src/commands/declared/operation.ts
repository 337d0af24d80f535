// Declarations of the commands that run, show and check a server, and manage its dead jobs.
import { flag, value } from '@recordproof/shared/command-line/command.ts';
import { json, listed, local, type ServerCommand, settings } from './local.ts';

export const serve: ServerCommand = {
  path: 'serve',
  summary: 'Run the server until it is stopped',
  options: {
    ...settings,
    new: flag('create a new installation although keys or objects of another one are present; these are moved aside'),
    'take-over': flag('continue the ledger from this database in place of the one that wrote it before'),
    json,
  },
  notes: `Settings come from options, then the environment (RECORDPROOF_DATA, RECORDPROOF_LOG_LEVEL and so on), then the file named by
--config, then defaults (in brackets). "recordproof-server config" lists all of them.
--new and --take-over apply to one start. See docs/guide/self-hosting.md.
`,
  run: async args => (await import('../serve.ts')).serve(args),
};

export const configCommand: ServerCommand = {
  path: 'config',
  summary: 'Show all effective settings, their source and how to set them',
  options: settings,
  notes: `--profile without a name compares the profiles server and laptop.
It takes the settings of "serve", and fails on the same invalid ones; of secrets it only shows that they are set.
`,
  run: async args => (await import('../config.ts')).showConfig(args),
};

export const checkCommands = [
  local('doctor', {
    summary: 'Check machine and settings, and say what to fix',
    options: {},
    notes: `Checks disk, permissions, keys, database, ledger, object store, public address, presigned links, proxies, mail, Redis,
RabbitMQ, witnesses, authorities, calendars and the clock. Creates, sends and changes nothing. Exits with 1 on errors,
with 0 on warnings only, with 78 if a setting is invalid.
`,
    run: async input => (await import('../doctor/doctor.ts')).doctor(input),
  }),
  local('selftest', {
    summary: 'Test storing, proving and verifying end to end, within a minute; leaves nothing behind',
    options: {
      'mail-to': value(
        'ADDRESS',
        'send a test mail to this address; by default only the connection to the mail server is tested',
      ),
    },
    notes: `Stores a file, proves it, verifies the proof, damages the stored bytes and finds the damage, in a scratch installation
that uses the disk or bucket and the key provider of this one; its database, ledger and accounts are not touched. Also
checks disk, database, clock, mail, Redis and RabbitMQ. Leftovers of a killed run are removed by the next one or by the
server. The output contains no secrets. Exits with 1 if a check failed, with 66 if there is no installation, with 78 if
a setting is invalid or parts do not belong together.
`,
    run: async input => (await import('../selftest/selftest.ts')).selftest(input),
  }),
];

const id = listed('dead-jobs', 'N', 'id of the job or event');

export const jobCommands = [
  local('jobs list', {
    summary: 'List dead jobs and events, newest first',
    options: {},
    run: async input => (await import('../jobs.ts')).list(input),
  }),
  local('jobs show', {
    summary: 'Show the details of a dead job or event (--id N)',
    options: { id },
    run: async input => (await import('../jobs.ts')).jobs('show', input),
  }),
  local('jobs revive', {
    summary: 'Retry a dead job or event (--id N) at once, by a running server',
    options: { id },
    run: async input => (await import('../jobs.ts')).jobs('revive', input),
  }),
  local('jobs drop', {
    summary: 'Delete a dead job or event (--id N); its work is never done',
    options: { id },
    run: async input => (await import('../jobs.ts')).jobs('drop', input),
  }),
];
