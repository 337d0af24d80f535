// Cryptographic policy: suites with end dates, and the policy of each tenant.
import { feature } from '../../platform/feature.ts';
import { cryptoPolicyMigrations } from './migrations.ts';
import { type CryptoPolicies, openCryptoPolicies } from './policies.ts';
import { cryptoPolicyRoutes } from './routes.ts';
import { openSuites, type Suites } from './suites.ts';

export { type CryptoPolicies, openCryptoPolicies } from './policies.ts';
export { listWrappingProviders } from './queries.ts';
export { openSuites, type Suites } from './suites.ts';
export {
  assertEnvelopeReadable,
  assertProofReadable,
  contentSuiteForReading,
  contentSuiteForWriting,
  type EnvelopeSuites,
  findProofSuite,
  type SignedProofSuites,
  signedProofSuites,
  type Wrapping,
  wrapperForWriting,
} from './writing.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** Decides which suites may be used to write and read. */
    readonly suites: Suites;
    /** The policy of each tenant for new records. */
    readonly cryptoPolicies: CryptoPolicies;
  }
}

export const cryptoPolicy = feature({
  name: 'crypto-policy',
  layer: 1,
  migrations: cryptoPolicyMigrations,
  provide: platform => ({ suites: openSuites(platform), cryptoPolicies: openCryptoPolicies(platform) }),
  open: server => ({ routes: cryptoPolicyRoutes(server) }),
});
