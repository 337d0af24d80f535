// Audit entries on shares, without their codes.
import { type Call, callAs, type Origin, type Party } from '../../platform/call.ts';
import type { AuditEntry } from '../audit/index.ts';
import type { ShareRow } from './queries.ts';

const words = {
  create: 'created',
  update: 'changed',
  cancel: 'cancelled',
  'force-cancel': 'cancelled by an administrator',
  expire: 'expired',
  mail: 'mailed',
} as const;

export const toEntry = (
  operation: keyof typeof words,
  share: ShareRow,
  param: Readonly<Record<string, unknown>> = {},
): AuditEntry => ({
  module: 'shares',
  operation,
  description: `share ${share.id} ${words[operation]}`,
  param: { shareId: share.id, ownerId: share.owner_id, ...param },
});

/** The code grants access, so the log identifies the share by its id. */
export const withoutCode = <By extends Party>(
  { ip, url, method, startedAt }: Origin,
  actor: By,
  code: string,
): Call<By> => callAs({ ip, url: url.replaceAll(code, '…'), method, startedAt }, actor);
