// Change of a tenant's cryptographic policy: the suites for its new records. Only suites that are available and
// writable; existing records keep theirs.

import {
  type CryptoPolicy,
  choiceNames,
  type DecisionReason,
  type putCryptoPolicy,
} from '@recordproof/shared/api/crypto-policy.ts';
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import { KeyProviderError } from '../../platform/crypto/envelope.ts';
import { signingProviders } from '../../platform/crypto/suite-catalogue.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { toChoices, toPolicy } from './policies.ts';
import { findBadChange, selectWrapper } from './policy.ts';
import { writePolicy } from './queries.ts';

type Input = BodyOf<typeof putCryptoPolicy>;
type Changing = Pick<Server, 'database' | 'clock' | 'suites' | 'cryptoPolicies' | 'keyProviders'>;

export async function putPolicy(server: Changing, call: Call, input: Input): Promise<CryptoPolicy> {
  const { database, suites, cryptoPolicies } = server;
  const { tenantId } = call.actor;
  checkChange(server, await cryptoPolicies.read(database.db, tenantId), input);
  await assertAnswers(server, input);
  const policy = await database.db.transaction().execute(async tx => {
    const current = await cryptoPolicies.read(tx, tenantId);
    checkChange(server, current, input);
    if (isStored(current, input)) return current;
    const next = { version: input.expectedVersion + 1, choices: toChoices(input) };
    const now = server.clock.now();
    if (!(await writePolicy(tx, { ...next, tenantId }, now))) throw conflict(suites);
    const changed = toPolicy(next);
    await recordAudit(tx, call, now, 'crypto-policy.put-policy', `cryptographic policy, version ${next.version}`, {
      ...changed,
      previousFingerprint: current.policyFingerprint,
    });
    return changed;
  });
  cryptoPolicies.forget(tenantId);
  suites.decided({ type: 'POLICY', operation: 'policy', reason: 'NONE' });
  return policy;
}

/** Version 0 is the configured default: a policy of the tenant's own is a change even if it is equal. */
const isStored = (current: CryptoPolicy, input: Input): boolean =>
  current.policyVersion > 0 && choiceNames.every(name => current[name] === input[name]);

const whys: Readonly<Partial<Record<DecisionReason, string>>> = {
  UNKNOWN_SUITE: 'there is no suite of this name; diagnostics list all',
  TYPE_MISMATCH: 'it is a suite for something else',
  PROVIDER_MISMATCH: 'the provider has another contract; diagnostics tell it',
  UNSUPPORTED: 'it is not configured on this server',
  EXPERIMENTAL_NOT_ALLOWED: 'it is a draft, and drafts protect nothing',
  DEPRECATED_FOR_WRITE: 'nothing new is written with it any more',
  CAPABILITY_MISMATCH: 'it is not able or not allowed to do what is needed',
  DOWNGRADE_BLOCKED: 'it is weaker than what is in force',
  REENCRYPT_REQUIRED: 'changing what content is encrypted with takes a plan of its own, not a policy',
};

function conflict(suites: Server['suites']): ApiError {
  const reason = 'POLICY_VERSION_CONFLICT';
  suites.decided({ type: 'POLICY', operation: 'policy', reason });
  return new ApiError('POLICY_VERSION_CONFLICT', undefined, { detail: { reason } });
}

function checkChange({ suites, keyProviders, clock }: Changing, current: CryptoPolicy, input: Input): void {
  if (current.policyVersion !== input.expectedVersion) throw conflict(suites);
  const { catalogue } = suites;
  const context = { catalogue, wrappers: keyProviders, signers: signingProviders, now: clock.now() };
  const rejection = findBadChange(context, current, input);
  if (rejection === null) return;
  const { field, type, reason } = rejection;
  suites.decided({ type, operation: 'policy', reason });
  throw new ApiError('UNPROCESSABLE', `${field} cannot be ${input[field]}: ${whys[reason]}`, {
    detail: { reason, field },
  });
}

/** A configured provider that does not answer would reject every new file. */
async function assertAnswers({ keyProviders }: Changing, input: Input): Promise<void> {
  const provider = selectWrapper(keyProviders, {
    id: input.wrappingProvider,
    contract: input.wrappingProviderContract,
  });
  if (typeof provider === 'string') return;
  try {
    await provider.activeKeyVersion();
  } catch (cause) {
    if (!(cause instanceof KeyProviderError)) throw cause;
    throw new ApiError('SERVICE_UNAVAILABLE', `the key provider ${provider.id} does not respond; nothing was changed`, {
      cause,
      detail: { failureCategory: cause.category },
      retryAfterSeconds: 5,
    });
  }
}
