// Sessions started at a provider. They last `sso.session-hours` at most, regardless of renewals; then the provider
// decides again.
import { type Call, callAs } from '../../platform/call.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import type { AccountRow } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { endSession, findCurrentToken, type Session, type SignInRequest, startSession } from '../auth/index.ts';
import type { Provider, Providers } from './providers.ts';
import { deleteExpired, insertSession, listSessionsOf, type SessionRow, takeSessions } from './queries.ts';

export const sweepJobKind = 'single-sign-on.sweep';

type Beginning = {
  readonly account: AccountRow;
  readonly provider: string;
  readonly authenticatedAt: Time;
  readonly tokenId: string;
};

export function beginSession(
  server: Pick<Server, 'database' | 'clock' | 'tokens'>,
  asking: SignInRequest,
  { account, provider, authenticatedAt, tokenId }: Beginning,
): Promise<Session> {
  const { id: userId, tenant_id: tenantId, username } = account;
  const call = callAs(asking, { tenantId, userId, username });
  const note = async (tx: Tx, token_id: string, now: Time): Promise<void> => {
    await insertSession(tx, { token_id, provider, tenant_id: tenantId, user_id: userId, started_at: now });
    await recordAudit(tx, call, now, 'single-sign-on.sign-in', `signed in through ${provider}`, { provider });
  };
  return startSession(server, asking, account, { tokenId, authenticatedAt, isByProvider: true, note });
}

/** With every token derived from them. */
export async function endSessions(
  tx: Tx,
  { tokens }: Pick<Server, 'tokens'>,
  which: Parameters<typeof takeSessions>[1],
  now: Time,
): Promise<void> {
  for (const { token_id: tokenId, tenant_id: tenantId, user_id: userId } of await takeSessions(tx, which))
    await endSession(tx, tokens, { tenantId, userId, tokenId }, now);
}

export const sweepJob = (server: Pick<Server, 'database' | 'clock' | 'tokens' | 'config'>): JobHandler => ({
  kind: sweepJobKind,
  leaseSeconds: 60,
  maxAttempts: 3,
  backoffSeconds: () => 60,
  run: () =>
    server.database.db.transaction().execute(async tx => {
      const now = server.clock.now();
      await deleteExpired(tx, now);
      const startedBefore = now - server.config.singleSignOn.sessionHours * 3600_000;
      await endSessions(tx, server, { startedBefore }, now);
    }),
});

/** The provider session behind the caller's session, whose token may have been renewed; null if there is none. */
export async function findOwnSession(
  { db }: Pick<Database, 'db'>,
  { tenantId, userId, tokenId }: Pick<Actor, 'tenantId' | 'userId' | 'tokenId'>,
): Promise<SessionRow | null> {
  return db.transaction().execute(async tx => {
    for (const row of await listSessionsOf(tx, tenantId, userId))
      if ((await findCurrentToken(tx, row.token_id)) === tokenId) return row;
    return null;
  });
}

/** The URL that ends the session at the provider as well; null if there is none. */
export async function findSignOutUrl(
  { database, baseUrl, providers }: Pick<Server, 'database' | 'baseUrl'> & { readonly providers: Providers },
  { actor }: Call,
): Promise<string | null> {
  const session = await findOwnSession(database, actor);
  const provider = session === null ? undefined : providers.find(session.provider);
  if (!provider?.settings.signsOut) return null;
  return toSignOutUrl(provider, `${baseUrl()}/app`);
}

async function toSignOutUrl(provider: Provider, returnUrl: string): Promise<string | null> {
  const { client, configuration } = await provider.open();
  if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
  return client.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnUrl }).href;
}
