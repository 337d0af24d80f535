// Rules for whether database, keys and objects belong to one installation. Pure: the caller reads the three parts.
import type { KeysMark } from './installation-mark.ts';

export type DatabaseHalf = {
  /** Without user and password. */
  readonly name: string;
  readonly installed: {
    /** Null in a database whose version knew no ids. */
    readonly id: string | null;
    /** The database has stored objects or published ledger entries. */
    readonly hasContent: boolean;
  } | null;
};

export type KeysHalf = { readonly folder: string; readonly hasKeys: boolean; readonly mark: KeysMark | null };

/** Owner of unmarked objects: `foreign` if they include the ledger of another database. */
export type Belonging = 'own' | 'foreign' | 'unknown';

export type StoreHalf = {
  readonly name: string;
  readonly found:
    | { readonly kind: 'unreachable'; readonly cause: unknown }
    /** The folder does not exist. */
    | { readonly kind: 'missing' }
    | { readonly kind: 'empty' }
    | { readonly kind: 'marked'; readonly id: string }
    | { readonly kind: 'unmarked'; readonly belongs: Belonging };
};

export type Halves = { readonly database: DatabaseHalf; readonly keys: KeysHalf; readonly store: StoreHalf };

export type Classification =
  | { readonly kind: 'refused'; readonly reason: string }
  /** Nothing is set up; `id` is set if a first start was interrupted. */
  | { readonly kind: 'new'; readonly id: string | null }
  /** All existing parts agree; `id` is null if none has one yet. */
  | { readonly kind: 'installed'; readonly id: string | null };

const rejected = (...sentences: string[]): Classification => ({ kind: 'refused', reason: sentences.join(' ') });

export type Intent = {
  /** Begin a new installation, even if there are objects without an owner. */
  readonly isNew?: boolean;
  /** The store may lack the installation's objects: they are lost, or written next. */
  readonly isNewStore?: boolean;
  /** This database takes over the ledger, whichever wrote it before. */
  readonly isTakeOver?: boolean;
  /**
   * The caller changes the installation, as a server does, or judges for one that would. Reading from a copy is
   * harmless.
   */
  readonly isWriter?: boolean;
};

export function classifyHalves(
  { database, keys, store }: Halves,
  { isNew = false, isNewStore = false }: Intent,
): Classification {
  const { installed } = database;
  return installed === null
    ? classifyNew({ database, keys, store }, isNew)
    : classifyInstalled({ keys, store }, database.name, { ...installed, isNewStore });
}

const beginAnew = 'To begin a new installation on purpose, see --new in docs/guide/self-hosting.md.';

/** Without an installation in the database, neither keys nor objects may belong to one. */
function classifyNew({ database, keys, store }: Halves, isNew: boolean): Classification {
  const { mark, hasKeys, folder } = keys;
  const isInterrupted = mark?.isBound === false;
  if (hasKeys && !isInterrupted)
    return rejected(
      `the database ${database.name} holds no installation, but ${folder} holds the keys of ${nameOf(mark?.id)}${whereOf(mark, database.name)}.`,
      'Name the right database (DATABASE_URL, --data), or restore the lost one from a backup (docs/guide/backup.md).',
      beginAnew,
    );
  const { found } = store;
  if (found.kind === 'marked' && found.id !== mark?.id)
    return rejected(
      `the database ${database.name} holds no installation, but ${store.name} holds the objects of ${nameOf(found.id)}.`,
      'Name the right database and data folder (DATABASE_URL, --data), or another store for a new installation.',
    );
  if (found.kind === 'unmarked' && !(isNew && found.belongs === 'unknown'))
    return rejected(
      found.belongs === 'unknown'
        ? `the database ${database.name} holds no installation, but ${store.name} is not empty.`
        : `the database ${database.name} holds no installation, but ${store.name} holds the ledger of one.`,
      'Name the right database and data folder (DATABASE_URL, --data), or an empty store for a new installation.',
    );
  return { kind: 'new', id: isInterrupted ? mark.id : null };
}

type Installed = NonNullable<DatabaseHalf['installed']> & Required<Pick<Intent, 'isNewStore'>>;

function classifyInstalled(
  { keys, store }: Omit<Halves, 'database'>,
  name: string,
  installed: Installed,
): Classification {
  const { mark, folder, hasKeys } = keys;
  const id = installed.id ?? mark?.id ?? null;
  if (!hasKeys)
    return rejected(
      `the database ${name} is of ${nameOf(id)}, and ${folder} holds no keys.`,
      'Name the right data folder (--data), restore the keys folder from a backup, or copy that of another server of this database.',
    );
  if (mark !== null && mark.id !== id)
    return rejected(
      `the database ${name} is of ${nameOf(id)}, and ${folder} holds the keys of ${nameOf(mark.id)}${whereOf(mark, name)}.`,
      'Name the right database or the right data folder (DATABASE_URL, --data).',
    );
  return classifyStore({ keys, store }, name, { ...installed, id });
}

function classifyStore({ keys, store }: Omit<Halves, 'database'>, name: string, installed: Installed): Classification {
  const { id } = installed;
  const { found } = store;
  const agreed: Classification = { kind: 'installed', id };
  const mayLackObjects = installed.isNewStore || (!isMarkExpected(keys) && !installed.hasContent);
  const whatToDo = `Name the right one, mount its disk, or restore a backup. If the objects are lost for good, "recordproof-server ledger restore --new" makes ${store.name} the store of this installation.`;
  switch (found.kind) {
    case 'unreachable':
      return agreed;
    case 'marked':
      if (id === null || found.id === id) return { kind: 'installed', id: found.id };
      return rejected(
        `the database ${name} is of ${nameOf(id)}, and ${store.name} holds the objects of ${nameOf(found.id)}.`,
        'Name the right database or the right store.',
      );
    case 'missing':
    case 'empty':
      if (mayLackObjects) return agreed;
      return rejected(
        `the objects of ${nameOf(id)} are not in ${store.name}: it ${found.kind === 'empty' ? 'is empty' : 'does not exist'}.`,
        whatToDo,
      );
    case 'unmarked':
      if (found.belongs === 'own') return agreed;
      if (found.belongs === 'unknown' && mayLackObjects) return agreed;
      return rejected(
        found.belongs === 'unknown'
          ? `${store.name} holds objects, but not those of ${nameOf(id)}.`
          : `${store.name} holds the ledger of another installation than ${nameOf(id)}.`,
        found.belongs === 'unknown' ? whatToDo : 'Name the right database or the right store.',
      );
  }
}

/** A start has written the id to all parts. */
const isMarkExpected = ({ mark }: KeysHalf): boolean => mark?.isBound === true;

const nameOf = (id: string | null | undefined): string =>
  id === null || id === undefined ? 'an installation without an id' : `the installation ${id}`;

const whereOf = (mark: KeysMark | null, name: string): string =>
  mark === null || mark.database === name ? '' : `, whose database is ${mark.database}`;
