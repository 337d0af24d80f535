// Declarations of the commands on evidence: `ledger …`, `chain …`, `audit …` and `keys …`.
import { flag, value } from '@recordproof/shared/command-line/command.ts';
import { listed, local, parsed } from './local.ts';

export const evidenceCommands = [
  local('ledger verify', {
    summary: 'Verify the ledger from its entries: hashes, tiles, checkpoints',
    options: {},
    notes: 'Changes nothing. Exits with 1 if something does not match.\n',
    run: async input => (await import('../ledger.ts')).ledger('verify', input),
  }),
  local('ledger restore', {
    summary: 'Rebuild lost or damaged tiles from the entries',
    options: {
      new: flag('the objects are lost: use the empty object store of the settings for this installation'),
    },
    notes: 'Writes nothing if the entries do not match the signed roots.\n',
    run: async input => (await import('../ledger.ts')).ledger('restore', input),
  }),
  local('ledger keys', {
    summary: 'Print the verifier keys of the ledger, one per line',
    options: {},
    notes: 'With ledger.post-quantum on, the second one is an ML-DSA-44 key.\n',
    run: async input => (await import('../ledger.ts')).ledger('keys', input),
  }),
  parsed({
    path: 'chain deploy',
    summary: 'Deploy the anchor contract to an EVM chain (once)',
    options: { 'rpc-url': value('URL', 'JSON-RPC URL of a node') },
    notes: `The private key of the sender is prompted for, or read from standard input. This account pays, and is the only one that
may write to the contract.
`,
    run: async input => (await import('../chain.ts')).deploy(input),
  }),
  local('audit verify', {
    summary: 'Verify the hash chain of the audit log, for each tenant',
    options: {},
    notes: `Compares it with the heads that the ledger records once a minute. Exits with 1 if the chain is broken.
`,
    run: async input => (await import('../audit.ts')).verify(input),
  }),
];

export const keyCommands = [
  local('keys trusted', {
    summary: "Print the public key that signs proofs, as auditors' --trusted-key",
    options: { version: listed('key-versions', 'N', 'an older version of the key') },
    run: async input => (await import('../keys.ts')).keys('trusted', input),
  }),
  local('keys list', {
    summary: 'List all signing keys, also retired ones, and the master keys',
    options: {},
    run: async input => (await import('../keys.ts')).keys('list', input),
  }),
  local('keys rotate-signing', {
    summary: 'Rotate the signing key; existing proofs keep their signatures',
    options: {},
    notes: `With PostgreSQL, the new key is only published until every running server has loaded it: copy the new file in the folder
keys to every server that shares the database, then run this command again to activate it.
`,
    run: async input => (await import('../keys.ts')).keys('rotate-signing', input),
  }),
  local('keys add-version', {
    summary: 'Add a new master key, which wraps file keys',
    options: {},
    notes: `With the embedded database it is active at once, and a running server loads it by itself. With PostgreSQL it is published
first: it unwraps, but does not wrap yet. Copy keys/master-keys.json to every server that shares the database, then run
"keys use". File keys wrapped by older versions stay readable; a key rotation rewraps them.
`,
    run: async input => (await import('../keys.ts')).keys('add-version', input),
  }),
  local('keys use', {
    summary: 'Activate a new master key (--version N) that every server has loaded',
    options: { version: listed('key-versions', 'N', 'version of the key') },
    notes: `Rejected until every running server has loaded the key. Run it on every server that has its own copy of
keys/master-keys.json.
`,
    run: async input => (await import('../keys.ts')).keys('use', input),
  }),
  local('keys retire', {
    summary: 'Delete a master key (--version N) that is no longer needed',
    options: {
      version: listed('key-versions', 'N', 'version of the key'),
      'despite-grace': flag('even if a key rotation policy still needs it, for example during its grace period'),
    },
    notes: `Rejected for the active version, while a file or unfinished upload needs it, within a minute after a newer version was
added, and while the key rotation policy of a tenant needs it; the error says which and until when.
`,
    run: async input => (await import('../keys.ts')).keys('retire', input),
  }),
];
