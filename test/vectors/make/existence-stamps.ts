// Time stamps for test/vectors/existence.json, by the openssl program: of several authorities, and each wrong in one way.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { concatBytes, sha256, toHex, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { writeStampRequest } from '@recordproof/shared/evidence/rfc3161.ts';
import { makeAuthority } from '../../support/time-stamp-authority.ts';

const folder = mkdtempSync(join(tmpdir(), 'existence-stamps-'));
let count = 0;

function newAuthority(options: Parameters<typeof makeAuthority>[1] = {}) {
  const own = join(folder, String(count++));
  mkdirSync(own);
  return makeAuthority(own, options);
}

const pss = ['-sigopt', 'rsa_padding_mode:pss', '-sigopt', 'rsa_pss_saltlen:32'];

const toPem = (der: Uint8Array): Buffer =>
  Buffer.from(
    `-----BEGIN CERTIFICATE-----\n${Buffer.from(der).toString('base64').replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  );

/** The same root, valid from 2019 to 2020: its own signature is no part of a chain. */
function expire(pem: Buffer): Buffer {
  const der = Buffer.from(
    pem
      .toString()
      .replaceAll(/-----.*?-----/g, '')
      .replaceAll(/\s/g, ''),
    'base64',
  );
  const first = der.indexOf(Buffer.from('170d', 'hex'));
  der.write('190101000000Z', first + 2, 'latin1');
  der.write('200101000000Z', der.indexOf(Buffer.from('170d', 'hex'), first + 2) + 2, 'latin1');
  return toPem(der);
}

export type Stamped = { readonly stamp: Uint8Array; readonly roots: Uint8Array };

/** What stamps a checkpoint with this digest, by name; `code` is what a reader has to say. */
export function makeStamps(digest: Uint8Array): Record<string, Stamped & { readonly code: string }> {
  const nonce = Uint8Array.of(0x71, 2, 3, 4, 5, 6, 7, 8);
  const request = writeStampRequest(digest, nonce);
  const rsa = newAuthority();
  const { roots } = rsa;
  const right = rsa.answer(request);
  const other = newAuthority();
  const by = (options: Parameters<typeof makeAuthority>[1]) => {
    const authority = newAuthority(options);
    return { stamp: authority.answer(request), roots: authority.roots, code: 'OK' };
  };
  const forgedBy = (purpose: string) => {
    const authority = newAuthority({ purpose });
    return { stamp: authority.forge(right), roots: authority.roots, code: 'STAMP_CERTIFICATE' };
  };
  const wrong = (code: string, stamp: Uint8Array) => ({ stamp, roots, code });
  const withoutCertificate = Buffer.concat([Buffer.of(0x30, (request[1] ?? 0) - 3), request.subarray(2, -3)]);
  const withoutNonce = execFileSync('openssl', [
    'ts',
    '-query',
    '-digest',
    toHex(digest),
    '-sha256',
    '-cert',
    '-no_nonce',
  ]);
  const at = right.length - 1;
  // The outer length once more with a leading zero, which DER does not allow.
  const longer = concatBytes(Uint8Array.of(0x30, 0x83, 0x00), right.subarray(2));
  return {
    'of an authority with an RSA key': wrong('OK', right),
    'of an authority with an ECDSA key on P-256': by({ key: 'ECDSA' }),
    'of an authority with an ECDSA key on P-384': by({ key: 'ECDSA P-384', sign: ['-sha384'] }),
    'of an authority whose certificates are signed with RSASSA-PSS': by({ sign: pss }),
    'that names its certificate by SHA-1': by({ idHash: 'sha1' }),
    'that names its certificate by SHA-512': by({ idHash: 'sha512' }),
    'without a nonce, which a reader does not know': wrong('OK', rsa.answer(withoutNonce)),
    'of an authority among several that are trusted': {
      ...{ stamp: right, code: 'OK' },
      roots: Buffer.concat([other.roots, roots]),
    },
    'of an authority that the reader did not name': { stamp: right, roots: other.roots, code: 'STAMP_UNTRUSTED' },
    'after the root had expired': { stamp: right, roots: expire(roots), code: 'STAMP_EXPIRED' },
    'of something else': wrong('STAMP_IMPRINT', rsa.stamp(sha256(toUtf8('something else')))),
    'with a wrong signature': wrong('STAMP_SIGNATURE', right.with(at, (right[at] ?? 0) ^ 1)),
    'that was refused': wrong('STAMP_REFUSED', rsa.answer(writeStampRequest(digest, nonce, '1.2.3.4'))),
    'without the certificate of its signer': wrong('STAMP_CERTIFICATE', rsa.answer(withoutCertificate)),
    'by a certificate without a purpose': forgedBy('none'),
    'by a certificate whose purpose is not critical': forgedBy('timeStamping'),
    'by a certificate with a second purpose': forgedBy('critical,timeStamping,serverAuth'),
    'cut off': wrong('STAMP_TRUNCATED', right.subarray(0, 700)),
    'that is empty': wrong('STAMP_TRUNCATED', new Uint8Array(0)),
    'with a byte behind it': wrong('STAMP_TRAILING_BYTES', concatBytes(right, Uint8Array.of(0))),
    'with a length that is not in its shortest form': wrong('STAMP_MALFORMED', longer),
    'of indefinite length': wrong(
      'STAMP_MALFORMED',
      concatBytes(Uint8Array.of(0x30, 0x80), right.subarray(4), Uint8Array.of(0, 0)),
    ),
  };
}

/** Of one authority over any digest. */
export function makeStamper(): (digest: Uint8Array) => Stamped {
  const authority = newAuthority();
  return digest => ({ stamp: authority.stamp(digest), roots: authority.roots });
}
