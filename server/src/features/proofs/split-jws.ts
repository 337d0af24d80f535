// Parts of a proof's JWS that its row keeps: the signature, and the digest of the signed bytes.
import { sha256, toBase64Url, toHex } from '@recordproof/shared/evidence/digest.ts';
import { parseJws } from '@recordproof/shared/evidence/jws.ts';

type Kept = { readonly manifest_sha256: string; readonly signature: string };

/** Throws if it is malformed. */
export function splitJws(jws: Uint8Array): Kept {
  const { payload, signature } = parseJws(jws);
  return { manifest_sha256: toHex(sha256(payload)), signature: toBase64Url(signature) };
}
