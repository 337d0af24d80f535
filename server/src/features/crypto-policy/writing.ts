// Suites for new records of a tenant, by its policy. An unavailable one is an error; there is no fallback to a weaker
// one.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type ContentSuite, gcmChunkSuite, plainSuite } from '@recordproof/shared/evidence/content-suites.ts';
import type { KeyProvider } from '../../platform/crypto/envelope.ts';
import { signingProviders } from '../../platform/crypto/suite-catalogue.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { checkSigner, selectWrapper } from './policy.ts';

const contentSuites: readonly ContentSuite[] = [gcmChunkSuite, plainSuite];

function toContentSuite(id: string): ContentSuite {
  const suite = contentSuites.find(known => known === id);
  if (suite === undefined) throw new Error(`the suite ${id} has no program`);
  return suite;
}

/** For incoming content, sealed by this server or stored as it is. Throws UNPROCESSABLE. */
export async function contentSuiteForWriting(
  { suites, cryptoPolicies }: Pick<Server, 'suites' | 'cryptoPolicies'>,
  tenantId: Key,
  { sealed }: { readonly sealed: boolean },
): Promise<ContentSuite> {
  const id = sealed ? (await cryptoPolicies.inForce(tenantId)).contentEncryptionSuite : plainSuite;
  suites.assertWritable('CONTENT_ENCRYPTION', id);
  return toContentSuite(id);
}

/** For a record. */
export function contentSuiteForReading({ suites }: Pick<Server, 'suites'>, recorded: string): ContentSuite {
  suites.assertReadable('CONTENT_ENCRYPTION', recorded);
  return toContentSuite(recorded);
}

/** Dependencies of sealing a file's key. */
export type Wrapping = Pick<Server, 'suites' | 'cryptoPolicies' | 'keyProviders'>;

export type EnvelopeSuites = { readonly signatureSuite: string; readonly kemSuite: string };

/** The provider and form of new envelopes of the tenant. Throws UNPROCESSABLE. */
export async function wrapperForWriting(
  { suites, cryptoPolicies, keyProviders }: Wrapping,
  tenantId: Key,
): Promise<EnvelopeSuites & { readonly provider: KeyProvider }> {
  const policy = await cryptoPolicies.inForce(tenantId);
  const { envelopeSignatureSuite: signatureSuite, kemSuite } = policy;
  suites.assertWritable('ENVELOPE_SIGNATURE', signatureSuite);
  suites.assertWritable('KEM', kemSuite);
  const input = { id: policy.wrappingProvider, contract: policy.wrappingProviderContract };
  const provider = selectWrapper(keyProviders, input);
  const reason = typeof provider === 'string' ? provider : 'NONE';
  suites.decided({ type: 'WRAPPING_PROVIDER', operation: 'write', reason });
  if (typeof provider !== 'string') return { signatureSuite, kemSuite, provider };
  throw new ApiError(
    'UNPROCESSABLE',
    `the key provider ${input.id}/${input.contract} that the policy of this tenant names is not configured on this server; ask an administrator`,
    { detail: { reason, provider: input.id } },
  );
}

/** For an envelope to be opened. */
export function assertEnvelopeReadable({ suites }: Pick<Server, 'suites'>, envelope: EnvelopeSuites): void {
  suites.assertReadable('ENVELOPE_SIGNATURE', envelope.signatureSuite);
  suites.assertReadable('KEM', envelope.kemSuite);
}

type Proving = Pick<Server, 'suites' | 'cryptoPolicies'>;

/** The hash suite of the tenant's next batch; null if it may not be used now. */
export async function findProofSuite({ suites, cryptoPolicies }: Proving, tenantId: Key): Promise<string | null> {
  const { proofSuite } = await cryptoPolicies.inForce(tenantId);
  return suites.whyNotWritable('PROOF', proofSuite) === 'NONE' ? proofSuite : null;
}

export type SignedProofSuites = { readonly signatureSuite: string; readonly archiveSuite: string };

/** The signature and archive suites of the tenant's next proof. Throws UNPROCESSABLE. */
export async function signedProofSuites(
  { suites, cryptoPolicies }: Proving,
  tenantId: Key,
): Promise<SignedProofSuites> {
  const policy = await cryptoPolicies.inForce(tenantId);
  const { signedProofSignatureSuite: signatureSuite, signedProofSuite: archiveSuite } = policy;
  suites.assertWritable('SIGNED_PROOF_SIGNATURE', signatureSuite);
  suites.assertWritable('SIGNED_PROOF', archiveSuite);
  const reason = checkSigner(signingProviders, policy);
  suites.decided({ type: 'SIGNING_PROVIDER', operation: 'write', reason });
  if (reason === 'NONE') return { signatureSuite, archiveSuite };
  throw new ApiError('UNPROCESSABLE', 'the signing provider of this tenant is unavailable; ask an administrator', {
    detail: { reason, provider: policy.signingProvider },
  });
}

/** For a proof to be delivered. */
export function assertProofReadable(
  { suites }: Pick<Server, 'suites'>,
  { proofSuite, signatureSuite, archiveSuite }: SignedProofSuites & { readonly proofSuite: string },
): void {
  suites.assertReadable('PROOF', proofSuite);
  suites.assertReadable('SIGNED_PROOF_SIGNATURE', signatureSuite);
  suites.assertReadable('SIGNED_PROOF', archiveSuite);
}
