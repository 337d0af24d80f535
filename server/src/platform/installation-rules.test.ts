// Rules for database, keys and object store of one installation: each combination and its verdict.
import { expect, test } from 'vitest';
import { classifyHalves, type Halves, type Intent } from './installation-rules.ts';

const [one, other] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];

const name = '/data/recordproof.db';
const noKeys: Halves['keys'] = { folder: '/data/keys', hasKeys: false, mark: null };
const oldKeys = { ...noKeys, hasKeys: true };
const keysOf = (id: string, isBound = true) => ({ ...oldKeys, mark: { id, isBound, database: 'postgres://db/proof' } });
const store = (found: Halves['store']['found']): Halves['store'] => ({ name: 'the bucket "b"', found });
const [empty, missing] = [store({ kind: 'empty' }), store({ kind: 'missing' })];
const marked = (id: string) => store({ kind: 'marked', id });
const unmarked = (belongs: 'own' | 'foreign' | 'unknown') => store({ kind: 'unmarked', belongs });
const noDatabase = { name, installed: null };
const databaseOf = (id: string | null, hasContent = true) => ({ name, installed: { id, hasContent } });

type Row = readonly [
  what: string,
  database: Halves['database'],
  keys: Halves['keys'],
  store: Halves['store'],
  judged: RegExp | string | null,
  intent?: Intent,
];

/** A pattern: refused so. Else the id that is agreed on. */
const rows: readonly Row[] = [
  ['no database, keys and objects', noDatabase, noKeys, empty, null],
  ['no database, keys and object folder', noDatabase, noKeys, missing, null],
  ['an interrupted first start', noDatabase, keysOf(one, false), empty, one],
  ['a first start interrupted after the store was marked', noDatabase, keysOf(one, false), marked(one), one],
  ['an interrupted first start and another store', noDatabase, keysOf(one, false), marked(other), /objects of the/],
  ['a lost database', noDatabase, keysOf(one), marked(one), /keys of the installation 1.*is postgres:\/\/db\/proof/],
  ['a lost database of an earlier version', noDatabase, oldKeys, unmarked('foreign'), /an installation without an id/],
  ['a mistyped data folder', noDatabase, noKeys, marked(one), /objects of the installation 1/],
  ['a mistyped folder beside an earlier version', noDatabase, noKeys, unmarked('foreign'), /holds the ledger of one/],
  ['a store with foreign content', noDatabase, noKeys, unmarked('unknown'), /is not empty/],
  ['a store with foreign content, intended', noDatabase, noKeys, unmarked('unknown'), null, { isNew: true }],
  ['a store with a ledger, intended', noDatabase, noKeys, unmarked('foreign'), /the ledger of one/, { isNew: true }],
  ['database, keys and objects of one installation', databaseOf(one), keysOf(one), marked(one), one],
  ['an installation of an earlier version', databaseOf(null), oldKeys, unmarked('own'), null],
  ['an earlier version that stored nothing', databaseOf(null, false), oldKeys, missing, null],
  ['an earlier version without its objects', databaseOf(null), oldKeys, missing, /does not exist/],
  ['an earlier version with other objects', databaseOf(null), oldKeys, unmarked('unknown'), /not those of/],
  ['a database of an earlier version, restored', databaseOf(null), keysOf(one), marked(one), one],
  ['keys of an earlier version, copied', databaseOf(one), oldKeys, marked(one), one],
  [
    'lost keys',
    databaseOf(one),
    noKeys,
    marked(one),
    /is of the installation 1.*\/data\/keys holds no keys.*restore the keys/,
  ],
  ['other keys', databaseOf(one), keysOf(other), marked(one), /holds the keys of the installation 2/],
  ['another store', databaseOf(one), keysOf(one), marked(other), /holds the objects of the installation 2/],
  ['an empty store', databaseOf(one, false), keysOf(one), empty, /it is empty.*ledger restore --new/],
  ['a disk that is not mounted', databaseOf(one), keysOf(one), missing, /it does not exist/],
  ['lost objects, with a new store intended', databaseOf(one), keysOf(one), empty, one, { isNewStore: true }],
  ['lost objects, and the store of another', databaseOf(one), keysOf(one), marked(other), /2/, { isNewStore: true }],
  ['a deleted mark', databaseOf(one), keysOf(one), unmarked('own'), one],
  ['an unreachable store', databaseOf(one), keysOf(one), store({ kind: 'unreachable', cause: null }), one],
];

test.each(rows.map(row => ({ row, what: row[0] })))(
  'the rules of an installation accept or reject $what',
  ({ row }) => {
    const [, database, keys, objects, judged, intent] = row;
    const found = classifyHalves({ database, keys, store: objects }, intent ?? {});
    if (judged instanceof RegExp) {
      expect(found).toEqual({ kind: 'refused', reason: expect.stringMatching(judged) });
      return;
    }
    expect(found).toEqual({ kind: database.installed === null ? 'new' : 'installed', id: judged });
  },
);
