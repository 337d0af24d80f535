// Validation of addresses (where to listen, trusted proxies, other services), and values that are named twice. `reject…`
// returns the error or null; no error repeats the text, which may hold a password.
import { isIP } from 'node:net';
import { textThat } from '@recordproof/shared/settings/setting.ts';
import { isNetwork } from '../platform/http/networks.ts';
import { namedNetworks } from '../platform/http/proxies.ts';
import { parseSender } from '../platform/mail/mail.ts';
import { parseSmtpUrl } from '../platform/mail/smtp-url.ts';

const hostName = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_](?:[a-z0-9_-]{0,62}))*$/i;

/** Digits that are no IP address are a typing error rather than a host name. */
export const rejectHost = (host: string): string | null =>
  isIP(host) !== 0 || (hostName.test(host) && !/(?:^|\.)\d+$/.test(host))
    ? null
    : 'must be the name or the IP address of this machine';

export function rejectNetwork(network: string): string | null {
  if (Object.hasOwn(namedNetworks, network)) return null;
  if (isNetwork(network)) return null;
  return `must hold IP addresses or networks such as 10.0.0.0/8, or ${Object.keys(namedNetworks).join(', ')}`;
}

export const isPercentEncoded = (part: string): boolean => {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
};

/** Address of a service; each of `schemes` ends in a colon. */
export const serviceUrl = (...schemes: string[]) =>
  textThat(text => {
    const url = URL.parse(text);
    if (url === null || !schemes.includes(url.protocol))
      return `must be a URL that starts with ${schemes.map(scheme => `${scheme}//`).join(' or ')}`;
    if (!isPercentEncoded(url.username) || !isPercentEncoded(url.password))
      return 'must have its user name and password percent-encoded';
    // PostgreSQL also accepts a socket path: postgres:///name?host=/run/postgresql
    return url.hostname === '' && !url.searchParams.has('host') ? 'must name a host' : null;
  });

export function rejectWebAddress(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\//i.test(text)) return 'must be a URL that starts with http:// or https://';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  return /[?#]/.test(text) ? 'must end before any ? or #' : null;
}

export const webAddress = textThat(rejectWebAddress);

/** Encrypted or on loopback. */
export function isPrivate(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** The message of the RangeError, or null. */
export const reasonOf = (parse: () => unknown): string | null => {
  try {
    parse();
    return null;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
};

export const smtpUrl = textThat(text => reasonOf(() => parseSmtpUrl(text))?.replace(/^SMTP_URL /, '') ?? null);

export const mailSender = textThat(text =>
  reasonOf(() => parseSender(text)) === null ? null : 'must be an address, or a name and an <address>',
);

/** The first item with the same text as an earlier one. */
export function findTwice<T>(items: readonly T[], toText: (item: T) => string = String): T | undefined {
  const texts = items.map(toText);
  return items.find((item, at) => texts.indexOf(toText(item)) !== at);
}
