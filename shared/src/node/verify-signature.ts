// Signatures of X.509 and CMS by node:crypto: RSA PKCS#1 v1.5 and PSS, ECDSA.
import { constants, createPublicKey, verify } from 'node:crypto';
import type { VerifySignature } from '../evidence/signature-schemes.ts';

export const verifySignature: VerifySignature = (spki, scheme, message, signature) => {
  const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
  if (scheme.kind === 'ECDSA') return verify(scheme.hash, message, { key, dsaEncoding: 'ieee-p1363' }, signature);
  const padding = scheme.kind === 'RSA_PSS' ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING;
  const salt = scheme.kind === 'RSA_PSS' ? { saltLength: scheme.saltBytes } : {};
  return verify(scheme.hash, message, { key, padding, ...salt }, signature);
};
