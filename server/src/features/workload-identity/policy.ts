// Matching of identity tokens against trust rules. Pure.
import type { ClaimPattern } from '@recordproof/shared/api/workload-identity.ts';

/**
 * "*" matches any characters but "/": a pattern for one repository does not match one below it. In linear time, because
 * neither the pattern nor the value is the installation's own.
 */
export function matches(pattern: string, value: string): boolean {
  const parts = pattern.split('/');
  const values = value.split('/');
  return parts.length === values.length && parts.every((part, at) => matchesPart(part, values[at] ?? ''));
}

function matchesPart(pattern: string, value: string): boolean {
  const [start = '', ...middle] = pattern.split('*');
  const end = middle.pop();
  if (end === undefined) return value === start;
  if (!value.startsWith(start)) return false;
  let matched = start.length;
  for (const text of middle) {
    const found = value.indexOf(text, matched);
    if (found < 0) return false;
    matched = found + text.length;
  }
  return value.length - matched >= end.length && value.endsWith(end);
}

const toText = (value: unknown): string | null =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;

type Rule = { readonly audience: string; readonly claims: readonly ClaimPattern[] };
type Payload = Readonly<Record<string, unknown>>;

/** Why the rule does not match the token; null if it does. The audience must be equal. */
export function findMismatch({ audience, claims }: Rule, payload: Payload): string | null {
  const audiences = [payload.aud].flat();
  if (!audiences.includes(audience)) return 'the audience is another';
  const wrong = claims.find(({ name, pattern }) => {
    const value = Object.hasOwn(payload, name) ? toText(payload[name]) : null;
    return value === null || !matches(pattern, value);
  });
  return wrong === undefined ? null : `the claim ${wrong.name} does not match`;
}

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Rejects issuers without https, except on loopback: their keys could be replaced in transit. */
export function findBadIssuer(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    return 'must be an address without a user, a query and a fragment';
  if (url.protocol === 'https:') return null;
  return url.protocol === 'http:' && loopbackHosts.has(url.hostname) ? null : 'must begin with https://';
}

/** The keys of an issuer must be at a URL as protected as its own. */
export const mayHoldKeys = (issuer: string, keysUrl: string): boolean =>
  findBadIssuer(keysUrl.replace(/[?#].*$/, '')) === null &&
  (keysUrl.startsWith('https:') || issuer.startsWith('http:'));
