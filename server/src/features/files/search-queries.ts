// File searches of an owner, or of a whole tenant: first up to a thousand ids from the index that fits the search, then
// one page of them.
import type { PageRequest } from '@recordproof/shared/api/common.ts';
import { fileStatus, type keywordModes } from '@recordproof/shared/api/files.ts';
import { type RawBuilder, sql } from 'kysely';
import { isOneOf } from '../../platform/db/key-set.ts';
import { escapeLike } from '../../platform/db/like.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import { onPage, type RowPage, toOrder } from '../../platform/db/page.ts';
import type { Db, Key, Time } from '../../platform/db/tables.ts';
import {
  columns,
  directlyIn,
  filesOf,
  hasOwner,
  inFolder,
  listFiles,
  mostSortedRows,
  type Scope,
  within,
} from './list-queries.ts';
import { mediaType } from './migrations.ts';
import { type FileRow, foldFileName } from './queries.ts';

type Search = {
  readonly keyword?: string | undefined;
  readonly keywordMode: (typeof keywordModes)[number];
  readonly path?: string | undefined;
  /** Directly in this folder; "" is the top level. */
  readonly folder?: string | undefined;
  readonly type?: string | undefined;
  readonly minSize?: number | undefined;
  readonly maxSize?: number | undefined;
  readonly proofStatus?: string | undefined;
  /** Only these, or all except these. */
  readonly shared?: { readonly ids: readonly Key[]; readonly isShared: boolean } | undefined;
  readonly status?: number | undefined;
  readonly createdFrom?: Time | undefined;
  readonly createdTo?: Time | undefined;
};

/** The maximum number of results; a narrower search finds the others. */
const maxHits = 1000;

/** Trigram indexes need three characters: shorter keywords are matched against this many newest files. */
const maxScannedRows = 20_000;
const indexedCharacters = 3;

/** The parsed keyword. Pure. */
type Pattern =
  | { readonly kind: 'all' }
  | { readonly kind: 'hash'; readonly hex: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'prefix' | 'part'; readonly text: string }
  /** A reference to one file. */
  | { readonly kind: 'reference'; readonly text: string };

function toPattern({ keyword, keywordMode }: Pick<Search, 'keyword' | 'keywordMode'>): Pattern {
  const text = keyword?.trim() ?? '';
  if (text === '') return { kind: 'all' };
  if (keywordMode === 'REFERENCE') return { kind: 'reference', text };
  const hex = /^(?:sha256:)?([0-9a-f]{64})$/i.exec(text)?.[1]?.toLowerCase();
  if (keywordMode === 'EXACT_HASH') return hex === undefined ? { kind: 'nothing' } : { kind: 'hash', hex };
  if (keywordMode === 'AUTO' && hex !== undefined) return { kind: 'hash', hex };
  return { kind: keywordMode === 'PREFIX' ? 'prefix' : 'part', text: foldFileName(text) };
}

/** Newest versions, unless the search names another status or an exact hash. */
export async function searchFiles(
  db: Db,
  engine: Engine,
  scope: Scope,
  search: Search,
  request: PageRequest,
): Promise<RowPage<FileRow>> {
  const pattern = toPattern(search);
  if (pattern.kind === 'nothing') return { rows: [], total: 0 };
  const { keyword: _, keywordMode: __, status, path, folder, ...others } = search;
  const isUnfiltered =
    pattern.kind === 'all' &&
    (status ?? fileStatus.SUCCESS) === fileStatus.SUCCESS &&
    Object.values(others).every(value => value === undefined) &&
    (path === undefined || folder === undefined);
  if (isUnfiltered) return listFiles(db, scope, { ...request, path, folder });
  const hits = await findHits(db, engine, scope, search, pattern);
  const { column, direction } = toOrder(request, columns);
  const ids = hits.slice(0, maxHits).map(hit => hit.id);
  if (ids.length === 0) return { rows: [], total: 0 };
  const page = db
    .selectFrom('file')
    .select('id')
    .where('id', 'in', ids)
    .orderBy(column, direction)
    .orderBy('id', direction)
    .$call(onPage(request));
  return { rows: await filesOf(db, page, { column, direction }).execute(), total: ids.length };
}

type Hit = { id: Key };

/** The conditions other than the name, on the table `f`. */
function toConditions(engine: Engine, scope: Scope, search: Search, pattern: Pattern): RawBuilder<boolean> {
  const status = search.status ?? fileStatus.SUCCESS;
  const parts = [within(scope, 'f')];
  // Literals, as in list-queries.ts. The contract permits only integers from -1 to 2.
  parts.push(sql<boolean>`f.status = ${sql.lit(status)}`);
  if (status !== fileStatus.SUCCESS) parts.push(sql<boolean>`f.status <> 1`);
  const isOfAllVersions = pattern.kind === 'hash' || pattern.kind === 'reference';
  if (status === fileStatus.SUCCESS && !isOfAllVersions) parts.push(sql<boolean>`f.is_latest = 1`);
  if (search.path !== undefined) parts.push(inFolder(search.path));
  if (search.createdFrom !== undefined) parts.push(sql<boolean>`f.created_at >= ${search.createdFrom}`);
  if (search.createdTo !== undefined) parts.push(sql<boolean>`f.created_at <= ${search.createdTo}`);
  parts.push(...toOwnConditions(engine, search));
  return sql.join(parts, sql` and `);
}

function toOwnConditions(engine: Engine, search: Search): RawBuilder<boolean>[] {
  const { folder, type, minSize, maxSize, proofStatus, shared } = search;
  const parts: (RawBuilder<boolean> | undefined)[] = [
    folder === undefined ? undefined : directlyIn(folder),
    type === undefined ? undefined : toTypeCondition(engine, type),
    minSize === undefined ? undefined : sql`f.file_size >= ${minSize}`,
    maxSize === undefined ? undefined : sql`f.file_size <= ${maxSize}`,
    proofStatus === undefined ? undefined : sql`f.proof_status = ${proofStatus}`,
    shared === undefined
      ? undefined
      : sql`${sql.raw(shared.isShared ? '' : 'not ')}${isOneOf(engine, 'f.id', shared.ids)}`,
  ];
  return parts.filter(part => part !== undefined);
}

function toTypeCondition(engine: Engine, type: string): RawBuilder<boolean> {
  const { essence, family } = mediaType[engine];
  const [name, sub = ''] = type.toLowerCase().split('/');
  return sub === '' ? sql`${sql.raw(family)} = ${name}` : sql`${sql.raw(essence)} = ${`${name}/${sub}`}`;
}

const newest = sql`order by f.created_at desc, f.id desc`;

/** A search in progress: its scope, and the conditions other than the name. */
type Hunt = {
  readonly engine: Engine;
  readonly scope: Scope;
  readonly search: Search;
  readonly where: RawBuilder<boolean>;
  readonly ask: (query: RawBuilder<Hit>) => Promise<Hit[]>;
};

async function findHits(db: Db, engine: Engine, scope: Scope, search: Search, pattern: Pattern): Promise<Hit[]> {
  const where = toConditions(engine, scope, search, pattern);
  const ask: Hunt['ask'] = async query => (await query.execute(db)).rows;
  const hunt = { engine, scope, search, where, ask };
  switch (pattern.kind) {
    case 'hash':
      return ask(sql`select f.id from file f where ${where}
        and (f.file_hash = ${pattern.hex} or f.content_hash = ${`sha256:${pattern.hex}`}) ${newest} limit ${maxHits}`);
    case 'all':
    case 'nothing':
      return search.shared?.isShared
        ? ask(byIdsFirst(hunt, search.shared.ids))
        : ask(sql`select f.id from file f where ${where} ${newest} limit ${maxHits}`);
    case 'reference':
      return hasOwner(scope) ? findReferred(hunt, pattern.text) : findReferredOfAll(hunt, pattern.text);
    case 'prefix':
      return hasOwner(scope)
        ? ask(byPrefix(where, pattern.text))
        : findNamed(hunt, { text: pattern.text, like: `${escapeLike(pattern.text)}%` });
    case 'part':
      return findPart(hunt, pattern.text);
  }
}

/** There are few shared files, so their ids are read first, in either engine. */
function byIdsFirst({ engine, where }: Hunt, ids: readonly Key[]): RawBuilder<Hit> {
  const list =
    engine === 'postgres'
      ? sql`unnest(${ids}::bigint[]) s (value)`
      : sql`(select value from json_each(${JSON.stringify(ids)})) s`;
  return sql`select f.id from ${list} cross join file f where f.id = s.value and ${where} ${newest} limit ${maxHits}`;
}

async function findPart(hunt: Hunt, text: string): Promise<Hit[]> {
  const { engine, scope, where, ask } = hunt;
  const named = { text, like: `%${escapeLike(text)}%` };
  const isIndexed = [...text].length >= indexedCharacters;
  if (isIndexed && engine === 'sqlite' && isNarrow(hunt) && (await isFew(hunt)))
    return ask(bySorting(where, named.like));
  const hits = await findNamed(hunt, named);
  return isIndexed || !hasOwner(scope) ? hits : unite(await ask(byPrefix(where, text)), hits);
}

/** SQLite's search index is read newest first, which is slow for old times or a single folder. */
const isNarrow = ({ search: { createdFrom, createdTo, path, folder } }: Hunt): boolean =>
  [createdFrom, createdTo, path, folder].some(limit => limit !== undefined);

/** The index by folder contains the names, the list by time does not. */
async function isFew({ ask, where, search: { path, folder } }: Hunt): Promise<boolean> {
  const most = path === undefined && folder === undefined ? maxScannedRows : mostSortedRows;
  return (await ask(sql`select f.id from file f where ${where} limit 1 offset ${most}`)).length === 0;
}

/** The id and a prefix of the hash match any version, the full name only the newest. */
const findReferred = ({ ask, where }: Hunt, text: string): Promise<Hit[]> =>
  ask(byAny(where, [...byIds(text), sql<boolean>`(f.is_latest = 1 and f.name_folded = ${foldFileName(text)})`]));

/** For all files of a tenant there is no index by name: the exact name is found among names containing it. */
async function findReferredOfAll(hunt: Hunt, text: string): Promise<Hit[]> {
  const { search, where, ask } = hunt;
  const folded = foldFileName(text);
  // Only stored versions can be the latest.
  const isStored = (search.status ?? fileStatus.SUCCESS) === fileStatus.SUCCESS;
  const latest = isStored ? sql<boolean>`${where} and f.is_latest = 1` : where;
  const named = await findNamed({ ...hunt, where: latest }, { text: folded, like: escapeLike(folded) });
  const ways = byIds(text);
  return ways.length === 0 ? named : unite(await ask(byAny(where, ways)), named);
}

const unite = (...lists: readonly Hit[][]): Hit[] => [...new Map(lists.flat().map(hit => [hit.id, hit])).values()];

/** A text that names contain, and the LIKE pattern for it. */
type Named = { readonly text: string; readonly like: string };

const findNamed = ({ engine, scope, where, ask }: Hunt, named: Named): Promise<Hit[]> =>
  ask([...named.text].length < indexedCharacters ? byWalk(where, named.like) : byPart(engine, scope, where, named));

function byIds(text: string): RawBuilder<boolean>[] {
  const ways: RawBuilder<boolean>[] = [];
  if (/^[0-9]{1,15}$/.test(text)) ways.push(sql<boolean>`f.id = ${Number(text)}`);
  const hex = text.toLowerCase();
  // No hex digit sorts after f.
  if (/^[0-9a-f]{8,64}$/.test(hex)) ways.push(sql<boolean>`(f.file_hash >= ${hex} and f.file_hash < ${`${hex}g`})`);
  return ways;
}

const byAny = (where: RawBuilder<boolean>, ways: readonly RawBuilder<boolean>[]): RawBuilder<Hit> =>
  sql`select f.id from file f where ${where} and (${sql.join(ways, sql` or `)}) ${newest} limit ${maxHits}`;

/** Matches names one by one, up to the limit. */
const byWalk = (where: RawBuilder<boolean>, like: string): RawBuilder<Hit> =>
  sql`select n.id from (select f.id, f.name_folded from file f where ${where}
    order by f.created_at desc, f.id desc limit ${maxScannedRows}) n
    where n.name_folded like ${like} escape '\\' limit ${maxHits}`;

/** Matches the names of few rows. SQLite uses the index of the other conditions: `+` excludes the list in this order. */
const bySorting = (where: RawBuilder<boolean>, like: string): RawBuilder<Hit> =>
  sql`select f.id from file f where ${where} and f.name_folded like ${like} escape '\\'
    order by +f.created_at desc, f.id desc limit ${maxHits}`;

/** A range of the name index; nothing sorts after U+10FFFF. */
const byPrefix = (where: RawBuilder<boolean>, text: string): RawBuilder<Hit> =>
  sql`select f.id from file f where ${where} and f.name_folded >= ${text} and f.name_folded < ${`${text}\u{10FFFF}`}
    order by f.name_folded, f.id limit ${maxHits}`;

function byPart(engine: Engine, scope: Scope, where: RawBuilder<boolean>, { text, like }: Named): RawBuilder<Hit> {
  const isLike = sql<boolean>`f.name_folded like ${like} escape '\\'`;
  if (engine === 'postgres') {
    return sql`select f.id from file f where ${where} and ${isLike}
      order by f.created_at desc, f.id desc limit ${maxHits}`;
  }
  const name = `name : "${text.replaceAll('"', '""')}"`;
  const words = hasOwner(scope) ? `owner : "${toOwnerWord(scope.ownerId)}" AND ${name}` : name;
  // `cross join` fixes the order: the search index first, newest first, until there are enough results.
  return sql`select f.id from file_search s cross join file f on f.id = s.rowid
    where s.file_search match ${words} and ${where} and ${isLike} order by s.rowid desc limit ${maxHits}`;
}

/** As written by the trigger in migrations.ts. */
const toOwnerWord = (ownerId: Key): string =>
  String.fromCharCode(
    19968 + (ownerId % 20_000),
    19968 + (Math.floor(ownerId / 20_000) % 20_000),
    19968 + Math.floor(ownerId / 400_000_000),
  );
