// Wrapped data keys: who may open which sealed file.
import { feature } from '../../platform/feature.ts';
import { type ContentSuites, openContentSuites } from './content-suites.ts';
import { envelopeMigrations } from './migrations.ts';

export { type ContentSuites, openContentSuites } from './content-suites.ts';
export type { EnvelopeSubject, RecipientType, SealedEnvelope } from './envelope-types.ts';
export { hasEnvelopes } from './queries.ts';
export {
  hasEnvelopesBeside,
  holdEnvelopes,
  type OldEnvelope,
  readEnvelopes,
  replaceEnvelopes,
} from './replace-envelopes.ts';
export { openFileKey, revokeGift, revokeGiftsOf, sealFor, storeEnvelopes } from './seal-envelope.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** Decides what content is sealed and opened with. */
    readonly contentSuites: ContentSuites;
  }
}

export const envelopes = feature({
  name: 'envelopes',
  floor: 1,
  migrations: envelopeMigrations,
  provide: platform => ({ contentSuites: openContentSuites(platform) }),
});
