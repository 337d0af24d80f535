// Tables of the cryptographic policy.
import {
  type CryptoChoices,
  type CryptoDiagnostics,
  type CryptoPolicy,
  choiceNames,
  type ProofProviderView,
  type SuiteView,
  type WrappingProviderView,
} from '@recordproof/shared/api/crypto-policy.ts';
import { printable, toMinute } from '../platform/output.ts';
import { alignRows, below, extra, type Fitting, tableOf, words } from '../platform/table.ts';

/** In the form of a flag: `wrappingProvider` → `wrapping-provider`. */
export const toWords = (name: string): string => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);

type Fingerprinted = Pick<CryptoPolicy, 'policyFingerprint'>;

/** On a line of its own: after its name it would be wider than a terminal. */
const withFingerprint = (rows: readonly (readonly string[])[], { policyFingerprint }: Fingerprinted): string =>
  `${alignRows(rows)}\npolicy-fingerprint\n  ${printable(policyFingerprint)}`;

export const policyText = (policy: CryptoPolicy): string =>
  withFingerprint(
    [
      ['policy-version', policy.policyVersion === 0 ? '0 (as the server is configured)' : String(policy.policyVersion)],
      ...choiceNames.map(name => [toWords(name), String(policy[name])]),
    ],
    policy,
  );

/** The effect of a change, a line for each choice that it touches. */
export const changesText = (from: CryptoChoices, to: CryptoChoices, names: readonly (keyof CryptoChoices)[]): string =>
  alignRows(names.map(name => [toWords(name), String(from[name]), '→', String(to[name])]));

const toTimeText = (iso: string | null): string => (iso === null ? '-' : toMinute(iso));
const nameOf = (one: { readonly provider: string; readonly providerContract: number }): string =>
  `${one.provider}/${one.providerContract}`;

const suiteTable = tableOf<SuiteView>({
  SUITE: one => one.id,
  STATUS: one => (one.status === 'ACTIVE' && !one.productionWriteAllowed ? 'READ-ONLY' : one.status),
  'WRITES UNTIL': one => toTimeText(one.lifecycle.deprecatedAt),
  'READS UNTIL': one => toTimeText(one.lifecycle.disabledAt),
  TYPE: extra(one => one.type),
  PROVIDER: extra(nameOf),
  SINCE: extra(one => toTimeText(one.lifecycle.introducedAt)),
});

const wrapperTable = tableOf<WrappingProviderView>({
  'WRAPS KEYS': nameOf,
  CONFIGURED: one => (one.configuration === 'CONFIGURED' ? 'yes' : 'no'),
  ANSWERS: one => (one.available ? 'yes' : 'no'),
  OPERATIONS: one => one.operations.join(' ') || '-',
  ALGORITHMS: words(one => one.algorithms.join(' ') || '-'),
});

const signerTable = tableOf<ProofProviderView>({
  'SIGNS PROOFS': nameOf,
  'SIGNATURE SUITES': one => one.signatureSuites.join(' '),
  'PROOF SUITES': words(one => one.proofSuites.join(' ')),
});

export const diagnosticsText = (diagnostics: CryptoDiagnostics): Fitting =>
  below(
    withFingerprint([['policy-version', String(diagnostics.policyVersion)]], diagnostics),
    suiteTable(diagnostics.suites),
    wrapperTable(diagnostics.wrappingProviders),
    signerTable(diagnostics.proofProviders),
  );
