// All SQL on API tokens, including the authentication query of every request with one.
import type { Insertable, Selectable, SelectQueryBuilder } from 'kysely';
import type { Database } from '../../platform/db/open-db.ts';
import { type Prepared, prepare } from '../../platform/db/prepared.ts';
import { countRows, deleteWhere, findFirst, hasRow, insertReturning, selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';

export type ApiTokenRow = Selectable<Tables['api_token']>;

/** The account of a token, and the columns of the token that authentication checks. */
export type LiveRow = Selectable<Tables['account']> &
  Pick<ApiTokenRow, 'name' | 'scopes' | 'folder' | 'addresses' | 'expires_at' | 'revoked_at' | 'last_used_at'> & {
    token_id: Key;
    tenant_status: string | null;
  };

type Preparing = Pick<Database, 'db' | 'prepareFirst'>;

type FindOne<Arg> = (tokens: SelectQueryBuilder<Tables, 'api_token', ApiTokenRow>, argument: Arg) => typeof tokens;

/**
 * A materialized row: SQLite plans a join with parameters again each time they are bound, which takes ten times as long
 * as the look-up.
 */
const prepareFind = <Arg>(database: Preparing, only: FindOne<Arg>): Prepared<LiveRow, [Arg]> =>
  prepare(database, (db, [argument]) =>
    db
      .with(
        cte => cte('token').materialized(),
        inner => only(inner.selectFrom('api_token').selectAll(), argument),
      )
      .selectFrom('token')
      .innerJoin('account', join =>
        join.onRef('account.id', '=', 'token.user_id').onRef('account.tenant_id', '=', 'token.tenant_id'),
      )
      .selectAll('account')
      .select(eb =>
        eb.selectFrom('tenant').select('status').whereRef('tenant.id', '=', 'account.tenant_id').as('tenant_status'),
      )
      .select([
        'token.id as token_id',
        'token.name',
        'token.scopes',
        'token.folder',
        'token.addresses',
        'token.expires_at',
        'token.revoked_at',
        'token.last_used_at',
      ]),
  );

export const prepareFindByDigest = (database: Preparing) =>
  prepareFind<string>(database, (tokens, digest) => tokens.where('token_digest', '=', digest));
export const prepareFindById = (database: Preparing) =>
  prepareFind<Key>(database, (tokens, id) => tokens.where('id', '=', id));

export const insertToken = (tx: Tx, row: Insertable<Tables['api_token']>): Promise<ApiTokenRow> =>
  insertReturning(tx, 'api_token', row);

type Owner = { readonly tenantId: Key; readonly userId: Key };

const ofOwner = (db: Db, { tenantId, userId }: Owner) =>
  db.selectFrom('api_token').selectAll().where('tenant_id', '=', tenantId).where('user_id', '=', userId);

export const findToken = (db: Db, owner: Owner, id: Key): Promise<ApiTokenRow | null> =>
  findFirst(ofOwner(db, owner).where('id', '=', id));

type Ages = { readonly endedSince: Time; readonly now: Time };

/** Newest first, without tokens that ended before `endedSince`; tokens of jobs only until they expire. */
export const listTokens = (db: Db, owner: Owner, { endedSince, now }: Ages, limit: number): Promise<ApiTokenRow[]> =>
  ofOwner(db, owner)
    .where('expires_at', '>', endedSince)
    .where(eb => eb.or([eb('rule_id', 'is', null), eb('expires_at', '>', now)]))
    .where(eb => eb.or([eb('revoked_at', 'is', null), eb('revoked_at', '>', endedSince)]))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

export const countLiveTokens = (db: Db, owner: Owner, now: Time): Promise<number> =>
  countRows(
    selectWhere(db, 'api_token', { tenant_id: owner.tenantId, user_id: owner.userId })
      .where('expires_at', '>', now)
      .where('revoked_at', 'is', null)
      .where('rule_id', 'is', null),
  );

/** Returns null if it was already revoked. */
export const setTokenRevoked = (tx: Tx, { tenant_id, id }: ApiTokenRow, now: Time): Promise<ApiTokenRow | null> =>
  findFirst(
    tx
      .updateTable('api_token')
      .set({ revoked_at: now, warn_at: null })
      .where('tenant_id', '=', tenant_id)
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returningAll(),
  );

/** Skipped if another server has noted a use since. */
export async function noteUse(db: Db, id: Key, use: { readonly at: Time; readonly from: string }, before: Time) {
  await db
    .updateTable('api_token')
    .set({ last_used_at: use.at, last_used_from: use.from })
    .where('id', '=', id)
    .where(eb =>
      eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', before), eb('last_used_at', '>', use.at)]),
    )
    .execute();
}

/** Tokens of all tenants whose owner is due to be warned. */
export const listToWarn = (db: Db, now: Time, limit: number): Promise<ApiTokenRow[]> =>
  db.selectFrom('api_token').selectAll().where('warn_at', '<=', now).orderBy('warn_at').limit(limit).execute();

/** Returns whether the warning was still due: of concurrent servers, one succeeds. */
export const setNextWarning = (tx: Tx, row: ApiTokenRow, next: Time | null): Promise<boolean> =>
  hasRow(
    tx
      .updateTable('api_token')
      .set({ warn_at: next })
      .where('id', '=', row.id)
      .where('warn_at', '=', row.warn_at)
      .returning('id'),
  );

/** Tokens of jobs are not listed, and are deleted once expired. */
export async function deleteEndedTokens(tx: Tx, before: Time, now: Time): Promise<void> {
  await tx.deleteFrom('api_token').where('expires_at', '<', before).execute();
  await tx.deleteFrom('api_token').where('rule_id', 'is not', null).where('expires_at', '<', now).execute();
}

/** Revokes the tokens of a trust rule that are not revoked yet. */
export const setRuleTokensRevoked = (tx: Tx, ruleId: Key, now: Time): Promise<ApiTokenRow[]> =>
  tx
    .updateTable('api_token')
    .set({ revoked_at: now })
    .where('rule_id', '=', ruleId)
    .where('revoked_at', 'is', null)
    .returningAll()
    .execute();

export const deleteTokensOf = (tx: Tx, { tenantId, userId }: Owner): Promise<void> =>
  deleteWhere(tx, 'api_token', { tenant_id: tenantId, user_id: userId });
