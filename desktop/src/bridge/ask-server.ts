// Live evidence from the server of the session: issuer key, proof status and chain root, through the person's own connection.
import { type ChainRootAnswer, getChainRoot } from '@recordproof/shared/api/chain.ts';
import { type Client, TransportError, type TransportFailure } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import {
  type DatedIssuerKey,
  getIssuerKey,
  getPublicProofStatus,
  type ProofStatusView,
} from '@recordproof/shared/api/proofs.ts';
import type { LookupFailure } from '@recordproof/verifier/verify/check-codes.ts';
import type { ChainRoot, IssuerStatus, LiveEvidence, Lookup } from '@recordproof/verifier/verify/live-evidence.ts';
import { type TrustedKey, toTrustedKey } from '@recordproof/verifier/verify/trusted-key.ts';

type Ask = { readonly call: Client['call']; readonly signal?: AbortSignal | undefined };

export function askServer({ call, signal }: Ask): LiveEvidence {
  const stop = signal && { signal };
  return {
    findIssuerKey: (keyId, keyVersion) =>
      lookUp(async () => {
        const params = { keyId, keyVersion: String(keyVersion) };
        return toKey(await call(getIssuerKey, { params, ...stop }));
      }),
    findStatus: proofId =>
      lookUp(async () => toStatus(await call(getPublicProofStatus, { params: { proofId }, ...stop }))),
    findChainRoot: address => lookUp(async () => toRoot(await call(getChainRoot, { params: address, ...stop }))),
  };
}

const toKey = ({ usedFrom, usedUntil = null, ...key }: DatedIssuerKey): TrustedKey => ({
  ...toTrustedKey(key),
  ...(usedFrom && { used: { from: Date.parse(usedFrom), until: usedUntil === null ? null : Date.parse(usedUntil) } }),
});

const toStatus = ({ status, issuedAt, updatedAt, ...about }: ProofStatusView): IssuerStatus => {
  const { manifestSha256 = null, contentHash = null } = about;
  const times = { issuedAt: Date.parse(issuedAt), updatedAt: Date.parse(updatedAt) };
  return { status, about: { ...about, ...times, manifestSha256, contentHash } };
};

const toRoot = ({ schemaVersion: _, ...root }: ChainRootAnswer): ChainRoot => root;

const failures: Readonly<Partial<Record<TransportFailure, LookupFailure>>> = {
  unreachable: 'CONNECTION_FAILED',
  'timed-out': 'TIMED_OUT',
  redirected: 'REDIRECT_REFUSED',
  'not-recordproof': 'ANSWER_MALFORMED',
};

async function lookUp<T>(ask: () => Promise<T>): Promise<Lookup<T>> {
  try {
    return { kind: 'found', value: await ask() };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return { kind: 'unknown' };
    if (error instanceof ApiError) return { kind: 'unavailable', reason: 'ANSWER_NOT_OK' };
    if (error instanceof TransportError)
      return { kind: 'unavailable', reason: failures[error.failure] ?? 'UNAVAILABLE' };
    return { kind: 'unavailable', reason: 'ANSWER_MALFORMED' };
  }
}
