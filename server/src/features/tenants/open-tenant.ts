// Tenant creation by an installation administrator, with an invitation for its first administrator, who alone knows the
// password.
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { createTenant as contract } from '@recordproof/shared/api/tenants.ts';
import { anonymousParty, type Call, callAs } from '../../platform/call.ts';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { createTenant } from '../accounts/index.ts';
import { recordAudit } from '../audit/index.ts';
import { invite } from '../invitations/index.ts';

type Dependencies = Pick<Server, 'database' | 'clock' | 'keys' | 'config' | 'baseUrl'>;
type Invitation = Awaited<ReturnType<typeof invite>>;

const invitationHours = 168;

export const openTenant = (
  server: Dependencies,
  call: Call,
  { name, administratorEmail }: BodyOf<typeof contract>,
): Promise<{ tenantId: Key; invitation: Invitation | null }> => {
  const { database, clock, config } = server;
  return database.db.transaction().execute(async tx => {
    await lockInTransaction(tx, database.kind, 'tenants');
    const now = clock.now();
    const tenantId = await createTenant(tx, call, name, now);
    if (tenantId === null) throw new ApiError('DATA_ALREADY_EXISTED', `a tenant "${name}" already exists`);
    await recordAudit(tx, call, now, 'tenants.create', `tenant ${name} created`, { tenantId, name });
    if (config.accounts.registration.mode === 'closed') return { tenantId, invitation: null };
    const request = { role: 'admin', expiresInHours: invitationHours, createdBy: call.actor.userId } as const;
    const invited = { ...request, email: administratorEmail };
    return { tenantId, invitation: await invite(tx, server, callAs(call, anonymousParty(tenantId)), invited, now) };
  });
};
