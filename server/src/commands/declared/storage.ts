// Declarations of the commands that keep an installation: backups, schema, move, health, unneeded objects, import.
import { flag, value, values } from '@recordproof/shared/command-line/command.ts';
import { listed, local, parsed, placeOptions, type ServerCommand, settings, tenant, toLocalNotes } from './local.ts';

const changesNothing = 'Changes nothing. Ends with 1 where this program may not work on the database.\n';

export const storageCommands: readonly ServerCommand[] = [
  local('backup', {
    summary: 'Copy database, objects, ledger and keys, beside running servers or without them',
    options: {
      to: value(
        'DIR',
        'where backups are kept: a folder of its own, best on another disk, or s3://BUCKET/PREFIX; else RECORDPROOF_BACKUP_TO. What an earlier backup holds already is not copied again',
      ),
      'passphrase-file': value(
        'FILE',
        'else RECORDPROOF_BACKUP_PASSPHRASE, else it is asked for: 12 characters or more',
      ),
      quick: flag('do not read again what earlier backups have written'),
      keep: value('N', 'afterwards take out all backups but the newest N; else RECORDPROOF_BACKUP_KEEP, else all stay'),
    },
    notes: `All of it is encrypted with the passphrase; without it nothing can be restored. Ends with 1 where objects are lost or
damaged: the backup is made all the same, without them. docs/guide/backup.md tells the rest.
`,
    run: async input => (await import('../backup/backup.ts')).backup(input),
  }),
  parsed({
    path: 'restore',
    summary: 'Make an installation of a backup again, where --data NEW says and nothing is yet',
    isLocal: true,
    options: {
      from: value('DIR', 'what "backup --to" was given: a folder, or s3://BUCKET/PREFIX; else RECORDPROOF_BACKUP_TO'),
      data: value(
        'NEW',
        'the new data folder: empty, or not there. DATABASE_URL and the S3 settings name what is empty, too',
      ),
      config: placeOptions.config,
      backup: listed('backups', 'NAME', 'another than the newest, as --list or its file in DIR/backups is called'),
      list: flag('name the backups and their times; no passphrase is needed'),
      verify: flag(
        'then check every manifest, object, ledger entry and audit chain; ends with 1 where one does not hold',
      ),
      'keep-going': flag(
        'restore everything that is intact, and name the files that are damaged in the backup; ends with 2 then',
      ),
      check: flag(
        'restore nothing, but read all backups (or --backup NAME) and list all damage: ends with 2 where objects are damaged, with 65 where a database is, from which nothing can be restored',
      ),
      'passphrase-file': values(
        'FILE',
        'also several times, where backups have different passphrases; RECORDPROOF_BACKUP_PASSPHRASE is tried, too; where there is none, it is asked for',
      ),
    },
    run: async input => (await import('../backup/restore.ts')).restore(input),
  }),
  local('migrate status', {
    summary: 'Show which steps the schema of the database has taken, and when',
    options: {},
    notes: changesNothing,
    run: async input => (await import('../migrate.ts')).migrate('status', input),
  }),
  local('migrate plan', {
    summary: 'Print the statements that the next start runs, in their order',
    options: {},
    notes: `One transaction runs them all. ${changesNothing}`,
    run: async input => (await import('../migrate.ts')).migrate('plan', input),
  }),
  parsed({
    path: 'migrate move',
    summary: 'Move from SQLite to PostgreSQL, from disk to S3, or both, proven',
    isLocal: true,
    options: {
      check: flag('tell what would be moved and what stands in the way, also beside a running server'),
      only: listed('parts', 'PART', 'database or objects, where the settings name a new place for both'),
      'give-up': flag('cancel an unfinished move; the installation stays unchanged'),
    },
    notes: `Give it --data, --config FILE and the environment of the new server: the database goes out of the data folder where DATABASE_URL
is set, the objects go where the S3 settings are, into what must be empty. No server may run meanwhile. What is in the folder is
not changed; each row is compared and each object read back before it counts. Killed, it goes on when it is called again.
docs/guide/migrate.md tells the rest.
`,
    run: async input => (await import('../move/move.ts')).move(input),
  }),
  local('upgrade', {
    summary: 'Say whether this program can take over what an older one has left',
    usage: ['upgrade --check [options]'],
    options: { check: flag('needed: the upgrade itself is to start the new program') },
    notes: `Changes nothing. Ends with 1 where it cannot, and says why. The upgrade itself is: make a backup, stop the server, put the
new program in its place, start it.
`,
    run: async input => (await import('../upgrade.ts')).upgrade(input),
  }),
  {
    path: 'health',
    summary: 'Ask the server that runs here whether it is ready',
    options: settings,
    notes: `Asks at --host and --port, or where the settings say, for two seconds at most. Ends with 0 when it is ready, with 1 when it
answers that it is not, and with 69 when nobody answers. The image calls it as its health check.
`,
    run: async args => (await import('../health.ts')).health(args),
  },
  local('gc', {
    summary: 'List objects that nothing needs, each with the reason',
    options: {},
    notes: `Changes nothing. What was deleted goes by itself once its time is over; what no row speaks of goes by a sweep
("recordproof admin sweep", docs/guide/sweep.md).
`,
    run: async input => (await import('../gc.ts')).gc(input),
  }),
  local('database check', {
    summary: 'Look whether the file of the embedded database is damaged',
    options: {},
    notes: 'Changes nothing. Ends with 1 where something is broken, and says what.\n',
    run: async input => (await import('../database.ts')).check(input),
  }),
  {
    path: 'import-legacy',
    summary: 'Take in records of an older system, over objects that lie in the store',
    usage: ['import-legacy FILE.ndjson [options]'],
    options: { tenant },
    isLocal: true,
    notes: toLocalNotes(`FILE.ndjson holds a line of JSON for each record.
Their objects must already be in the object store; nothing is copied, and nothing is trusted unchecked: a backfill checks every
byte before a record gets its manifest (docs/guide/backfill.md, which also describes a line). Run it again after it
was interrupted: what is there is passed over. A line that cannot be taken is told with its number; then it ends with 1.
`),
    run: async args => (await import('../import-legacy.ts')).importRecords(args),
  },
];
