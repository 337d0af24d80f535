import type { AuditEntry, Origin } from '../audit/index.ts';
import type { ShareRow } from './queries.ts';

const words = {
  create: 'created',
  update: 'changed',
  cancel: 'cancelled',
  'force-cancel': 'cancelled by an administrator',
  expire: 'expired',
} as const;

/** The code opens the share, so the log names the share by its id. */
export const toEntry = (
  operation: keyof typeof words,
  who: AuditEntry['who'],
  share: ShareRow,
  param: Readonly<Record<string, unknown>>,
  origin: Origin,
): AuditEntry => ({
  tenantId: share.tenant_id,
  who,
  module: 'shares',
  operation,
  description: `share ${share.id} ${words[operation]}`,
  param: { shareId: share.id, ownerId: share.owner_id, ...param },
  origin: withoutCode(origin, share.code),
});

export const withoutCode = (origin: Origin, code: string): Origin => ({
  ...origin,
  url: origin.url.replaceAll(code, '…'),
});
