// Envelopes, which are wrapped data keys: access to each sealed file, per recipient.
import { feature } from '../../platform/feature.ts';
import { envelopeMigrations } from './migrations.ts';

export { findUnusableKeys, type UnusableKey } from './key-troubles.ts';
export {
  type EnvelopeSubject,
  hasEnvelopes,
  type KeyRow,
  keyColumns,
  listActiveEnvelopes,
  listOwnerEnvelopes,
  listSealedFor,
  type Recipient,
  type RecipientType,
  type SealedEnvelope,
  storeEnvelopes,
  writeEnvelopes,
} from './queries.ts';
export {
  hasEnvelopesBeside,
  lockEnvelopes,
  type OldEnvelope,
  readEnvelopes,
  replaceEnvelopes,
} from './replace-envelopes.ts';
export {
  findFileKey,
  openFileKey,
  openStoredKey,
  revokeGift,
  revokeGiftsOf,
  sealFor,
  toOwner,
  toSubject,
} from './seal-envelope.ts';
export { assertKeysAnswer, type KeyWait, waitForKeys } from './wait-for-keys.ts';

export const envelopes = feature({ name: 'envelopes', layer: 1, migrations: envelopeMigrations });
