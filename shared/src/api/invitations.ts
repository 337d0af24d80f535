// Invitations: an administrator lets a person register with a role, by mail or by a link.
import { z } from 'zod';
import { email, mailCode, mailCodeReceipt, nickname, password, profile, roles, username } from './auth.ts';
import { byId, isoTime, pageOf, pageQuery, recordId } from './common.ts';
import { endpoint } from './endpoint.ts';

export const invitationStates = ['PENDING', 'ACCEPTED', 'REVOKED', 'EXPIRED'] as const;
export type InvitationState = (typeof invitationStates)[number];

/** The length of the look-up part of a code; the rest is secret. */
export const invitationSelectorLength = 12;
const codeLength = 44;

/** Pasted from a mail, it may be a whole link and contain spaces. */
export const invitationCode = z
  .string()
  .max(2000, 'is too long')
  .transform(text => text.replaceAll(/\s+/g, '').replace(/^.*[?&]invitation=/, ''))
  .pipe(z.string().regex(new RegExp(`^[0-9A-Za-z]{${codeLength}}$`), 'must be the code or the link of an invitation'));

export const invitation = z.object({
  id: recordId,
  email: z
    .string()
    .nullable()
    .meta({ description: 'the address it was mailed to; null: anyone who has the link may use it' }),
  role: z.enum(roles),
  state: z.enum(invitationStates),
  createdBy: z.string(),
  createdAt: isoTime,
  expiresAt: isoTime,
  acceptedAt: isoTime.nullable(),
  acceptedBy: z.string().nullable().meta({ description: 'user name of the account that was opened' }),
});
export type Invitation = z.infer<typeof invitation>;

export const maxInvitationHours = 8760;

export const createInvitation = endpoint('createInvitation', {
  feature: 'invitations',
  route: 'POST /api/v1/admin/invitations',
  stepUp: true,
  summary: 'Invite a person to the tenant',
  description:
    'With an address the link is mailed and not answered. Without one the link is answered, this once, and who uses it confirms an address with a mailed code.',
  access: 'system:admin',
  tokenScope: 'none',
  rate: 'other',
  body: z.object({
    email: email.optional(),
    role: z.enum(roles).default('user'),
    expiresInHours: z.int().min(1).max(maxInvitationHours).default(168),
  }),
  answer: z.object({
    invitation,
    link: z.string().nullable(),
    delivery: mailCodeReceipt.shape.delivery.meta({ description: 'how it is mailed, when it is' }),
  }),
  errors: ['USER_HAS_EXISTED', 'CONFLICT'],
});

export const listInvitations = endpoint('listInvitations', {
  feature: 'invitations',
  route: 'GET /api/v1/admin/invitations',
  summary: 'List the invitations of the tenant',
  access: 'system:admin',
  rate: 'other',
  query: pageQuery(['createdAt']).extend({ state: z.enum(invitationStates).optional() }),
  answer: pageOf(invitation),
});

export const revokeInvitation = endpoint('revokeInvitation', {
  feature: 'invitations',
  route: 'DELETE /api/v1/admin/invitations/{id}',
  summary: 'Revoke an invitation; revoking it again changes nothing',
  access: 'system:admin',
  rate: 'other',
  params: byId,
  answer: invitation,
  errors: ['NOT_FOUND', 'CONFLICT'],
});

export const readInvitation = endpoint('readInvitation', {
  isAllowedInMaintenance: true,
  feature: 'invitations',
  route: 'POST /api/v1/auth/invitations/read',
  summary: 'What an invitation is for',
  access: 'anonymous',
  rate: 'auth',
  body: z.object({ invitation: invitationCode }),
  answer: invitation.pick({ email: true, role: true, expiresAt: true }),
  errors: ['AUTH_CODE_ERROR', 'REGISTRATION_CLOSED'],
});

export const requestInvitedMailCode = endpoint('requestInvitedMailCode', {
  feature: 'invitations',
  route: 'POST /api/v1/auth/invitations/verification-codes',
  summary: 'Have a six-digit code sent to the address that an invited person wants to use',
  description: 'Only for invitations that were not mailed.',
  access: 'anonymous',
  rate: 'auth',
  body: z.object({ invitation: invitationCode, email }),
  answer: mailCodeReceipt,
  errors: ['AUTH_CODE_ERROR', 'REGISTRATION_CLOSED', 'CONFLICT'],
});

export const acceptInvitation = endpoint('acceptInvitation', {
  feature: 'invitations',
  route: 'POST /api/v1/auth/invitations/accept',
  summary: 'Open an account with an invitation',
  description: 'An invitation opens one account. One that was not mailed needs an address and the code sent to it.',
  access: 'anonymous',
  rate: 'auth',
  body: z.object({
    invitation: invitationCode,
    username,
    password,
    nickname: nickname.optional(),
    email: email.optional(),
    code: mailCode.optional(),
  }),
  answer: profile,
  errors: ['AUTH_CODE_ERROR', 'USER_HAS_EXISTED', 'REGISTRATION_CLOSED', 'PARAM_NOT_COMPLETE'],
});
