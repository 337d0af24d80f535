// Routes of workload identity.
import type { Permission } from '@recordproof/shared/api/endpoint.ts';
import * as api from '@recordproof/shared/api/workload-identity.ts';
import { toIso } from '../../platform/clock.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey, toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { listUsernames } from '../accounts/index.ts';
import { exchangeIdentity } from './exchange-identity.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import { listRules, type RuleRow } from './queries.ts';
import { createTrustRule, deleteTrustRule, getServiceAccount } from './trust-rules.ts';

const split = (text: string): string[] => (text === '' ? [] : text.split(' '));

async function toTrustRules(db: Db, tenantId: Key, rows: readonly RuleRow[]): Promise<api.TrustRule[]> {
  const names = await listUsernames(db, tenantId, [...new Set(rows.map(row => row.created_by))]);
  return rows.map(({ name, issuer, audience, folder, ...row }) => ({
    ...{ id: toWireId(row.id), name, issuer, audience, folder },
    claims: JSON.parse(row.claims) as api.ClaimPattern[],
    scopes: split(row.scopes) as Permission[],
    addresses: split(row.addresses),
    createdAt: toIso(row.created_at),
    createdBy: names.get(row.created_by) ?? '',
  }));
}

type Dependencies = Pick<Server, 'database' | 'clock' | 'rejections' | 'freshness'> & {
  readonly issuerKeys: IssuerKeys;
};

export function workloadIdentityRoutes(server: Dependencies): Route[] {
  const { db } = server.database;
  return [
    route(api.createTrustRule, async r => {
      const row = await createTrustRule(server, r, { accountId: toKey(r.params.id), input: r.body });
      const [shown] = await toTrustRules(db, r.actor.tenantId, [row]);
      return shown as api.TrustRule;
    }),
    route(api.listTrustRules, async r => {
      const { tenantId } = r.actor;
      const { id: userId } = await getServiceAccount(db, tenantId, toKey(r.params.id));
      return toTrustRules(db, tenantId, await listRules(db, { tenantId, userId }));
    }),
    route(api.deleteTrustRule, r =>
      deleteTrustRule(server, r, { accountId: toKey(r.params.id), id: toKey(r.params.ruleId) }),
    ),
    route(api.exchangeIdentity, r => exchangeIdentity(server, r, r.body)),
  ];
}
