// Routes of invitations.
import { toPage } from '@recordproof/shared/api/common.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/invitations.ts';
import { toIso } from '../../platform/clock.ts';
import { type Request, type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { openProfiles } from '../accounts/index.ts';
import { checkInvited, limitBySubject, requestMailCode } from '../auth/index.ts';
import { acceptInvitation } from './accept-invitation.ts';
import { createInvitation, revokeInvitation } from './change-invitations.ts';
import { getPresented, selectorOf } from './codes.ts';
import { listInvitations } from './queries.ts';
import { toInvitations } from './views.ts';

/** Guesses at one invitation share a rate limit, from all addresses. */
const limitByInvitation = (server: Server, request: Request, code: string): Promise<void> =>
  limitBySubject(server, request, `invitation:${selectorOf(code)}`);

const managingRoutes = (server: Server): Route[] => {
  const { db } = server.database;
  const view = async (row: Parameters<typeof toInvitations>[1][number]) => {
    const [invitation] = await toInvitations(db, [row], server.clock.now());
    return invitation as api.Invitation;
  };
  return [
    route(api.createInvitation, async r => {
      const { row, link } = await createInvitation(server, r, r.body);
      const delivery = server.config.mail.kind === 'smtp' ? ('smtp' as const) : ('file' as const);
      return { invitation: await view(row), link, ...(link === null && { delivery }) };
    }),
    route(api.listInvitations, async r => {
      const now = server.clock.now();
      const found = await listInvitations(db, r.actor.tenantId, { state: r.query.state, now }, r.query);
      return toPage(await toInvitations(db, found.rows, now), found.total, r.query);
    }),
    route(api.revokeInvitation, async r => view(await revokeInvitation(server, r, toKey(r.params.id)))),
  ];
};

export const invitationRoutes = (server: Server): Route[] => {
  const profiles = openProfiles(server.database.db);
  const present = async (r: Request, code: string) => {
    checkInvited(server.config.accounts.registration);
    await limitByInvitation(server, r, code);
    return getPresented(server.database.db, server.keys.pepper, code, server.clock.now());
  };
  return [
    ...managingRoutes(server),
    route(api.readInvitation, async r => {
      const { row } = await present(r, r.body.invitation);
      return { email: row.email, role: row.role as api.Invitation['role'], expiresAt: toIso(row.expires_at) };
    }),
    route(api.requestInvitedMailCode, async r => {
      const { row } = await present(r, r.body.invitation);
      if (row.email !== null) throw new ApiError('CONFLICT', 'a mailed invitation needs no code');
      return requestMailCode(server, r, { email: r.body.email, type: 'register' });
    }),
    route(api.acceptInvitation, async r => {
      await limitByInvitation(server, r, r.body.invitation);
      return profiles.ofRow(await acceptInvitation(server, r, r.body));
    }),
  ];
};
