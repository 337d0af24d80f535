// Diagnostics of suites and providers for administrators: capabilities, end dates, and availability.
import type {
  CryptoDiagnostics,
  ProofProviderView,
  SuiteView,
  WrappingProviderView,
} from '@recordproof/shared/api/crypto-policy.ts';
import { toIso, toIsoOrNull } from '../../platform/clock.ts';
import type { KeyProvider } from '../../platform/crypto/envelope.ts';
import { type Suite, signingProviders, wrappingProviders } from '../../platform/crypto/suite-catalogue.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { mayBeWritten, statusOf } from './policy.ts';

type Dependencies = Pick<Server, 'database' | 'clock' | 'suites' | 'cryptoPolicies' | 'keyProviders'>;

export async function diagnose(server: Dependencies, tenantId: Key): Promise<CryptoDiagnostics> {
  const { policyVersion, policyFingerprint } = await server.cryptoPolicies.read(server.database.db, tenantId);
  const now = server.clock.now();
  return {
    policyVersion,
    policyFingerprint,
    suites: server.suites.catalogue.map(suite => toSuiteView(suite, now)),
    wrappingProviders: [
      ...(await Promise.all(server.keyProviders.map(toWrapperView))),
      ...wrappingProviders.filter(({ id }) => server.keyProviders.every(provider => provider.id !== id)).map(toAbsent),
    ],
    proofProviders: signingProviders.map(toSignerView),
  };
}

const toSuiteView = (suite: Suite, now: number): SuiteView => ({
  id: suite.id,
  type: suite.type,
  provider: suite.provider.id,
  providerContract: suite.provider.contract,
  status: statusOf(suite, now),
  lifecycle: {
    introducedAt: toIso(suite.introducedAt),
    deprecatedAt: toIsoOrNull(suite.deprecatedAt),
    disabledAt: toIsoOrNull(suite.disabledAt),
  },
  constraints: { ...suite.constraints },
  compatibility: [...suite.compatibility],
  productionWriteAllowed: mayBeWritten(suite, now),
});

async function toWrapperView(provider: KeyProvider): Promise<WrappingProviderView> {
  const { id, contract, operations, algorithms } = provider;
  const answers = provider.activeKeyVersion().then(
    () => true,
    () => false,
  );
  return {
    provider: id,
    providerContract: contract,
    operations: [...operations],
    algorithms: [...algorithms],
    available: await answers,
    configuration: 'CONFIGURED',
  };
}

const toAbsent = ({ id, contract }: { readonly id: string; readonly contract: number }): WrappingProviderView => ({
  provider: id,
  providerContract: contract,
  operations: [],
  algorithms: [],
  available: false,
  configuration: 'NOT_CONFIGURED',
});

const toSignerView = ({
  id,
  contract,
  signatureSuites,
  proofSuites,
}: (typeof signingProviders)[number]): ProofProviderView => ({
  provider: id,
  providerContract: contract,
  signatureSuites: [...signatureSuites],
  proofSuites: [...proofSuites],
});
