// Proxies from environment variables. Parsed once for undici and node:http, which know these variables but differ in
// details.

export type Proxies = {
  readonly http: string | undefined;
  readonly https: string | undefined;
  /** Hosts with direct connections, separated by commas. */
  readonly none: string;
};

export class WrongProxy extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

/** Loopback addresses never use a proxy. */
const here = ['localhost', '127.0.0.1', '::1', '[::1]'];

const read = (environment: Environment, name: string): string | undefined =>
  environment[name.toLowerCase()] || environment[name] || undefined;

/**
 * `proxy.example:3128` means `http://proxy.example:3128`. Errors do not repeat the value, which may contain a password.
 */
function parse(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(/^[a-z0-9]+:\/\//i.test(text) ? text : `http://${text}`);
  if (url && ['http:', 'https:'].includes(url.protocol)) return url.href;
  throw new WrongProxy(`${name} must be an address such as http://proxy.example.org:3128`);
}

/** A name matches itself and its subdomains, as in curl. */
function toBoth(entry: string): string[] {
  if (entry.startsWith('*')) return [entry];
  const name = entry.replace(/^\./, '');
  return [name, `.${name}`];
}

export function readProxies(environment: Environment): Proxies {
  const http = parse('HTTP_PROXY', read(environment, 'HTTP_PROXY'));
  const https = parse('HTTPS_PROXY', read(environment, 'HTTPS_PROXY'));
  const none = (read(environment, 'NO_PROXY') ?? '').split(/[,\s]+/).filter(Boolean);
  return { http, https, none: [...here, ...none.flatMap(toBoth)].join(',') };
}

export const noProxies: Proxies = { http: undefined, https: undefined, none: '*' };
