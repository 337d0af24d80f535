// Searches among the files of an owner, or of a whole tenant: first up to a thousand ids, by the index that fits what is asked
// for, then a page of them.
import type { PageRequest } from '@recordproof/shared/api/common.ts';
import { fileStatus, type keywordModes } from '@recordproof/shared/api/files.ts';
import { type RawBuilder, sql } from 'kysely';
import { escapeLike } from '../../platform/db/like.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import { type Found, onPage, toOrder } from '../../platform/db/page.ts';
import type { Db, Key, Time } from '../../platform/db/tables.ts';
import { columns, hasOwner, inFolder, listFiles, type Scope, within } from './list-queries.ts';
import { type FileRow, foldFileName } from './queries.ts';

type Search = {
  readonly keyword?: string | undefined;
  readonly keywordMode: (typeof keywordModes)[number];
  readonly path?: string | undefined;
  readonly status?: number | undefined;
  readonly createdFrom?: Time | undefined;
  readonly createdTo?: Time | undefined;
};

/** A search finds at most this many; whoever needs others asks more exactly. */
const maxHits = 1000;

/** Below three characters no index knows what stands inside of names: then the newest this many are looked through. */
const lookedThrough = 20_000;
const indexedCharacters = 3;

/** What the keyword asks for. Pure. */
type Pattern =
  | { readonly kind: 'all' }
  | { readonly kind: 'hash'; readonly hex: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'prefix' | 'part'; readonly text: string }
  /** What a person calls one file by. */
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

/** Newest versions unless another status, or one exact hash, is asked for. */
export async function searchFiles(
  db: Db,
  engine: Engine,
  scope: Scope,
  search: Search,
  request: PageRequest,
): Promise<Found<FileRow>> {
  const pattern = toPattern(search);
  if (pattern.kind === 'nothing') return { rows: [], total: 0 };
  const isUnfiltered =
    pattern.kind === 'all' &&
    (search.status ?? fileStatus.SUCCESS) === fileStatus.SUCCESS &&
    search.createdFrom === undefined &&
    search.createdTo === undefined;
  if (isUnfiltered) return listFiles(db, scope, { ...request, path: search.path });
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
  const rows = await db
    .selectFrom(page.as('page'))
    .innerJoin('file', 'file.id', 'page.id')
    .selectAll('file')
    .orderBy(`file.${column}`, direction)
    .orderBy('file.id', direction)
    .execute();
  return { rows, total: ids.length };
}

type Hit = { id: Key };

/** The conditions that are not about the name, on the table `f`. */
function toConditions(scope: Scope, search: Search, pattern: Pattern): RawBuilder<boolean> {
  const status = search.status ?? fileStatus.SUCCESS;
  const parts = [within(scope, 'f')];
  // Literals, as in list-queries.ts. The contract lets only whole numbers from -1 to 2 through.
  parts.push(sql<boolean>`f.status = ${sql.lit(status)}`);
  if (status !== fileStatus.SUCCESS) parts.push(sql<boolean>`f.status <> 1`);
  const isOfAllVersions = pattern.kind === 'hash' || pattern.kind === 'reference';
  if (status === fileStatus.SUCCESS && !isOfAllVersions) parts.push(sql<boolean>`f.is_latest = 1`);
  if (search.path !== undefined) parts.push(sql<boolean>`(f.path is not null and ${inFolder(search.path)})`);
  if (search.createdFrom !== undefined) parts.push(sql<boolean>`f.created_at >= ${search.createdFrom}`);
  if (search.createdTo !== undefined) parts.push(sql<boolean>`f.created_at <= ${search.createdTo}`);
  return sql.join(parts, sql` and `);
}

const newest = sql`order by f.created_at desc, f.id desc`;

/** A search on its way: in what, and the conditions that are not about the name. */
type Hunt = {
  readonly engine: Engine;
  readonly scope: Scope;
  readonly search: Search;
  readonly where: RawBuilder<boolean>;
  readonly ask: (query: RawBuilder<Hit>) => Promise<Hit[]>;
};

async function findHits(db: Db, engine: Engine, scope: Scope, search: Search, pattern: Pattern): Promise<Hit[]> {
  const where = toConditions(scope, search, pattern);
  const ask: Hunt['ask'] = async query => (await query.execute(db)).rows;
  const hunt = { engine, scope, search, where, ask };
  switch (pattern.kind) {
    case 'hash':
      return ask(sql`select f.id from file f where ${where}
        and (f.file_hash = ${pattern.hex} or f.content_hash = ${`sha256:${pattern.hex}`}) ${newest} limit ${maxHits}`);
    case 'all':
    case 'nothing':
      return ask(sql`select f.id from file f where ${where} ${newest} limit ${maxHits}`);
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

async function findPart(hunt: Hunt, text: string): Promise<Hit[]> {
  const { engine, scope, where, ask } = hunt;
  const named = { text, like: `%${escapeLike(text)}%` };
  const isIndexed = [...text].length >= indexedCharacters;
  if (isIndexed && engine === 'sqlite' && isTimed(hunt) && (await isFew(hunt))) return ask(byWalk(where, named.like));
  const hits = await findNamed(hunt, named);
  return isIndexed || !hasOwner(scope) ? hits : unite(await ask(byPrefix(where, text)), hits);
}

/** The search index of SQLite begins with the newest and would read all of them to come to an old time. */
const isTimed = ({ search: { createdFrom, createdTo } }: Hunt): boolean =>
  createdFrom !== undefined || createdTo !== undefined;

const isFew = async ({ ask, where }: Hunt): Promise<boolean> =>
  (await ask(sql`select f.id from file f where ${where} ${newest} limit 1 offset ${lookedThrough}`)).length === 0;

/** The id and the beginning of the hash name any version, the whole name only the newest. */
const findReferred = ({ ask, where }: Hunt, text: string): Promise<Hit[]> =>
  ask(byAny(where, [...byIds(text), sql<boolean>`(f.is_latest = 1 and f.name_folded = ${foldFileName(text)})`]));

/** Among everybody's files names stand in no order of their own: what is called so is found among what holds it. */
async function findReferredOfAll(hunt: Hunt, text: string): Promise<Hit[]> {
  const { search, where, ask } = hunt;
  const folded = foldFileName(text);
  // Of what is not stored no version is the latest.
  const isStored = (search.status ?? fileStatus.SUCCESS) === fileStatus.SUCCESS;
  const latest = isStored ? sql<boolean>`${where} and f.is_latest = 1` : where;
  const named = await findNamed({ ...hunt, where: latest }, { text: folded, like: escapeLike(folded) });
  const ways = byIds(text);
  return ways.length === 0 ? named : unite(await ask(byAny(where, ways)), named);
}

const unite = (...lists: readonly Hit[][]): Hit[] => [...new Map(lists.flat().map(hit => [hit.id, hit])).values()];

/** A text that names hold, and what they have to be like. */
type Named = { readonly text: string; readonly like: string };

const findNamed = ({ engine, scope, where, ask }: Hunt, named: Named): Promise<Hit[]> =>
  ask([...named.text].length < indexedCharacters ? byWalk(where, named.like) : byPart(engine, scope, where, named));

function byIds(text: string): RawBuilder<boolean>[] {
  const ways: RawBuilder<boolean>[] = [];
  if (/^[0-9]{1,15}$/.test(text)) ways.push(sql<boolean>`f.id = ${Number(text)}`);
  const hex = text.toLowerCase();
  // No hex digit sorts behind f.
  if (/^[0-9a-f]{8,64}$/.test(hex)) ways.push(sql<boolean>`(f.file_hash >= ${hex} and f.file_hash < ${`${hex}g`})`);
  return ways;
}

const byAny = (where: RawBuilder<boolean>, ways: readonly RawBuilder<boolean>[]): RawBuilder<Hit> =>
  sql`select f.id from file f where ${where} and (${sql.join(ways, sql` or `)}) ${newest} limit ${maxHits}`;

/** Looks through names, as many as may be. */
const byWalk = (where: RawBuilder<boolean>, like: string): RawBuilder<Hit> =>
  sql`select n.id from (select f.id, f.name_folded from file f where ${where}
    order by f.created_at desc, f.id desc limit ${lookedThrough}) n
    where n.name_folded like ${like} escape '\\' limit ${maxHits}`;

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
  // `cross join` keeps the order: the search index first, newest first, until there is enough.
  return sql`select f.id from file_search s cross join file f on f.id = s.rowid
    where s.file_search match ${words} and ${where} and ${isLike} order by s.rowid desc limit ${maxHits}`;
}

/** As the trigger of migrations.ts writes it. */
const toOwnerWord = (ownerId: Key): string =>
  String.fromCharCode(
    19968 + (ownerId % 20_000),
    19968 + (Math.floor(ownerId / 20_000) % 20_000),
    19968 + Math.floor(ownerId / 400_000_000),
  );
