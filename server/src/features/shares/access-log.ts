// SQL on the access log of shares: who did what, from where, with which file.
import { type PageRequest, parseSort } from '@recordproof/shared/api/common.ts';
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import { onPage, type RowPage } from '../../platform/db/page.ts';
import { countRows, insertInto } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import type { ShareRow } from './queries.ts';

type AccessRow = Selectable<Tables['share_access']>;

type Use = {
  readonly action: 1 | 2 | 3;
  readonly actorId: Key | null;
  readonly ip: string;
  readonly userAgent: string | null;
  readonly fileId: Key | null;
};

const maxIpLength = 64;
const maxUserAgentLength = 255;

export const insertAccess = (tx: Tx, share: ShareRow, use: Use, now: Time): Promise<void> =>
  insertInto(tx, 'share_access', {
    tenant_id: share.tenant_id,
    share_id: share.id,
    action_type: use.action,
    actor_id: use.actorId,
    ip: use.ip.slice(0, maxIpLength),
    user_agent: use.userAgent === null ? null : toPlain(use.userAgent),
    file_id: use.fileId,
    created_at: now,
  });

/** A client can send any text as its user agent. */
const toPlain = (text: string): string => text.replace(/[\p{Cc}\p{Cs}]/gu, ' ').slice(0, maxUserAgentLength);

export type ListedAccess = AccessRow & { username: string | null; file_hash: string | null; file_name: string | null };

export async function listAccesses(db: Db, share: ShareRow, request: PageRequest): Promise<RowPage<ListedAccess>> {
  const { direction } = parseSort(request.sort);
  const all = db.selectFrom('share_access').where('share_id', '=', share.id);
  const ids = all.select('id').orderBy('id', direction).$call(onPage(request));
  const rows = await db
    .selectFrom(ids.as('found'))
    .innerJoin('share_access as a', 'a.id', 'found.id')
    .leftJoin('account as who', 'who.id', 'a.actor_id')
    .leftJoin('file as f', 'f.id', 'a.file_id')
    .selectAll('a')
    .select(['who.username', 'f.file_hash', 'f.file_name'])
    .orderBy('a.id', direction)
    .execute();
  return { rows, total: await countRows(all) };
}

/** Accounts, and addresses of visitors without one. */
export async function countActors(db: Db, share: ShareRow): Promise<number> {
  const { rows } = await sql<{ actors: number }>`
    select count(distinct coalesce('account ' || actor_id, ip)) as actors
    from share_access where share_id = ${share.id}`.execute(db);
  return Number(rows[0]?.actors ?? 0);
}

/** Returns how many were deleted. */
export async function deleteAccessesBefore(tx: Tx, before: Time, limit: number): Promise<number> {
  const old = tx.selectFrom('share_access').select('id').where('created_at', '<', before).limit(limit);
  const { numDeletedRows } = await tx.deleteFrom('share_access').where('id', 'in', old).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
