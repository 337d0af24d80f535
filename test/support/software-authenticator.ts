// Passkeys without a browser: a software authenticator that answers registration and sign-in options, with the flags
// and the counter that a test chooses.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { PasskeyAssertion, PasskeyAttestation } from '@recordproof/shared/api/factor-proofs.ts';

type Options = { readonly options: Record<string, unknown> };
type Signing = { readonly isUserVerified?: boolean; readonly counter?: number; readonly origin?: string };

export type SoftwarePasskey = {
  attest(options: Options, signing?: Signing): PasskeyAttestation;
  assert(options: Options, signing?: Signing): PasskeyAssertion;
};

const flag = { userPresent: 0x01, userVerified: 0x04, hasCredential: 0x40 } as const;

const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest();
const toText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const uint = (value: number, bytes: number): Buffer => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};

/** CBOR of a short text, and of 24 to 255 bytes. */
const cborText = (text: string): Buffer => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
const cborBytes = (bytes: Uint8Array): Buffer => Buffer.concat([Buffer.from([0x58, bytes.length]), bytes]);

/** COSE of an Ed25519 key: {1: 1, 3: -8, -1: 6, -2: x}. */
const coseKey = (x: Buffer): Buffer => Buffer.concat([Buffer.from([0xa4, 1, 1, 3, 0x27, 0x20, 6, 0x21]), cborBytes(x)]);

/** `origin` is that of the page; the relying party is `localhost`. */
export function newSoftwarePasskey(pageOrigin: string): SoftwarePasskey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const x = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const id = randomBytes(16);
  let count = 0;

  const toClientData = (type: string, { options }: Options, origin: string): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge: options.challenge, origin, crossOrigin: false }));

  function toAuthenticatorData(flags: number, { isUserVerified = true, counter = ++count }: Signing): Buffer {
    const all = flags | flag.userPresent | (isUserVerified ? flag.userVerified : 0);
    return Buffer.concat([sha256('localhost'), Buffer.from([all]), uint(counter, 4)]);
  }

  const named = { id: toText(id), rawId: toText(id), type: 'public-key' } as const;

  return {
    attest(options, signing = {}) {
      const credential = Buffer.concat([Buffer.alloc(16), uint(id.length, 2), id, coseKey(x)]);
      const data = Buffer.concat([toAuthenticatorData(flag.hasCredential, signing), credential]);
      const attestationObject = Buffer.concat([
        ...[Buffer.from([0xa3]), cborText('fmt'), cborText('none'), cborText('attStmt'), Buffer.from([0xa0])],
        ...[cborText('authData'), cborBytes(data)],
      ]);
      const clientDataJSON = toText(toClientData('webauthn.create', options, signing.origin ?? pageOrigin));
      return { ...named, response: { clientDataJSON, attestationObject: toText(attestationObject) } };
    },
    assert(options, signing = {}) {
      const clientData = toClientData('webauthn.get', options, signing.origin ?? pageOrigin);
      const data = toAuthenticatorData(0, signing);
      const signature = sign(null, Buffer.concat([data, sha256(clientData)]), privateKey);
      const response = {
        clientDataJSON: toText(clientData),
        authenticatorData: toText(data),
        signature: toText(signature),
      };
      return { ...named, response };
    },
  };
}
