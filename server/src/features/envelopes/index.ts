// Wrapped data keys: who may open which sealed file.
export type { EnvelopeSubject, RecipientType, SealedEnvelope } from './envelope-types.ts';
export { envelopeMigrations } from './migrations.ts';
export { openFileKey, revokeGift, revokeGiftsOf, sealFor, storeEnvelope } from './seal-envelope.ts';
