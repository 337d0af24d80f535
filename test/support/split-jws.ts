// The columns of a proof's row that are taken from its JWS.
import { sha256, toBase64Url, toHex } from '@recordproof/shared/evidence/digest.ts';
import { parseJws } from '@recordproof/shared/evidence/jws.ts';

/** Throws if it is malformed. */
export function splitJws(jws: Uint8Array): { readonly manifest_sha256: string; readonly signature: string } {
  const { payload, signature } = parseJws(jws);
  return { manifest_sha256: toHex(sha256(payload)), signature: toBase64Url(signature) };
}
