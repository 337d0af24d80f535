// Decisions on reading, writing and policy changes. Pure: returns the reason, or NONE.
import {
  type CryptoChoices,
  type CryptoPolicy,
  type DecisionReason,
  type SuiteType,
  type SuiteView,
  suiteFields,
} from '@recordproof/shared/api/crypto-policy.ts';
import type { KeyOperation, KeyProvider } from '../../platform/crypto/envelope.ts';
import { draftProvider, isDraft, type SigningProvider, type Suite } from '../../platform/crypto/suite-catalogue.ts';

/** The subject of a decision. */
export type Subject = SuiteType | 'WRAPPING_PROVIDER' | 'SIGNING_PROVIDER';
type Rejection = { readonly field: keyof CryptoChoices; readonly type: Subject; readonly reason: DecisionReason };

type SuiteQuery = { readonly type: SuiteType; readonly id: string; readonly now: number };
type Catalogue = readonly Suite[];

const hasPassed = (time: number | null, now: number): boolean => time !== null && time <= now;

export function statusOf(suite: Suite, now: number): SuiteView['status'] {
  if (isDraft(suite)) return 'EXPERIMENTAL';
  if (hasPassed(suite.disabledAt, now)) return 'DISABLED';
  return hasPassed(suite.deprecatedAt, now) ? 'DEPRECATED' : 'ACTIVE';
}

/** Writing requires a suite that can be read. */
export const mayBeWritten = (suite: Suite, now: number): boolean =>
  suite.productionWriteAllowed && statusOf(suite, now) === 'ACTIVE';

const checkName = (suite: Suite | undefined, type: SuiteType): DecisionReason => {
  if (suite === undefined) return 'UNKNOWN_SUITE';
  return suite.type === type ? 'NONE' : 'TYPE_MISMATCH';
};

export function checkWrite(catalogue: Catalogue, { type, id, now }: SuiteQuery): DecisionReason {
  const suite = catalogue.find(one => one.id === id);
  const named = checkName(suite, type);
  if (suite === undefined || named !== 'NONE') return named;
  if (isDraft(suite)) return 'EXPERIMENTAL_NOT_ALLOWED';
  if (statusOf(suite, now) !== 'ACTIVE') return 'DEPRECATED_FOR_WRITE';
  return suite.productionWriteAllowed ? 'NONE' : 'CAPABILITY_MISMATCH';
}

/** For a record, by the suite it was written with. */
export function checkRead(catalogue: Catalogue, { type, id, now }: SuiteQuery): DecisionReason {
  const suite = catalogue.find(one => one.id === id);
  const named = checkName(suite, type);
  if (suite === undefined || named !== 'NONE') return named;
  return hasPassed(suite.disabledAt, now) ? 'DISABLED_FOR_READ' : 'NONE';
}

const neededOperations: readonly KeyOperation[] = ['wrap', 'unwrap'];
type Wrapper = Pick<KeyProvider, 'id' | 'contract' | 'operations' | 'algorithms'>;

type Named = { readonly id: string; readonly contract: number };

function selectProvider<P extends Named>(providers: readonly P[], input: Named): P | DecisionReason {
  if (input.id === draftProvider.id) return 'EXPERIMENTAL_NOT_ALLOWED';
  const ofName = providers.filter(({ id }) => id === input.id);
  if (ofName.length === 0) return 'UNSUPPORTED';
  return ofName.find(({ contract }) => contract === input.contract) ?? 'PROVIDER_MISMATCH';
}

export function selectWrapper<P extends Wrapper>(wrappers: readonly P[], input: Named): P | DecisionReason {
  const found = selectProvider(wrappers, input);
  if (typeof found === 'string') return found;
  const isAble = neededOperations.every(operation => found.operations.includes(operation));
  return isAble && found.algorithms.length > 0 ? found : 'CAPABILITY_MISMATCH';
}

type SigningRequest = Pick<
  CryptoChoices,
  'signingProvider' | 'signingProviderContract' | 'signedProofSignatureSuite' | 'signedProofSuite'
>;

export function checkSigner(signers: readonly SigningProvider[], input: SigningRequest): DecisionReason {
  const found = selectProvider(signers, { id: input.signingProvider, contract: input.signingProviderContract });
  if (typeof found === 'string') return found;
  const { signatureSuites, proofSuites } = found;
  const isAble =
    signatureSuites.includes(input.signedProofSignatureSuite) && proofSuites.includes(input.signedProofSuite);
  return isAble ? 'NONE' : 'CAPABILITY_MISMATCH';
}

export type PolicyContext = {
  readonly catalogue: Catalogue;
  readonly wrappers: readonly Wrapper[];
  readonly signers: readonly SigningProvider[];
  readonly now: number;
};

function checkSuiteChange(
  { catalogue, now }: PolicyContext,
  type: SuiteType,
  from: string,
  to: string,
): DecisionReason {
  const reason = checkWrite(catalogue, { type, id: to, now });
  if (reason !== 'NONE' || from === to) return reason;
  if (type === 'CONTENT_ENCRYPTION') return 'REENCRYPT_REQUIRED';
  const generationOf = (id: string) => catalogue.find(one => one.id === id)?.generation ?? 0;
  return generationOf(to) < generationOf(from) ? 'DOWNGRADE_BLOCKED' : 'NONE';
}

/** The first field with an inadmissible value; null if all are valid. */
export function findBadChange(context: PolicyContext, current: CryptoPolicy, input: CryptoChoices): Rejection | null {
  for (const [name, type] of Object.entries(suiteFields)) {
    const field = name as keyof typeof suiteFields;
    const reason = checkSuiteChange(context, type, current[field], input[field]);
    if (reason !== 'NONE') return { field, type, reason };
  }
  const wrapper = selectWrapper(context.wrappers, {
    id: input.wrappingProvider,
    contract: input.wrappingProviderContract,
  });
  if (typeof wrapper === 'string')
    return { field: toField('wrappingProvider', wrapper), type: 'WRAPPING_PROVIDER', reason: wrapper };
  const reason = checkSigner(context.signers, input);
  if (reason === 'NONE') return null;
  return { field: toField('signingProvider', reason), type: 'SIGNING_PROVIDER', reason };
}

const toField = <P extends 'wrappingProvider' | 'signingProvider'>(provider: P, reason: DecisionReason) =>
  reason === 'PROVIDER_MISMATCH' ? (`${provider}Contract` as const) : provider;
