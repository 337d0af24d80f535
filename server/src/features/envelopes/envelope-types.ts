// Types of envelopes: states, recipient and suites.
import type { Envelope } from '../../platform/crypto/envelope.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { EnvelopeSuites } from '../crypto-policy/index.ts';

/** Only the ACTIVE one of a recipient is used; a rotation supersedes it, the end of a share revokes it. */
export type EnvelopeStatus = 'ACTIVE' | 'PENDING_VERIFICATION' | 'SUPERSEDED' | 'REVOKED';

export type RecipientType = 'OWNER' | 'SHARE' | 'FRIEND_SHARE';

export type EnvelopeSubject = {
  readonly tenantId: Key;
  readonly fileId: Key;
  readonly fileHash: string;
  readonly recipientType: RecipientType;
  readonly recipientId: string;
};

export type SealedEnvelope = Envelope & EnvelopeSuites & { readonly subject: EnvelopeSubject };
