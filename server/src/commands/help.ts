import { type Help, toCompletion } from '@recordproof/shared/completion/from-help.ts';
import type { Completion } from '@recordproof/shared/completion/position.ts';

const settings = `  --data DIR              data folder (./recordproof-data)
  --host ADDRESS          address to listen on (127.0.0.1)
  --port N                port to listen on (8080), 0 = any
  --profile NAME          server | laptop (server)
  --config FILE           YAML file with any setting
  --log-level NAME        fatal … trace | silent (info); debug shows where an error came from
  --json                  one JSON document instead of text; an error is one too, a line on standard error
`;

const help = `recordproof-server: stores files and proves what they were and when

  [serve]                 run the server until it is told to stop
  config                  show every setting in force and where it comes from
  admin create            make an administrator (or --role user|monitor, --tenant NAME)
  admin password          set a new password for an account; its sessions end
  admin unlock            end the locks of an account, and let an address in from then on
  admin tenants           list tenants; with --create NAME make one
  ledger verify           re-check the ledger: entries, tiles, checkpoints
  ledger restore          write tiles that got lost or damaged from the entries
  ledger keys             print the verifier keys of the ledger
  chain deploy            put the anchor contract on an EVM chain (--rpc-url URL)
  audit verify            re-compute the hash chain of the audit log
  doctor                  look whether this machine and its settings are fit, and what to mend
  backup --to DIR         copy database, objects, ledger and keys, also while servers run
  restore --from DIR      make an installation of a backup again, where --data NEW says
  migrate status          which steps the schema has taken
  migrate plan            the statements that the next start runs
  migrate move            move from SQLite to PostgreSQL, from disk to S3, or both, proven
  upgrade --check         whether this program can take over what is there
  health                  ask the server that runs here whether it is ready
  gc                      objects that nothing needs, and why
  database check          look whether the file of the embedded database is damaged
  import-legacy FILE      take in records of an older system, over objects that lie in the store
  jobs list               jobs and events that were given up
  jobs show               all that is known of one (--id N)
  jobs revive             try one again (--id N)
  jobs drop               throw one away (--id N)
  keys trusted            the key that signs proofs, as auditors' --trusted-key
  keys list               every key that ever signed proofs, and the master keys of files
  keys rotate-signing     sign with a new key from now on; older proofs keep theirs
  keys add-version        a new master key for keys of files
  keys use                wrap with a new master key (--version N) that every server has loaded
  keys retire             forget a master key (--version N) that wraps nothing any more
  completion bash         print the completion script for a shell (or zsh, fish)

Settings come from flags, then the environment (RECORDPROOF_DATA, RECORDPROOF_LOG_LEVEL and so on), then the file named by
--config, then defaults, which stand in brackets:
${settings}"recordproof-server config" lists all the others. Two more are for one start:
  --new                   begin a new installation where keys or objects of another are left: these are set aside
  --take-over             continue the ledger from this database, which replaces the one that wrote it before
Both are in docs/guide/self-hosting.md.

"recordproof-server COMMAND --help" tells more of one command.

Exit codes: 0 fine, 1 failed, 64 wrong usage, 66 there is no installation in that place, 69 the database or
the object store is out of reach, 70 a bug, 78 a setting is wrong, or database, keys and objects do not belong
together, 130 interrupted.
`;

const whichServer = `It works on the database directly, beside a running server or without one: the one that --data, --config FILE or the
environment (DATABASE_URL for PostgreSQL) chooses, exactly as for "recordproof-server serve".
`;

const password = `The password is asked for twice on a terminal, or read from a pipe:
  printf %s "$PASSWORD" | recordproof-server admin`;

const commandHelp = new Map(
  Object.entries({
    config: `recordproof-server config: shows every setting in force, where it comes from and how to set it

  --json            the same for programs
  --profile         without a name: what the profiles server and laptop set differently

It takes the flags of "serve" and refuses what "serve" would refuse; secrets show only that they are set.
`,
    'admin create': `recordproof-server admin create: opens an account

  --username NAME   3 to 32 letters, Chinese, Japanese and Korean ones among them, digits, dots, hyphens, underscores
  --email ADDRESS   for logging in and for resetting the password
  --nickname NAME   how people see the account; may be left away
  --role ROLE       admin (unless told otherwise), user or monitor
  --tenant NAME     the tenant it belongs to; unless told otherwise, the one that every server has
  --password-stdin  the password must come from a pipe, or nothing is done
  --new             begin a new installation where keys or objects of another are left: these are set aside

${password} create --username ada --email ada@example.org

${whichServer}`,
    'admin password': `recordproof-server admin password: sets a new password for an account; its sessions end

  --username NAME   user name or e-mail address
  --tenant NAME     the tenant of that user name; unless told otherwise, the one that every server has
  --password-stdin  the password must come from a pipe, or nothing is done

${password} password --username ada

${whichServer}`,
    'admin unlock': `recordproof-server admin unlock: ends the locks that failed logins put on an account

  --username NAME   user name or e-mail address
  --tenant NAME     the tenant of that user name; unless told otherwise, the one that every server has
  --address IP      let this address in from then on, whatever others try: its failed logins count apart

  recordproof-server admin unlock --username ada --address 203.0.113.7

The password and the sessions stay as they are. The server may run.

${whichServer}`,
    'admin tenants': `recordproof-server admin tenants: lists tenants

  --create NAME     make one first: 1 to 63 small letters, digits or hyphens
  --new             with --create: begin a new installation where keys or objects of another are left

${whichServer}`,
    'ledger verify': `recordproof-server ledger verify: re-checks the ledger from its entries up: hashes, tiles, checkpoints

  --json            what was found, for programs

Changes nothing. Ends with 1 where something does not agree.

${whichServer}`,
    'ledger restore': `recordproof-server ledger restore: writes tiles that are missing or damaged anew, from the entries

  --new             the objects are lost for good: make the empty store of the settings the one of this installation

Writes nothing where the entries do not have the roots that were signed.

${whichServer}`,
    'ledger keys': `recordproof-server ledger keys: prints the verifier keys of the ledger, one per line

The second one, of ML-DSA-44, is there when ledger.post-quantum is on.

${whichServer}`,
    'chain deploy': `recordproof-server chain deploy: puts the anchor contract on an EVM chain, once

  --rpc-url URL     JSON-RPC of a node of the chain
  --json            the chain and the contract, for programs

The private key of the sender is asked for, or read from a pipe. That account pays, and is from then on the only one that
may write to the contract.
`,
    'keys trusted': `recordproof-server keys trusted: the public key that signs proofs, as auditors give it to --trusted-key

  --version N       the key of an older version

${whichServer}`,
    'keys list': `recordproof-server keys list: every key that ever signed proofs, and the master keys that wrap keys of files

${whichServer}`,
    'keys rotate-signing': `recordproof-server keys rotate-signing: from now on a new key signs; proofs of before keep theirs

Copy the new file in the folder keys to every server that shares the database.

${whichServer}`,
    'keys add-version': `recordproof-server keys add-version: a new master key, which wraps the keys of files

With the embedded database it wraps from now on, and the running server takes it up by itself. With PostgreSQL it is published
first: it opens, and wraps nothing yet. Copy keys/master-keys.json to every server that shares the database, then call
"keys use". What older versions wrapped opens as before; a key rotation moves it under the new one.

${whichServer}`,
    'keys use': `recordproof-server keys use: from now on a master key that was published wraps the keys of files

  --version N       which one

Refused before every running server has loaded this key. Call it on every server that has its own copy of
keys/master-keys.json.

${whichServer}`,
    'keys retire': `recordproof-server keys retire: forgets a master key

  --version N       which one
  --despite-grace   although a key rotation policy still needs it, for instance because its grace period is not over

Refused for the active version, while any file or unfinished upload still needs it, within a minute after a newer one
was added, and while the key rotation policy of a tenant still needs it; it says which and until when.

${whichServer}`,
    doctor: `recordproof-server doctor: looks whether this machine and its settings are fit for a server, and what to mend

  --json            the same for programs

Looks at disk, rights, keys, database, ledger, object store, public address, presigned links, proxies, mail, Redis,
RabbitMQ, witnesses, authorities, calendars and the clock. Makes, sends and changes nothing. Ends with 1 at an error, with
0 at warnings alone, with 78 where a setting is wrong.

${whichServer}`,
    'migrate status': `recordproof-server migrate status: which steps the schema of the database has taken, and when

  --json            the same for programs

Changes nothing. Ends with 1 where this program may not work on the database.

${whichServer}`,
    'migrate plan': `recordproof-server migrate plan: the statements that the next start runs, in their order

  --json            the same for programs

Changes nothing; one transaction runs them all. Ends with 1 where this program may not work on the database.

${whichServer}`,
    'migrate move': `recordproof-server migrate move: moves an installation to the stores that the settings name

  --check           tell what would be moved and what stands in the way, also beside a running server
  --only PART       database or objects, where the settings name a new place for both
  --give-up         forget a move that was begun; the installation is what it was
  --json            the same for programs

Give it --data, --config FILE and the environment of the new server: the database goes out of the data folder where DATABASE_URL
is set, the objects go where the S3 settings are, into what must be empty. No server may run meanwhile. What is in the folder is
not changed; each row is compared and each object read back before it counts. Killed, it goes on when it is called again.
docs/guide/migrate.md tells the rest.
`,
    upgrade: `recordproof-server upgrade --check: whether this program can take over what an older one has left

  --json            the same for programs

Changes nothing. Ends with 1 where it cannot, and says why. The upgrade itself is: make a backup, stop the server, put the
new program in its place, start it.

${whichServer}`,
    health: `recordproof-server health: asks the server that runs on this machine whether it is ready

Asks at --host and --port, or where the settings say, for two seconds at most. Ends with 0 when it is ready, with 1 when it
answers that it is not, and with 69 when nobody answers. The image calls it as its health check.

Its address comes from the settings, as for "recordproof-server serve" (--data, --config FILE, the environment).
`,
    gc: `recordproof-server gc: objects that nothing needs, each with the reason

  --json            the same for programs

Changes nothing. What was deleted goes by itself once its time is over; what no row speaks of goes by a sweep
("recordproof admin sweep", docs/guide/sweep.md).

${whichServer}`,
    backup: `recordproof-server backup: copies database, objects, ledger and keys, beside running servers or without them

  --to DIR          where backups are kept: a folder of its own, best on another disk, or s3://BUCKET/PREFIX; else
                    RECORDPROOF_BACKUP_TO. What an earlier backup holds already is not copied again
  --passphrase-file FILE  else RECORDPROOF_BACKUP_PASSPHRASE, else it is asked for: 12 characters or more
  --quick           do not read again what earlier backups have written
  --keep N          afterwards take out all backups but the newest N; else RECORDPROOF_BACKUP_KEEP, else all stay
  --json            what was copied, for programs

All of it is encrypted with the passphrase; without it nothing can be restored. Ends with 1 where objects are lost or
damaged: the backup is made all the same, without them. docs/guide/backup.md tells the rest.

${whichServer}`,
    restore: `recordproof-server restore: makes an installation of a backup again, where nothing is yet

  --from DIR        what "backup --to" was given: a folder, or s3://BUCKET/PREFIX; else RECORDPROOF_BACKUP_TO
  --data NEW        the new data folder: empty, or not there. DATABASE_URL and the S3 settings name what is empty, too
  --config FILE     settings of the new place, as for "serve"
  --backup NAME     another than the newest, as --list or its file in DIR/backups is called
  --list            name the backups and their times; no passphrase is needed
  --verify          then check every manifest, object, ledger entry and audit chain; ends with 1 where one does not hold
  --keep-going      restore everything that is intact, and name the files that are damaged in the backup; ends with 2 then
  --check           restore nothing, but read all backups (or --backup NAME) and list all damage: ends with 2 where
                    objects are damaged, with 65 where a database is, from which nothing can be restored
  --passphrase-file FILE  else RECORDPROOF_BACKUP_PASSPHRASE, else it is asked for
  --json            what was restored and found, for programs
`,
    'database check': `recordproof-server database check: looks whether the file of the embedded database is damaged

Changes nothing, beside a running server or without one: that of the data folder that --data, --config FILE or the
environment chooses. Ends with 1 where something is broken, and says what.
`,
    'import-legacy': `recordproof-server import-legacy FILE.ndjson: takes in records of an older system, a line of JSON each

  --tenant NAME     where to; unless told otherwise, the tenant that every server has
  --json            what was done, for programs

Their objects must lie in the object store already; nothing is copied and nothing is believed: a backfill looks at every
byte before a record gets its manifest (docs/guide/backfill.md, which also describes a line). Run it again after it
was interrupted: what is there is passed over. A line that cannot be taken is told with its number; then it ends with 1.

${whichServer}`,
    jobs: `recordproof-server jobs: what the server tried as often as it may and gave up, of every tenant and of its own

  jobs list         the newest first
  jobs show --id N  all that is known of one
  jobs revive --id N  try it again, at once; a running server does it
  jobs drop --id N  throw it away: what it was to do is never done

${whichServer}`,
    completion: `recordproof-server completion: prints the script that completes commands and flags in a shell

  completion bash   for ~/.local/share/bash-completion/completions/recordproof-server
  completion zsh    for a file _recordproof-server in a folder of the fpath
  completion fish   for ~/.config/fish/completions/recordproof-server.fish

For one bash alone: source <(recordproof-server completion bash)
`,
    'audit verify': `recordproof-server audit verify: re-computes the hash chain of the audit log, tenant by tenant

Compares it with the heads that the ledger recorded once a minute. Ends with 1 where the chain does not hold.

${whichServer}`,
  }),
);

/** Of a word that stands before several commands: those, as the common text has them. */
function findTopicHelp(topic: string): string | undefined {
  const rows = help.split('\n').filter(line => line.startsWith(`  ${topic} `));
  if (topic === '' || rows.length === 0) return undefined;
  return `${rows.join('\n')}\n\n"recordproof-server ${topic} COMMAND --help" tells more.\n`;
}

/** The text for what stands before --help; the common one where no command is meant. */
export function findHelp(argv: readonly string[]): string {
  const [first = '', second = ''] = argv.filter(word => !word.startsWith('-') && word !== 'help');
  return commandHelp.get(`${first} ${second}`) ?? commandHelp.get(first) ?? findTopicHelp(first) ?? help;
}

/** What completion knows: all that is told here. */
const listHelps = (): Help[] => [
  ...['', 'serve', 'config'].map(path => ({ path, text: help })),
  ...[...commandHelp].map(([path, text]) =>
    text.includes('--config FILE') ? { path, text: text + settings, without: ['--host', '--port'] } : { path, text },
  ),
];

/** What the values of a flag are; completion-values.ts lists each kind. */
const valueKinds = {
  '--profile': 'profiles',
  '--log-level': 'log-levels',
  '--role': 'roles',
  '--only': 'parts',
  '--tenant': 'tenants',
  '--username': 'usernames',
  '--id': 'dead-jobs',
  '--version': 'key-versions',
  '--backup': 'backups',
} as const;

export type ValueKind = (typeof valueKinds)[keyof typeof valueKinds];

/** Which installation or backup the names are of. */
const placeFlags = ['--data', '--config', '--from'];

export const readCompletion = (): Completion =>
  toCompletion('recordproof-server', listHelps(), { asks: valueKinds, passedOn: placeFlags });
