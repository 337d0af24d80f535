// Declarations of the commands that keep an installation: backups, schema, move, health, unneeded objects, import.
import { flag, value, values } from '@recordproof/shared/command-line/command.ts';
import {
  installationOptions,
  listed,
  local,
  parsed,
  type ServerCommand,
  settings,
  tenant,
  toLocalNotes,
} from './local.ts';

const changesNothing = 'Changes nothing. Exits with 1 if this program cannot use the database.\n';

export const storageCommands: readonly ServerCommand[] = [
  local('backup', {
    summary: 'Back up database, objects, ledger and keys; servers may be running',
    options: {
      to: value(
        'DIR',
        'where backups are stored: a dedicated folder, best on another disk, or s3://BUCKET/PREFIX (RECORDPROOF_BACKUP_TO). Backups are incremental',
      ),
      'passphrase-file': value(
        'FILE',
        'file with the passphrase, 12 characters or more (RECORDPROOF_BACKUP_PASSPHRASE; otherwise prompted for)',
      ),
      quick: flag('do not re-read the data of earlier backups'),
      keep: value(
        'N',
        'afterwards delete all but the newest N backups (RECORDPROOF_BACKUP_KEEP; otherwise all are kept)',
      ),
    },
    notes: `Everything is encrypted with the passphrase; without it nothing can be restored. Exits with 1 if objects are lost or
damaged: the backup is made without them. See docs/guide/backup.md.
`,
    run: async input => (await import('../backup/backup.ts')).backup(input),
  }),
  parsed({
    path: 'restore',
    summary: 'Restore an installation from a backup to an empty target',
    isLocal: true,
    options: {
      from: value('DIR', 'where the backups are: the value of "backup --to" (RECORDPROOF_BACKUP_TO)'),
      data: value(
        'NEW',
        'the new data folder, empty or missing. The database of DATABASE_URL and the bucket of the S3 settings must be empty, too',
      ),
      config: installationOptions.config,
      backup: listed('backups', 'NAME', 'name of the backup, as shown by --list (the newest)'),
      list: flag('list the backups and their times; needs no passphrase'),
      verify: flag(
        'afterwards verify all manifests, objects, ledger entries and audit chains; exits with 1 if one is invalid',
      ),
      'keep-going': flag(
        'restore everything that is intact and list the files that are damaged in the backup; exits with 2 then',
      ),
      check: flag(
        'restore nothing; read all backups (or --backup NAME) and list all damage: exits with 2 if objects are damaged, with 65 if a database is damaged, which cannot be restored',
      ),
      'passphrase-file': values(
        'FILE',
        'file with a passphrase; repeat it if backups have different ones (RECORDPROOF_BACKUP_PASSPHRASE; otherwise prompted for)',
      ),
    },
    run: async input => (await import('../backup/restore.ts')).restore(input),
  }),
  local('migrate status', {
    summary: 'Show the schema migrations of the database and when they ran',
    options: {},
    notes: changesNothing,
    run: async input => (await import('../migrate.ts')).migrate('status', input),
  }),
  local('migrate plan', {
    summary: 'Print the migration statements that the next start will run',
    options: {},
    notes: `They run in one transaction. ${changesNothing}`,
    run: async input => (await import('../migrate.ts')).migrate('plan', input),
  }),
  parsed({
    path: 'migrate move',
    summary: 'Move from SQLite to PostgreSQL, from disk to S3, or both, with verification',
    isLocal: true,
    options: {
      check: flag('show what would be moved and what prevents it; a server may be running'),
      only: listed('parts', 'PART', 'move only the database or only the objects (both)'),
      'give-up': flag('cancel a move that has started; the installation stays as it was'),
    },
    notes: `Needs --data, --config FILE and the environment of the new server: the database is moved to DATABASE_URL, the objects to
the bucket of the S3 settings; both must be empty. No server may be running. The data folder is not changed; every row is
compared and every object is read back. An interrupted move continues when the command is run again.
See docs/guide/migrate.md.
`,
    run: async input => (await import('../move/move.ts')).move(input),
  }),
  local('upgrade', {
    summary: 'Check whether this program can open the data of an older version',
    usage: ['upgrade --check [options]'],
    options: { check: flag('required: the upgrade itself is done by starting the new program') },
    notes: `Changes nothing. Exits with 1 if it cannot, with the reason. To upgrade: make a backup, stop the server, replace the
program, start it.
`,
    run: async input => (await import('../upgrade.ts')).upgrade(input),
  }),
  {
    path: 'health',
    summary: 'Check whether the server on this machine is ready',
    options: settings,
    notes: `Asks at --host and --port, or at the address of the settings, for two seconds at most. Exits with 0 if the server is
ready, with 1 if it is not, with 69 if there is no response. Container images use it as their health check.
`,
    run: async args => (await import('../health.ts')).health(args),
  },
  local('gc', {
    summary: 'List unreferenced objects, with the reason for each',
    options: {},
    notes: `Changes nothing. Deleted objects are removed automatically after their retention; objects without a row are removed by a
sweep ("recordproof admin sweep", docs/guide/sweep.md).
`,
    run: async input => (await import('../gc.ts')).gc(input),
  }),
  local('database check', {
    summary: 'Check the file of the embedded database for damage',
    options: {},
    notes: 'Changes nothing. Exits with 1 if damage is found, and describes it.\n',
    run: async input => (await import('../database.ts')).check(input),
  }),
  {
    path: 'import-legacy',
    summary: 'Import records of an older system whose objects are in the object store',
    usage: ['import-legacy FILE.ndjson [options]'],
    options: { tenant },
    isLocal: true,
    notes: toLocalNotes(`FILE.ndjson contains one JSON object per line and record.
The objects must already be in the object store; nothing is copied, and nothing is trusted: a backfill reads every byte
before a record gets its manifest (docs/guide/backfill.md, which also describes the format). An interrupted import can be
run again: existing records are skipped. Invalid lines are reported by number; it then exits with 1.
`),
    run: async args => (await import('../import-legacy.ts')).importRecords(args),
  },
];
