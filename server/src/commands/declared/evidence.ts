// Declarations of the commands on evidence: `ledger …`, `chain …`, `audit …` and `keys …`.
import { flag, value } from '@recordproof/shared/command-line/command.ts';
import { listed, local, parsed } from './local.ts';

export const evidenceCommands = [
  local('ledger verify', {
    summary: 'Re-check the ledger from its entries up: hashes, tiles, checkpoints',
    options: {},
    notes: 'Changes nothing. Ends with 1 where something does not agree.\n',
    run: async input => (await import('../ledger.ts')).ledger('verify', input),
  }),
  local('ledger restore', {
    summary: 'Rewrite lost or damaged tiles from the entries',
    options: {
      new: flag('the objects are lost for good: make the empty store of the settings the one of this installation'),
    },
    notes: 'Writes nothing where the entries do not have the roots that were signed.\n',
    run: async input => (await import('../ledger.ts')).ledger('restore', input),
  }),
  local('ledger keys', {
    summary: 'Print the verifier keys of the ledger, one per line',
    options: {},
    notes: 'The second one, of ML-DSA-44, is there when ledger.post-quantum is on.\n',
    run: async input => (await import('../ledger.ts')).ledger('keys', input),
  }),
  parsed({
    path: 'chain deploy',
    summary: 'Put the anchor contract on an EVM chain, once',
    options: { 'rpc-url': value('URL', 'JSON-RPC of a node of the chain') },
    notes: `The private key of the sender is asked for, or read from a pipe. That account pays, and is from then on the only one that
may write to the contract.
`,
    run: async input => (await import('../chain.ts')).deploy(input),
  }),
  local('audit verify', {
    summary: 'Re-compute the hash chain of the audit log, tenant by tenant',
    options: {},
    notes: `Compares it with the heads that the ledger recorded once a minute. Ends with 1 where the chain does not hold.
`,
    run: async input => (await import('../audit.ts')).verify(input),
  }),
];

export const keyCommands = [
  local('keys trusted', {
    summary: "Print the public key that signs proofs, as auditors' --trusted-key",
    options: { version: listed('key-versions', 'N', 'the key of an older version') },
    run: async input => (await import('../keys.ts')).keys('trusted', input),
  }),
  local('keys list', {
    summary: 'List every key that ever signed proofs, and the master keys that wrap keys of files',
    options: {},
    run: async input => (await import('../keys.ts')).keys('list', input),
  }),
  local('keys rotate-signing', {
    summary: 'Sign with a new key from now on; older proofs keep theirs',
    options: {},
    notes: `With PostgreSQL, while a running server has not loaded the new key, it is published only: copy the new file in the folder
keys to every server that shares the database, then run the same again; from then on the key signs.
`,
    run: async input => (await import('../keys.ts')).keys('rotate-signing', input),
  }),
  local('keys add-version', {
    summary: 'Add a new master key, which wraps the keys of files',
    options: {},
    notes: `With the embedded database it wraps from now on, and the running server takes it up by itself. With PostgreSQL it is published
first: it opens, and wraps nothing yet. Copy keys/master-keys.json to every server that shares the database, then call
"keys use". What older versions wrapped opens as before; a key rotation moves it under the new one.
`,
    run: async input => (await import('../keys.ts')).keys('add-version', input),
  }),
  local('keys use', {
    summary: 'Wrap with a new master key (--version N) that every server has loaded',
    options: { version: listed('key-versions', 'N', 'which one') },
    notes: `Refused before every running server has loaded this key. Call it on every server that has its own copy of
keys/master-keys.json.
`,
    run: async input => (await import('../keys.ts')).keys('use', input),
  }),
  local('keys retire', {
    summary: 'Forget a master key (--version N) that wraps nothing any more',
    options: {
      version: listed('key-versions', 'N', 'which one'),
      'despite-grace': flag(
        'although a key rotation policy still needs it, for instance because its grace period is not over',
      ),
    },
    notes: `Refused for the active version, while any file or unfinished upload still needs it, within a minute after a newer one
was added, and while the key rotation policy of a tenant still needs it; it says which and until when.
`,
    run: async input => (await import('../keys.ts')).keys('retire', input),
  }),
];
