// Configuration of time stamp authorities (RFC 3161) and OpenTimestamps calendars. Rejects unreadable roots and
// policies, duplicate addresses, and credentials that would be sent unencrypted.
import { readFileSync } from 'node:fs';
import { writeOid } from '@recordproof/shared/evidence/der.ts';
import { type Certificate, parseRoots } from '@recordproof/shared/evidence/x509.ts';
import { ConfigError } from '@recordproof/shared/settings/read-setting.ts';
import { Secret } from '../platform/secret.ts';
import { findTwice, isPercentEncoded, isPrivate, rejectWebAddress } from './validation.ts';

const entryForm = /^(\S+)(?:\s+policy=(\S+))?\s+roots=(\S.*)$/;
const credentialsForm = /^(\S+)\s+([^\s:]+):(\S+)$/;

type StampAuthority = {
  readonly url: string;
  /** Identifies its time stamps: the address without the scheme. */
  readonly name: string;
  /** The only accepted policy; absent: any. */
  readonly policy: string | undefined;
  readonly roots: readonly Certificate[];
  /** `<user>:<password>`. */
  readonly credentials: Secret | undefined;
};

/** The end of an error sentence, or null. */
export function rejectAuthority(text: string): string | null {
  const [, url, policy] = entryForm.exec(text) ?? [];
  if (url === undefined) return 'must hold entries such as https://tsa.example/ policy=1.2.3 roots=/etc/tsa-roots.pem';
  const why = rejectWebAddress(url);
  if (why !== null) return `must list addresses of authorities, and each ${why}`;
  return policy === undefined || isOid(policy) ? null : `must name a policy by its numbers behind the address ${url}`;
}

function isOid(text: string): boolean {
  try {
    writeOid(text);
    return true;
  } catch {
    return false;
  }
}

/** The error never repeats the text. */
export function rejectCredentials(text: string): string | null {
  const [, url, user = '', password = ''] = credentialsForm.exec(text) ?? [];
  if (url === undefined) return 'must hold entries such as https://tsa.example/ user:password';
  const why = rejectWebAddress(url);
  if (why !== null) return `must list addresses with credentials, and each address ${why}`;
  return isPercentEncoded(user + password) ? null : 'must have user names and passwords percent-encoded';
}

const toSourceName = (url: string): string => url.replace(/^https?:\/\//i, '').replace(/\/+$/, '');

type StampSettings = {
  readonly authorities: readonly string[];
  readonly credentials: readonly string[];
  readonly calendars: readonly string[];
};

export function toStampSources({ authorities, credentials, calendars }: StampSettings) {
  const secrets = new Map(credentials.map(toCredentials));
  const stamps = authorities.map(text => {
    const [, url = '', policy, path = ''] = entryForm.exec(text) ?? [];
    const name = toSourceName(url);
    const authority: StampAuthority = { url, name, policy, roots: readRoots(path), credentials: secrets.get(name) };
    if (authority.credentials !== undefined && !isPrivate(url))
      throw new ConfigError(`ledger.stamp-credentials would be sent to ${url} unencrypted: use https://.`);
    return authority;
  });
  const names = stamps.map(({ name }) => name);
  rejectDuplicates('ledger.stamp-authorities', names);
  rejectDuplicates(
    'ledger.stamp-credentials',
    credentials.map(toCredentials).map(([name]) => name),
  );
  const unknown = [...secrets.keys()].find(name => !names.includes(name));
  if (unknown !== undefined)
    throw new ConfigError(`ledger.stamp-credentials names ${unknown}, which is not in ledger.stamp-authorities.`);
  const addresses = calendars.map(url => ({ url: url.replace(/\/+$/, ''), name: toSourceName(url) }));
  rejectDuplicates(
    'ledger.calendars',
    addresses.map(({ name }) => name),
  );
  return { authorities: stamps, calendars: addresses };
}

function toCredentials(text: string): readonly [name: string, credentials: Secret] {
  const [, url = '', user = '', password = ''] = credentialsForm.exec(text) ?? [];
  return [toSourceName(url), new Secret(`${decodeURIComponent(user)}:${decodeURIComponent(password)}`)];
}

function readRoots(path: string): Certificate[] {
  try {
    return parseRoots(readFileSync(path));
  } catch (error) {
    const why = error instanceof RangeError ? error.message : 'it cannot be read';
    throw new ConfigError(`ledger.stamp-authorities names the roots ${path}, which cannot be used: ${why}.`);
  }
}

function rejectDuplicates(key: string, names: readonly string[]): void {
  const twice = findTwice(names);
  if (twice !== undefined) throw new ConfigError(`${key} names ${twice} twice.`);
}
