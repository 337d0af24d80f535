// The compact JWS of a proof (docs/spec/proof-archive.md section 7): exactly four protected header members, embedded
// payload, one trailing LF. Rejects padding, spare bits, white space, unknown or duplicate header members.
import { canonicalBytes } from './canonical-json.ts';
import { isSameBytes, parseBase64Url, parseUtf8, toBase64Url, toUtf8 } from './digest.ts';
import type { SignEd25519 } from './ed25519.ts';
import { parseStrictJson } from './strict-json.ts';
import { integer, objectOf, text } from './strict-shape.ts';

export const jwsAlgorithm = 'EdDSA';
export const jwsType = 'JOSE';
const maxJwsBytes = 256 * 1024;
const maxHeaderBytes = 1024;

type JwsHeader = { alg: string; keyVersion: number; kid: string; typ: string };

export type ParsedJws = {
  header: JwsHeader;
  /** The header was written as canonical JSON. */
  isCanonicalHeader: boolean;
  payload: Uint8Array;
  signature: Uint8Array;
  /** The ASCII bytes that the signature covers. */
  signingInput: Uint8Array;
};

const word = text(/^[\x21-\x7e]{1,128}$/, 'a word');
const headerShape = objectOf({ alg: word, keyVersion: integer(1), kid: word, typ: word });

export const toJwsHeader = (keyId: string, keyVersion: number): JwsHeader => ({
  alg: jwsAlgorithm,
  keyVersion,
  kid: keyId,
  typ: jwsType,
});

/** Whether the header is that of a proof, with this key, in its one form. */
export const hasHeaderOf = ({ header, isCanonicalHeader }: ParsedJws, keyId: string, keyVersion: number): boolean =>
  isCanonicalHeader &&
  header.alg === jwsAlgorithm &&
  header.typ === jwsType &&
  header.kid === keyId &&
  header.keyVersion === keyVersion;

/** The ASCII text that the signature covers. */
export const toSigningInput = (header: JwsHeader, payload: Uint8Array): string =>
  `${toBase64Url(canonicalBytes(header))}.${toBase64Url(payload)}`;

/** The signature in base64url, as in the JWS. */
export async function signInput(signingInput: string, sign: SignEd25519): Promise<string> {
  const signature = await sign(toUtf8(signingInput));
  if (signature.length !== 64) throw new RangeError('an Ed25519 signature has 64 bytes');
  return toBase64Url(signature);
}

export async function signJws(header: JwsHeader, payload: Uint8Array, sign: SignEd25519): Promise<Uint8Array> {
  const signingInput = toSigningInput(header, payload);
  return joinJws(signingInput, await signInput(signingInput, sign));
}

/** The JWS of an existing signature, which is not checked. */
export const joinJws = (signingInput: string, signature: string): Uint8Array =>
  toUtf8(`${signingInput}.${signature}\n`);

/** Structure only: nothing is authenticated before the signature has been checked. Throws on malformed input. */
export function parseJws(bytes: Uint8Array): ParsedJws {
  if (bytes.length > maxJwsBytes) throw new RangeError(`the signature entry exceeds ${maxJwsBytes} bytes`);
  const whole = parseUtf8(bytes);
  if (!whole.endsWith('\n')) throw new RangeError('the signature entry does not end with a line feed');
  const parts = whole.slice(0, -1).split('.');
  const [header, payload, signature] = parts;
  if (parts.length !== 3 || !header || !payload || !signature) throw new RangeError('not a compact JWS');
  const headerBytes = parseBase64Url(header);
  const shaped = headerShape(parseStrictJson(headerBytes, { maxBytes: maxHeaderBytes, maxDepth: 4 }), '');
  return {
    header: shaped,
    isCanonicalHeader: isSameBytes(canonicalBytes(shaped), headerBytes),
    payload: parseBase64Url(payload),
    signature: parseBase64Url(signature),
    signingInput: toUtf8(`${header}.${payload}`),
  };
}
