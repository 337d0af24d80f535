// Routes of second factors.
import type { Role } from '@recordproof/shared/api/auth.ts';
import { toPage } from '@recordproof/shared/api/common.ts';
import * as api from '@recordproof/shared/api/factors.ts';
import * as codesApi from '@recordproof/shared/api/one-time-codes.ts';
import * as passkeysApi from '@recordproof/shared/api/passkeys.ts';
import * as userApi from '@recordproof/shared/api/user-factors.ts';
import { toIso, toIsoOrNull } from '../../platform/clock.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey, toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { type AccountRow, getAccount, listAccounts } from '../accounts/index.ts';
import { addPasskey, beginPasskey, removePasskey, renamePasskey } from './add-passkey.ts';
import { beginTotp, confirmTotp, removeTotp, renewRecoveryCodes } from './enrol-totp.ts';
import { findEnrolledFactors, toDeadline } from './enrolled-factors.ts';
import { listPasskeys } from './passkey-queries.ts';
import { type EnrolledFactors, findRequirement, listEnrolledFactors, type Requirement } from './queries.ts';
import { findRelyingParty, toPasskey } from './relying-party.ts';
import { requireFactors, resetUserFactors } from './reset-factors.ts';
import { passkeySignInOptions } from './verify-passkey.ts';

const toFactors = ({ totpSince, recoveryCodesLeft }: EnrolledFactors) => ({
  totp: totpSince === null ? null : { since: toIso(totpSince) },
  recoveryCodesLeft,
});

const toUserFactors = (
  account: AccountRow,
  factors: EnrolledFactors,
  requirement: Requirement,
): userApi.UserFactors => ({
  id: toWireId(account.id),
  username: account.username,
  role: account.role,
  required: toDeadline(account, requirement) !== null,
  passkeys: factors.passkeys,
  ...toFactors(factors),
});

export const factorRoutes = (server: Pick<Server, 'database' | 'clock' | 'keys' | 'baseUrl'>): Route[] => {
  const { db } = server.database;
  return [
    route(api.ownFactors, async ({ actor }) => {
      const { tenantId, userId, role, registeredAt } = actor;
      const factors = await findEnrolledFactors(db, { id: userId, tenant_id: tenantId });
      const deadline = toDeadline({ role, registered_at: registeredAt }, await findRequirement(db, tenantId));
      const passkeys = (await listPasskeys(db, { id: userId, tenant_id: tenantId })).map(toPasskey);
      const passkeysWork = findRelyingParty(server.baseUrl()) !== null;
      const required = deadline !== null;
      return { ...toFactors(factors), passkeys, passkeysWork, required, enrolBy: toIsoOrNull(deadline) };
    }),
    route(codesApi.beginTotp, r => beginTotp(server, r)),
    route(codesApi.confirmTotp, r => confirmTotp(server, r, r.body.code)),
    route(codesApi.removeTotp, r => removeTotp(server, r)),
    route(passkeysApi.passkeySignInOptions, () => passkeySignInOptions(server)),
    route(passkeysApi.beginPasskey, r => beginPasskey(server, r)),
    route(passkeysApi.addPasskey, r => addPasskey(server, r, r.body)),
    route(passkeysApi.renamePasskey, r => renamePasskey(server, r, { id: toKey(r.params.id), ...r.body })),
    route(passkeysApi.removePasskey, r => removePasskey(server, r, toKey(r.params.id))),
    route(api.renewRecoveryCodes, r => renewRecoveryCodes(server, r)),
    route(userApi.listUserFactors, async r => {
      const { tenantId } = r.actor;
      const { rows, total } = await listAccounts(db, tenantId, { keyword: r.query.keyword }, r.query);
      const requirement = await findRequirement(db, tenantId);
      const ids = rows.map(row => row.id);
      const factorsOf = await listEnrolledFactors(db, tenantId, ids);
      const records = rows.flatMap(row => {
        const factors = factorsOf.get(row.id);
        return factors === undefined ? [] : [toUserFactors(row, factors, requirement)];
      });
      return toPage(records, total, r.query);
    }),
    route(userApi.getUserFactors, async r => {
      const { tenantId } = r.actor;
      const account = await getAccount(db, tenantId, toKey(r.params.id));
      return toUserFactors(account, await findEnrolledFactors(db, account), await findRequirement(db, tenantId));
    }),
    route(userApi.resetUserFactors, r =>
      resetUserFactors(server, r, { accountId: toKey(r.params.id), reason: r.query.reason }),
    ),
    route(userApi.getFactorRequirement, async ({ actor }) => {
      const { since, graceDays } = await findRequirement(db, actor.tenantId);
      return { roles: Object.keys(since) as Role[], graceDays };
    }),
    route(userApi.putFactorRequirement, r => requireFactors(server, r, r.body)),
  ];
};
