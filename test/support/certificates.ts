// A certificate authority for a test, and its certificates.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export type Certificates = { readonly key: string; readonly certificate: string; readonly authority: string };

/** Files in PEM, written into `folder`; the certificate is for all of `names`. */
export function makeCertificates(folder: string, names: readonly string[]): Certificates {
  const [authority, authorityKey, key, certificate] = ['ca.pem', 'ca.key', 'key.pem', 'certificate.pem'].map(name =>
    join(folder, name),
  ) as [string, string, string, string];
  const make = (...args: string[]) =>
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', ...args],
      { stdio: 'pipe' },
    );
  make('-subj', '/CN=an authority for tests', '-keyout', authorityKey, '-out', authority);
  const subject = ['-subj', `/CN=${names[0]}`, '-addext', `subjectAltName=${names.map(name => `DNS:${name}`).join()}`];
  const leaf = ['-addext', 'basicConstraints=critical,CA:FALSE'];
  make(...subject, ...leaf, '-CA', authority, '-CAkey', authorityKey, '-keyout', key, '-out', certificate);
  return { key, certificate, authority };
}
