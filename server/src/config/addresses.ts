// The forms of addresses: where to listen, whom to believe, where other services are. Each function says what is wrong
// with a text, or null; none repeats it, because it may hold a password.
import { isIP } from 'node:net';
import { textThat } from '@recordproof/shared/settings/setting.ts';
import { namedNetworks } from '../platform/http/proxies.ts';
import { parseSender } from '../platform/mail/mail.ts';
import { parseSmtpUrl } from '../platform/mail/smtp-url.ts';

const hostName = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_](?:[a-z0-9_-]{0,62}))*$/i;

/** Four numbers that are no address are a slip, not the name of a machine. */
export const refuseHost = (host: string): string | null =>
  isIP(host) !== 0 || (hostName.test(host) && !/(?:^|\.)\d+$/.test(host))
    ? null
    : 'must be the name or the IP address of this machine';

export function refuseNetwork(network: string): string | null {
  if (Object.hasOwn(namedNetworks, network)) return null;
  const [address = '', bits, ...more] = network.split('/');
  const kind = address.includes('%') ? 0 : isIP(address);
  const isWhole = bits === undefined;
  const isPart = /^[1-9]\d{0,2}$/.test(bits ?? '') && Number(bits) <= (kind === 4 ? 32 : 128);
  if (kind !== 0 && more.length === 0 && (isWhole || isPart)) return null;
  return `must hold IP addresses or networks such as 10.0.0.0/8, or ${Object.keys(namedNetworks).join(', ')}`;
}

const isPercentEncoded = (part: string): boolean => {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
};

/** Where a service is: `schemes` end in a colon. */
export const serviceUrl = (...schemes: string[]) =>
  textThat(text => {
    const url = URL.parse(text);
    if (url === null || !schemes.includes(url.protocol))
      return `must be an address that starts with ${schemes.map(scheme => `${scheme}//`).join(' or ')}`;
    if (!isPercentEncoded(url.username) || !isPercentEncoded(url.password))
      return 'must have its user name and password percent-encoded';
    // PostgreSQL may be reached by a path instead: postgres:///name?host=/run/postgresql
    return url.hostname === '' && !url.searchParams.has('host') ? 'must name a host' : null;
  });

export function refuseWebAddress(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\//i.test(text)) return 'must be an address that starts with http:// or https://';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  return /[?#]/.test(text) ? 'must end before any ? or #' : null;
}

export const webAddress = textThat(refuseWebAddress);

const reasonOf = (parse: () => unknown): string | null => {
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
