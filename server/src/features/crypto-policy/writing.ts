// What new records of a tenant are written with: its policy, as far as the suites and providers are there. What is not
// there is refused; nothing weaker takes its place.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type ContentSuite, gcmChunkSuite, plainSuite } from '@recordproof/shared/evidence/content-suites.ts';
import type { KeyProvider } from '../../platform/crypto/envelope.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { judgeWrapper } from './policy.ts';

const contentSuites: readonly ContentSuite[] = [gcmChunkSuite, plainSuite];

function toContentSuite(id: string): ContentSuite {
  const suite = contentSuites.find(known => known === id);
  if (suite === undefined) throw new Error(`the suite ${id} has no program`);
  return suite;
}

/** Of content that comes in, sealed by this server or stored as it is. Throws UNPROCESSABLE. */
export async function contentSuiteForWriting(
  { suites, cryptoPolicies }: Pick<Server, 'suites' | 'cryptoPolicies'>,
  tenantId: Key,
  { sealed }: { readonly sealed: boolean },
): Promise<ContentSuite> {
  const id = sealed ? (await cryptoPolicies.inForce(tenantId)).contentEncryptionSuite : plainSuite;
  suites.assertWritable('CONTENT_ENCRYPTION', id);
  return toContentSuite(id);
}

/** Of a record. */
export function contentSuiteForReading({ suites }: Pick<Server, 'suites'>, recorded: string): ContentSuite {
  suites.assertReadable('CONTENT_ENCRYPTION', recorded);
  return toContentSuite(recorded);
}

/** What sealing the key of a file takes. */
export type Wrapping = Pick<Server, 'suites' | 'cryptoPolicies' | 'keyProviders'>;

export type EnvelopeSuites = { readonly signatureSuite: string; readonly kemSuite: string };

/** Who wraps new envelopes of the tenant, and in which form. Throws UNPROCESSABLE. */
export async function wrapperForWriting(
  { suites, cryptoPolicies, keyProviders }: Wrapping,
  tenantId: Key,
): Promise<EnvelopeSuites & { readonly provider: KeyProvider }> {
  const policy = await cryptoPolicies.inForce(tenantId);
  const { envelopeSignatureSuite: signatureSuite, kemSuite } = policy;
  suites.assertWritable('ENVELOPE_SIGNATURE', signatureSuite);
  suites.assertWritable('KEM', kemSuite);
  const wish = { id: policy.wrappingProvider, contract: policy.wrappingProviderContract };
  const provider = judgeWrapper(keyProviders, wish);
  const reason = typeof provider === 'string' ? provider : 'NONE';
  suites.decided({ type: 'WRAPPING_PROVIDER', operation: 'write', reason });
  if (typeof provider !== 'string') return { signatureSuite, kemSuite, provider };
  throw new ApiError(
    'UNPROCESSABLE',
    `the key provider ${wish.id}/${wish.contract} that the policy of this tenant names is not configured on this server; ask an administrator`,
    { detail: { reason, provider: wish.id } },
  );
}

/** Of an envelope that is to be opened. */
export function assertEnvelopeReadable({ suites }: Pick<Server, 'suites'>, envelope: EnvelopeSuites): void {
  suites.assertReadable('ENVELOPE_SIGNATURE', envelope.signatureSuite);
  suites.assertReadable('KEM', envelope.kemSuite);
}
