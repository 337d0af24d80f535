// Declarations of the commands that run a server, show its settings and health, and manage its dead jobs.
import { flag, value } from '@recordproof/shared/command-line/command.ts';
import { listed, local, placeOptions } from './local.ts';

/** For commands that take the server's own settings. */
const settings = {
  data: placeOptions.data,
  host: value('ADDRESS', 'address to listen on (127.0.0.1)'),
  port: value('N', 'port to listen on (8080), 0 = any'),
  profile: placeOptions.profile,
  config: placeOptions.config,
  'log-level': placeOptions['log-level'],
};

export const serveDeclaration = {
  path: 'serve',
  summary: 'Run the server until it is told to stop',
  options: {
    ...settings,
    new: flag('begin a new installation where keys or objects of another are left: these are set aside'),
    'take-over': flag('continue the ledger from this database, which replaces the one that wrote it before'),
  },
  notes: `Settings come from options, then the environment (RECORDPROOF_DATA, RECORDPROOF_LOG_LEVEL and so on), then the file named by
--config, then defaults, which stand in brackets. "recordproof-server config" lists all the others.
--new and --take-over are for one start. Both are in docs/guide/self-hosting.md.
`,
};

export const configDeclaration = {
  path: 'config',
  summary: 'Show every setting in force, where it comes from and how to set it',
  options: settings,
  notes: `--profile without a name shows what the profiles server and laptop set differently.
It takes the options of "serve" and refuses what "serve" would refuse; secrets show only that they are set.
`,
};

export const healthDeclaration = {
  path: 'health',
  summary: 'Ask the server that runs here whether it is ready',
  options: settings,
  notes: `Asks at --host and --port, or where the settings say, for two seconds at most. Ends with 0 when it is ready, with 1 when it
answers that it is not, and with 69 when nobody answers. The image calls it as its health check.
`,
};

export const doctorDeclaration = local('doctor', {
  summary: 'Look whether this machine and its settings are fit for a server, and what to mend',
  options: {},
  notes: `Looks at disk, rights, keys, database, ledger, object store, public address, presigned links, proxies, mail, Redis,
RabbitMQ, witnesses, authorities, calendars and the clock. Makes, sends and changes nothing. Ends with 1 at an error, with
0 at warnings alone, with 78 where a setting is wrong.
`,
});

export const selftestDeclaration = local('selftest', {
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
});

const id = listed('dead-jobs', 'N', 'which one');

export const jobCommands = {
  list: local('jobs list', { summary: 'List dead jobs and events, the newest first', options: {} }),
  show: local('jobs show', { summary: 'Show all that is known of one (--id N)', options: { id } }),
  revive: local('jobs revive', {
    summary: 'Try one again (--id N), at once; a running server does it',
    options: { id },
  }),
  drop: local('jobs drop', {
    summary: 'Throw one away (--id N): what it was to do is never done',
    options: { id },
  }),
};
