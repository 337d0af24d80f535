// Invitation codes: 12 characters that find the row, 32 that are secret. The secret is stored as a keyed digest.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { invitationSelectorLength } from '@recordproof/shared/api/invitations.ts';
import type { Db, Time } from '../../platform/db/tables.ts';
import { randomBase62 } from '../../platform/ids.ts';
import { isTenantActive } from '../accounts/index.ts';
import { findInvitationBySelector, type InvitationRow } from './queries.ts';
import { toInvitationState } from './views.ts';

export const newSelector = (): string => randomBase62(invitationSelectorLength);
export const newSecret = (): string => randomBase62(32);

export const digestSecret = (pepper: KeyObject, selector: string, secret: string): string =>
  createHmac('sha256', pepper).update(`invitation\n${selector}\n${secret}`).digest('base64url');

/** In the URL fragment, which is not sent to servers or proxies when the link is opened. */
export const toLink = (baseUrl: string, selector: string, secret: string): string =>
  `${baseUrl}/app/#/register?invitation=${selector}${secret}`;

export const selectorOf = (code: string): string => code.slice(0, invitationSelectorLength);

export type PresentedInvitation = { readonly row: InvitationRow; readonly digest: string };

/** The pending invitation of a code. Wrong, used, revoked and expired codes get the same error. */
export async function getPresented(db: Db, pepper: KeyObject, code: string, now: Time): Promise<PresentedInvitation> {
  const selector = selectorOf(code);
  const row = await findInvitationBySelector(db, selector);
  const digest = digestSecret(pepper, selector, code.slice(invitationSelectorLength));
  const stored = row?.secret_digest ?? digestSecret(pepper, '', '');
  const matches = timingSafeEqual(Buffer.from(stored), Buffer.from(digest));
  if (!row || !matches || toInvitationState(row, now) !== 'PENDING') throw invalidInvitation();
  if (!(await isTenantActive(db, row.tenant_id))) throw invalidInvitation();
  return { row, digest };
}

export const invalidInvitation = (): ApiError =>
  new ApiError('AUTH_CODE_ERROR', 'the invitation is wrong, used, revoked or expired; ask for a new one');
