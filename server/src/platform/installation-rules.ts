// Whether database, keys and objects belong to one installation, and what to do where they do not. Pure: the halves are read
// by the caller.
import type { KeysMark } from './installation-mark.ts';

export type DatabaseHalf = {
  /** Without user and password. */
  readonly name: string;
  readonly installed: {
    /** Null in a database of a version that knew no ids. */
    readonly id: string | null;
    /** It knows of stored objects or of published ledger entries. */
    readonly hasContent: boolean;
  } | null;
};

export type KeysHalf = { readonly folder: string; readonly hasKeys: boolean; readonly mark: KeysMark | null };

/** What objects without a mark tell: `foreign` where there is a ledger other than that of the database. */
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

export type Judgement =
  | { readonly kind: 'refused'; readonly reason: string }
  /** Nothing is set up; `id` where a first start was interrupted. */
  | { readonly kind: 'new'; readonly id: string | null }
  /** Everything that is there agrees; `id` is null where nothing has one yet. */
  | { readonly kind: 'installed'; readonly id: string | null };

const refused = (...sentences: string[]): Judgement => ({ kind: 'refused', reason: sentences.join(' ') });

export type Intent = {
  /** A new installation is meant, also beside objects that are of none. */
  readonly isNew?: boolean;
  /** The store need not hold the objects of the installation: they are lost, or written next. */
  readonly isNewStore?: boolean;
  /** This database continues the ledger, whichever wrote it before. */
  readonly isTakeOver?: boolean;
  /** It will publish; a command beside a running server does not. */
  readonly isServer?: boolean;
};

export function judgeHalves(
  { database, keys, store }: Halves,
  { isNew = false, isNewStore = false }: Intent,
): Judgement {
  const { installed } = database;
  return installed === null
    ? judgeNew({ database, keys, store }, isNew)
    : judgeInstalled({ keys, store }, database.name, { ...installed, isNewStore });
}

const beginAnew = 'To begin a new installation on purpose, see --new in docs/guide/self-hosting.md.';

/** The database holds no installation: then neither keys nor objects may be of one. */
function judgeNew({ database, keys, store }: Halves, isNew: boolean): Judgement {
  const { mark, hasKeys, folder } = keys;
  const isInterrupted = mark?.isBound === false;
  if (hasKeys && !isInterrupted)
    return refused(
      `the database ${database.name} holds no installation, but ${folder} holds the keys of ${nameOf(mark?.id)}${whereOf(mark, database.name)}.`,
      'Name the right database (DATABASE_URL, --data), or restore the lost one from a backup (docs/guide/backup.md).',
      beginAnew,
    );
  const { found } = store;
  if (found.kind === 'marked' && found.id !== mark?.id)
    return refused(
      `the database ${database.name} holds no installation, but ${store.name} holds the objects of ${nameOf(found.id)}.`,
      'Name the right database and data folder (DATABASE_URL, --data), or another store for a new installation.',
    );
  if (found.kind === 'unmarked' && !(isNew && found.belongs === 'unknown'))
    return refused(
      found.belongs === 'unknown'
        ? `the database ${database.name} holds no installation, but ${store.name} is not empty.`
        : `the database ${database.name} holds no installation, but ${store.name} holds the ledger of one.`,
      'Name the right database and data folder (DATABASE_URL, --data), or an empty store for a new installation.',
    );
  return { kind: 'new', id: isInterrupted ? mark.id : null };
}

type Installed = NonNullable<DatabaseHalf['installed']> & Required<Pick<Intent, 'isNewStore'>>;

function judgeInstalled({ keys, store }: Omit<Halves, 'database'>, name: string, installed: Installed): Judgement {
  const { mark, folder } = keys;
  const id = installed.id ?? mark?.id ?? null;
  if (mark !== null && mark.id !== id)
    return refused(
      `the database ${name} is of ${nameOf(id)}, and ${folder} holds the keys of ${nameOf(mark.id)}${whereOf(mark, name)}.`,
      'Name the right database or the right data folder (DATABASE_URL, --data).',
    );
  return judgeStore({ keys, store }, name, { ...installed, id });
}

function judgeStore({ keys, store }: Omit<Halves, 'database'>, name: string, installed: Installed): Judgement {
  const { id } = installed;
  const { found } = store;
  const agreed: Judgement = { kind: 'installed', id };
  const mayLackObjects = installed.isNewStore || (!isMarkExpected(keys) && !installed.hasContent);
  const whatToDo = `Name the right one, mount its disk, or restore a backup. If the objects are lost for good, "recordproof-server ledger restore --new" makes ${store.name} the store of this installation.`;
  switch (found.kind) {
    case 'unreachable':
      return agreed;
    case 'marked':
      if (id === null || found.id === id) return { kind: 'installed', id: found.id };
      return refused(
        `the database ${name} is of ${nameOf(id)}, and ${store.name} holds the objects of ${nameOf(found.id)}.`,
        'Name the right database or the right store.',
      );
    case 'missing':
    case 'empty':
      if (mayLackObjects) return agreed;
      return refused(
        `the objects of ${nameOf(id)} are not in ${store.name}: it ${found.kind === 'empty' ? 'is empty' : 'does not exist'}.`,
        whatToDo,
      );
    case 'unmarked':
      if (found.belongs === 'own') return agreed;
      if (found.belongs === 'unknown' && mayLackObjects) return agreed;
      return refused(
        found.belongs === 'unknown'
          ? `${store.name} holds objects, but not those of ${nameOf(id)}.`
          : `${store.name} holds the ledger of another installation than ${nameOf(id)}.`,
        found.belongs === 'unknown' ? whatToDo : 'Name the right database or the right store.',
      );
  }
}

/** A start has noted the id everywhere. */
const isMarkExpected = ({ mark }: KeysHalf): boolean => mark?.isBound === true;

const nameOf = (id: string | null | undefined): string =>
  id === null || id === undefined ? 'an installation without an id' : `the installation ${id}`;

const whereOf = (mark: KeysMark | null, name: string): string =>
  mark === null || mark.database === name ? '' : `, whose database is ${mark.database}`;
