// Declarations of the commands on storage: backups, schema, move, import and unneeded objects.
import { flag, value, values } from '@recordproof/shared/command-line/command.ts';
import { listed, local, placeOptions, tenant } from './local.ts';

export const backupDeclaration = local('backup', {
  summary: 'Copy database, objects, ledger and keys, beside running servers or without them',
  options: {
    to: value(
      'DIR',
      'where backups are kept: a folder of its own, best on another disk, or s3://BUCKET/PREFIX; else RECORDPROOF_BACKUP_TO. What an earlier backup holds already is not copied again',
    ),
    'passphrase-file': value('FILE', 'else RECORDPROOF_BACKUP_PASSPHRASE, else it is asked for: 12 characters or more'),
    quick: flag('do not read again what earlier backups have written'),
    keep: value('N', 'afterwards take out all backups but the newest N; else RECORDPROOF_BACKUP_KEEP, else all stay'),
  },
  notes: `All of it is encrypted with the passphrase; without it nothing can be restored. Ends with 1 where objects are lost or
damaged: the backup is made all the same, without them. docs/guide/backup.md tells the rest.
`,
});

export const restoreDeclaration = {
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
} as const;

const changesNothing = 'Changes nothing. Ends with 1 where this program may not work on the database.\n';

export const migrateCommands = {
  status: local('migrate status', {
    summary: 'Show which steps the schema of the database has taken, and when',
    options: {},
    notes: changesNothing,
  }),
  plan: local('migrate plan', {
    summary: 'Print the statements that the next start runs, in their order',
    options: {},
    notes: `One transaction runs them all. ${changesNothing}`,
  }),
};

export const migrateMove = {
  path: 'migrate move',
  summary: 'Move from SQLite to PostgreSQL, from disk to S3, or both, proven',
  isLocal: true,
  options: {
    check: flag('tell what would be moved and what stands in the way, also beside a running server'),
    only: listed('parts', 'PART', 'database or objects, where the settings name a new place for both'),
    'give-up': flag('forget a move that was begun; the installation is what it was'),
  },
  notes: `Give it --data, --config FILE and the environment of the new server: the database goes out of the data folder where DATABASE_URL
is set, the objects go where the S3 settings are, into what must be empty. No server may run meanwhile. What is in the folder is
not changed; each row is compared and each object read back before it counts. Killed, it goes on when it is called again.
docs/guide/migrate.md tells the rest.
`,
} as const;

export const upgradeDeclaration = local('upgrade', {
  summary: 'Say whether this program can take over what an older one has left',
  usage: ['upgrade --check [options]'],
  options: { check: flag('needed: the upgrade itself is to start the new program') },
  notes: `Changes nothing. Ends with 1 where it cannot, and says why. The upgrade itself is: make a backup, stop the server, put the
new program in its place, start it.
`,
});

export const gcDeclaration = local('gc', {
  summary: 'List objects that nothing needs, each with the reason',
  options: {},
  notes: `Changes nothing. What was deleted goes by itself once its time is over; what no row speaks of goes by a sweep
("recordproof admin sweep", docs/guide/sweep.md).
`,
});

export const databaseCheck = local('database check', {
  summary: 'Look whether the file of the embedded database is damaged',
  options: {},
  notes: 'Changes nothing. Ends with 1 where something is broken, and says what.\n',
});

export const importLegacyDeclaration = local('import-legacy', {
  summary: 'Take in records of an older system, over objects that lie in the store',
  usage: ['import-legacy FILE.ndjson [options]'],
  options: { tenant },
  notes: `FILE.ndjson holds a line of JSON for each record.
Their objects must lie in the object store already; nothing is copied and nothing is believed: a backfill looks at every
byte before a record gets its manifest (docs/guide/backfill.md, which also describes a line). Run it again after it
was interrupted: what is there is passed over. A line that cannot be taken is told with its number; then it ends with 1.
`,
});
