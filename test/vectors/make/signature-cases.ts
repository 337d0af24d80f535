// Signatures and keys: who signed what, with which key, and which key the verifier was given.

import { digestOf, parseHex, toBase64, toBase64Url, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { toSpki } from '@recordproof/shared/evidence/ed25519.ts';
import { add, basePoint, decodeX, eighthOrder, encode, encodePoint, multiply } from '../../support/curve.ts';
import { attackerKey, type Case, issuerKey, keyFile, plainProof, textOf, toEntries, withEntry, zip } from './case.ts';
import { changed, type Loose, signedOver } from './resign.ts';

const entries = toEntries(plainProof);
const jws = textOf(entries, 'issuer-signature.jws').trimEnd();
const [header = '', payload = '', signature = ''] = jws.split('.');
const good = zip(entries);
const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n;

function withJws(name: string, why: string, text: string, outcome: 'INVALID' | 'ERROR', code: string): Case {
  const archive = zip(withEntry(entries, 'issuer-signature.jws', text));
  return {
    name: `jws-${name}`,
    why,
    archive,
    trustedKey: 'issuer.json',
    expected: { outcome, check: 'signature.jws', code },
  };
}

const malformed = (name: string, why: string, text: string) => withJws(name, why, text, 'ERROR', 'JWS_MALFORMED');
const raw = () => Buffer.from(signature, 'base64url');
const withSignature = (bytes: Uint8Array) => `${header}.${payload}.${toBase64Url(bytes)}\n`;
const headerOf = (text: string) => `${toBase64Url(toUtf8(text))}.${payload}.${signature}\n`;
const littleEndian = (bytes: Uint8Array) => bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
const toLittleEndian = (value: bigint) =>
  Uint8Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * i)) & 255n));

const structure: Case[] = [
  malformed('no-line-feed', 'No line feed at the end.', jws),
  malformed('two-line-feeds', 'Two line feeds at the end.', `${jws}\n\n`),
  malformed('carriage-return', 'A carriage return.', `${jws}\r\n`),
  malformed('padding', 'Base64 padding.', `${jws}==\n`),
  malformed('four-parts', 'A fourth part.', `${jws}.AAAA\n`),
  malformed('detached', 'The payload left out.', `${header}..${signature}\n`),
  malformed('no-signature', 'The signature left out.', `${header}.${payload}.\n`),
  malformed(
    'json-form',
    'JSON serialisation instead of the compact one.',
    `${JSON.stringify({ payload, signatures: [{ protected: header, signature }] })}\n`,
  ),
  malformed(
    'embedded-key',
    'The header brings its own key.',
    headerOf(
      `{"alg":"EdDSA","jwk":{"crv":"Ed25519","kty":"OKP","x":"${toBase64Url(attackerKey.publicKey)}"},"keyVersion":3,"kid":"issuer-main","typ":"JOSE"}`,
    ),
  ),
  malformed(
    'key-address',
    'The header names an address to fetch the key from.',
    headerOf('{"alg":"EdDSA","jku":"https://attacker.example/","keyVersion":3,"kid":"issuer-main","typ":"JOSE"}'),
  ),
  malformed(
    'critical-extension',
    'The header demands an extension.',
    headerOf('{"alg":"EdDSA","crit":["b64"],"b64":false,"keyVersion":3,"kid":"issuer-main","typ":"JOSE"}'),
  ),
  malformed(
    'header-twice',
    'The algorithm stands twice.',
    headerOf('{"alg":"none","alg":"EdDSA","keyVersion":3,"kid":"issuer-main","typ":"JOSE"}'),
  ),
  malformed(
    'version-as-text',
    'The key version as text.',
    headerOf('{"alg":"EdDSA","keyVersion":"3","kid":"issuer-main","typ":"JOSE"}'),
  ),
];

async function signedWith(fields: object): Promise<Uint8Array> {
  return zip(await signedOver(entries, issuerKey, fields));
}

const contract = (name: string, why: string, fields: object): Case => ({
  name: `jws-${name}`,
  why,
  archive: signedWith(fields),
  trustedKey: 'issuer.json',
  expected: { outcome: 'INVALID', check: 'signature.jws', code: 'JWS_CONTRACT' },
});

const headers: Case[] = [
  contract('alg-none', 'Algorithm none.', { alg: 'none' }),
  contract('alg-hs256', 'A keyed hash instead of a signature.', { alg: 'HS256' }),
  contract('alg-lower-case', 'The algorithm in another case.', { alg: 'eddsa' }),
  contract('type', 'Another type.', { typ: 'JWT' }),
  contract('kid', 'Another key id than in the manifest.', { kid: 'issuer-other' }),
  contract('key-version', 'Another key version than in the manifest.', { keyVersion: 4 }),
  withJws(
    'header-respelled',
    'The header with spaces.',
    headerOf('{"alg":"EdDSA", "keyVersion":3,"kid":"issuer-main","typ":"JOSE"}'),
    'INVALID',
    'JWS_CONTRACT',
  ),
];

/** The least y that belongs to no point. */
let offCurve = 2n;
while (decodeX(offCurve) !== undefined) offCurve += 1n;

const forged: Case[] = [
  withJws(
    'one-bit',
    'One bit of the signature is different.',
    withSignature(raw().fill((raw()[40] ?? 0) ^ 1, 40, 41)),
    'INVALID',
    'SIGNATURE_INVALID',
  ),
  withJws(
    'other-payload',
    'The signature is over another manifest.',
    `${header}.${toBase64Url(toUtf8('{}'))}.${signature}\n`,
    'INVALID',
    'JWS_PAYLOAD_MISMATCH',
  ),
  withJws('too-short', 'A signature of 63 bytes.', withSignature(raw().subarray(0, 63)), 'INVALID', 'JWS_CONTRACT'),
  withJws(
    'too-long',
    'A signature of 65 bytes.',
    withSignature(Buffer.concat([raw(), Buffer.alloc(1)])),
    'INVALID',
    'JWS_CONTRACT',
  ),
  withJws(
    'malleable',
    'S plus the group order: the same signature in a second spelling.',
    withSignature(
      Buffer.concat([raw().subarray(0, 32), toLittleEndian(littleEndian(raw().subarray(32)) + groupOrder)]),
    ),
    'INVALID',
    'JWS_CONTRACT',
  ),
  withJws(
    'small-order-r',
    'R is of small order.',
    withSignature(Buffer.concat([toLittleEndian(1n), raw().subarray(32)])),
    'INVALID',
    'JWS_CONTRACT',
  ),
  withJws(
    'r-off-curve',
    'R encodes no point of the curve.',
    withSignature(Buffer.concat([toLittleEndian(offCurve), raw().subarray(32)])),
    'INVALID',
    'JWS_CONTRACT',
  ),
  withJws('zero', 'Sixty-four zero bytes.', withSignature(new Uint8Array(64)), 'INVALID', 'JWS_CONTRACT'),
  withJws(
    'non-canonical-r',
    'R in a second encoding.',
    withSignature(Buffer.concat([toLittleEndian(2n ** 255n - 18n), raw().subarray(32)])),
    'INVALID',
    'JWS_CONTRACT',
  ),
];

const asAttacker = (m: Loose) => Object.assign(m.signature, { publicKeyFingerprint: attackerKey.fingerprint });

async function ownKey(change: (m: Loose) => unknown): Promise<Uint8Array> {
  const manifest = JSON.parse(textOf(entries, 'manifest.json'));
  change(manifest);
  const next = withEntry(entries, 'manifest.json', JSON.stringify(manifest));
  return zip(
    await signedOver(next, attackerKey, { kid: manifest.signature.keyId, keyVersion: manifest.signature.keyVersion }),
  );
}

const renamed = (m: Loose) => {
  asAttacker(m);
  m.signature.keyId = 'attacker-main';
  m.signature.verificationKeyLocation = '/api/v1/public/proof-keys/attacker-main/versions/3';
};

const keys: Case[] = [
  {
    name: 'key-none',
    why: 'No trusted key: everything agrees and nothing is confirmed.',
    archive: good,
    expected: { outcome: 'INDETERMINATE', check: 'signature.key', code: 'TRUSTED_KEY_MISSING' },
  },
  {
    name: 'key-own-without-trust',
    why: 'A forger signs with a key of his own; without a trusted key nobody can tell, so nothing is confirmed.',
    archive: ownKey(asAttacker),
    expected: { outcome: 'INDETERMINATE', check: 'signature.jws', code: 'SIGNATURE_NOT_CHECKED' },
  },
  {
    name: 'key-own',
    why: "A forger signs with a key of his own under the issuer's name.",
    archive: ownKey(asAttacker),
    trustedKey: 'issuer.json',
    expected: { outcome: 'INVALID', check: 'signature.key', code: 'KEY_FINGERPRINT_MISMATCH' },
  },
  {
    name: 'key-own-signature',
    why: 'The manifest states the fingerprint of another key: the signature is still judged, with the trusted key.',
    archive: ownKey(asAttacker),
    trustedKey: 'issuer.json',
    expected: { outcome: 'INVALID', check: 'signature.jws', code: 'SIGNATURE_INVALID' },
  },
  {
    name: 'key-own-hidden',
    why: "A forger signs with a key of his own and states the issuer's fingerprint.",
    archive: ownKey(() => {}),
    trustedKey: 'issuer.json',
    expected: { outcome: 'INVALID', check: 'signature.jws', code: 'SIGNATURE_INVALID' },
  },
  {
    name: 'key-own-name',
    why: 'A forger signs with a key of his own under his own name.',
    archive: ownKey(renamed),
    trustedKey: 'issuer.json',
    expected: { outcome: 'INDETERMINATE', check: 'signature.key', code: 'TRUSTED_KEY_OTHER' },
  },
  {
    name: 'key-other-version',
    why: 'The trusted key is an older version.',
    archive: good,
    trustedKey: 'issuer-v2.json',
    expected: { outcome: 'INDETERMINATE', check: 'signature.key', code: 'TRUSTED_KEY_OTHER' },
  },
  {
    name: 'key-wrong-under-same-name',
    why: 'The trusted key has the right name and other bytes.',
    archive: good,
    trustedKey: 'attacker-as-issuer.json',
    expected: { outcome: 'INVALID', check: 'signature.key', code: 'KEY_FINGERPRINT_MISMATCH' },
  },
  {
    name: 'key-fingerprint-in-manifest',
    why: 'The manifest states another fingerprint, signed by the right key.',
    archive: changed(entries, 'manifest.json', asAttacker),
    trustedKey: 'issuer.json',
    expected: { outcome: 'INVALID', check: 'signature.key', code: 'KEY_FINGERPRINT_MISMATCH' },
  },
];

const noPoint = toSpki(encode(2n));
const mixedOrder = toSpki(encodePoint(add(multiply(basePoint, 12_345n), eighthOrder)));
const smallOrder = toSpki(parseHex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'));

const ownKeyFile = (spki: Uint8Array) => keyFile({ ...issuerKey, spki, fingerprint: digestOf(spki) });

/** Trusted key files; the vectors name them. */
export const keyFiles: Readonly<Record<string, string>> = {
  'issuer.json': keyFile(issuerKey),
  'issuer-v2.json': keyFile(issuerKey, { keyVersion: 2 }),
  'attacker-as-issuer.json': keyFile(attackerKey),
  'unknown-field.json': keyFile(issuerKey, { comment: 'x' }),
  'field-twice.json': keyFile(issuerKey).replace('{', '{"keyVersion":3,'),
  'trailing.json': `${keyFile(issuerKey)} {}`,
  'missing-field.json': keyFile(issuerKey, { keyId: undefined }),
  'other-algorithm.json': keyFile(issuerKey, { algorithm: 'RS256' }),
  'version-as-text.json': keyFile(issuerKey, { keyVersion: '3' }),
  'fingerprint-of-other.json': keyFile(issuerKey, { publicKeyFingerprint: attackerKey.fingerprint }),
  'fingerprint-upper-case.json': keyFile(issuerKey, { publicKeyFingerprint: issuerKey.fingerprint.toUpperCase() }),
  'raw-key.json': keyFile(issuerKey, { publicKeySpki: toBase64(issuerKey.publicKey) }),
  'url-safe-base64.json': keyFile(issuerKey, { publicKeySpki: toBase64Url(issuerKey.spki) }),
  'small-order.json': ownKeyFile(smallOrder),
  'no-point.json': ownKeyFile(noPoint),
  'mixed-order.json': ownKeyFile(mixedOrder),
  'pem.json': '-----BEGIN PUBLIC KEY-----\n',
  'empty.json': '',
};

const badKeyFiles = Object.keys(keyFiles).slice(3);

const files: Case[] = badKeyFiles.map(file => ({
  name: `keyfile-${file.replace('.json', '')}`,
  why: 'The trusted key file cannot be used.',
  archive: good,
  trustedKey: file,
  expected: { outcome: 'ERROR', check: 'signature.key', code: 'TRUSTED_KEY_INVALID' },
}));

export const signatureCases: readonly Case[] = [...structure, ...headers, ...forged, ...keys, ...files];
