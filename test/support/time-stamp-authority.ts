// Time-stamping authorities for tests, by the openssl program: roots, certificates and answers of several kinds.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeDer } from '@recordproof/shared/evidence/der.ts';

const keyOptions = {
  RSA: ['-newkey', 'rsa:2048'],
  ECDSA: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  'ECDSA P-384': ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
} as const;
export type KeyKind = keyof typeof keyOptions;

export const testPolicy = '1.3.6.1.4.1.99999.1';

type AuthorityOptions = {
  readonly key?: KeyKind;
  /** `none` leaves the extension out. */
  readonly purpose?: string;
  /** `ess_cert_id_alg`: sha1 names the certificate in the old way. */
  readonly idHash?: 'sha1' | 'sha256' | 'sha512';
  /** Further options of `openssl req` for root and signer. */
  readonly sign?: readonly string[];
};

export type Authority = {
  /** In PEM. */
  readonly roots: Buffer;
  readonly rootsPath: string;
  answer(request: Uint8Array): Buffer;
  /** Forges, which openssl does not: signs the statement of another answer, whatever its certificate allows. */
  forge(response: Uint8Array): Buffer;
  /** Without a request of ours: openssl writes one for this digest. */
  stamp(digest: Uint8Array): Buffer;
  /** Runs `openssl ts -verify`; throws its output. */
  verify(response: Uint8Array, data: Uint8Array): void;
};

const openssl = (...args: string[]): Buffer => execFileSync('openssl', args, { stdio: 'pipe' });

/** Files are put into `folder`, which must be empty. */
export function makeAuthority(folder: string, options: AuthorityOptions = {}): Authority {
  const path = (name: string) => join(folder, name);
  const { key = 'RSA', purpose = 'critical,timeStamping', idHash = 'sha256', sign = [] } = options;
  const make = (...args: string[]) =>
    openssl('req', '-x509', ...keyOptions[key], '-sha256', '-nodes', '-days', '3650', ...sign, ...args);
  make('-subj', '/CN=Test root', '-keyout', path('root.key'), '-out', path('root.pem'));
  const limits = ['-addext', 'basicConstraints=critical,CA:FALSE', '-addext', 'keyUsage=critical,digitalSignature'];
  const purposes = purpose === 'none' ? [] : ['-addext', `extendedKeyUsage=${purpose}`];
  const issuer = ['-CA', path('root.pem'), '-CAkey', path('root.key')];
  make(
    '-subj',
    '/CN=Test authority',
    ...limits,
    ...purposes,
    ...issuer,
    '-keyout',
    path('tsa.key'),
    '-out',
    path('tsa.pem'),
  );
  writeFileSync(path('serial'), '01\n');
  writeFileSync(path('tsa.conf'), configOf(path, idHash));
  const answer = (request: Uint8Array) => {
    writeFileSync(path('request.tsq'), request);
    openssl('ts', '-reply', '-config', path('tsa.conf'), '-queryfile', path('request.tsq'), '-out', path('answer.tsr'));
    return readFileSync(path('answer.tsr'));
  };
  return {
    roots: readFileSync(path('root.pem')),
    rootsPath: path('root.pem'),
    answer,
    stamp: digest =>
      answer(openssl('ts', '-query', '-digest', Buffer.from(digest).toString('hex'), '-sha256', '-cert')),
    forge(response) {
      writeFileSync(path('true.tsr'), response);
      openssl('ts', '-reply', '-in', path('true.tsr'), '-token_out', '-out', path('token.der'));
      openssl('cms', '-verify', '-noverify', '-inform', 'DER', '-in', path('token.der'), '-out', path('info.der'));
      const form = ['-binary', '-nodetach', '-cades', '-md', 'sha256', '-outform', 'DER'];
      const signer = ['-econtent_type', 'id-smime-ct-TSTInfo', '-signer', path('tsa.pem'), '-inkey', path('tsa.key')];
      const token = openssl('cms', '-sign', ...form, ...signer, '-in', path('info.der'));
      return Buffer.from(writeDer(0x30, Buffer.from('3003020100', 'hex'), token));
    },
    verify(response, data) {
      writeFileSync(path('stored.tsr'), response);
      writeFileSync(path('stored.txt'), data);
      openssl('ts', '-verify', '-data', path('stored.txt'), '-in', path('stored.tsr'), '-CAfile', path('root.pem'));
    },
  };
}

const configOf = (path: (name: string) => string, idHash: string): string => `[ tsa ]
default_tsa = test
[ test ]
serial = ${path('serial')}
crypto_device = builtin
signer_cert = ${path('tsa.pem')}
signer_key = ${path('tsa.key')}
signer_digest = sha256
default_policy = ${testPolicy}
other_policies = ${testPolicy}.2
digests = sha256, sha512
accuracy = secs:1, millisecs:500, microsecs:100
ordering = yes
tsa_name = yes
ess_cert_id_chain = no
ess_cert_id_alg = ${idHash}
`;
