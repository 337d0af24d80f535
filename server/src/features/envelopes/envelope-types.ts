// Types of envelopes: owner, recipient and suites.
import type { Envelope } from '../../platform/crypto/envelope.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { EnvelopeSuites } from '../crypto-policy/index.ts';

export type RecipientType = 'OWNER' | 'SHARE' | 'FRIEND_SHARE';

export type EnvelopeSubject = {
  readonly tenantId: Key;
  readonly fileId: Key;
  readonly fileHash: string;
  readonly recipientType: RecipientType;
  readonly recipientId: string;
};

export type SealedEnvelope = Envelope & EnvelopeSuites & { readonly subject: EnvelopeSubject };
