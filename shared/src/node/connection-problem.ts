// Connection problems that people can fix: a proxy that rejects or is unreachable, a certificate that this machine does
// not trust. Returns undefined for all others, which are described by their code.
import type { TransportFailure } from '../api/client.ts';
import type { Proxies } from './proxies.ts';

type ConnectionProblem = { readonly failure: TransportFailure; readonly text: string };

const unknownAuthority = 'its certificate comes from an authority that this machine does not know';
const ofCertificates: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired, or the clock of this machine is wrong',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet, or the clock of this machine is wrong',
  CERT_REVOKED: 'its certificate was revoked',
  CERT_UNTRUSTED: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
};

type Failed = { code?: unknown; message?: unknown; cause?: unknown; port?: unknown; hostname?: unknown };

/** An error and its causes, where undici puts the reason; of several attempts, the first. */
function listCauses(thrown: unknown): Failed[] {
  const found: Failed[] = [];
  let error = thrown;
  while (error instanceof Error && found.length < 8) {
    found.push(error);
    error = error.cause ?? (error instanceof AggregateError ? error.errors[0] : undefined);
  }
  return found;
}

/** undici and node:http report the status of a proxy in different places. */
function findProxyStatus({ code, message }: Failed): string | undefined {
  const text = String(message);
  if (code === 'ERR_PROXY_TUNNEL') return /HTTP\/1\.\d (\d{3})/.exec(text)?.[1] ?? 'none';
  return /^Proxy response \((\d{3})\)/.exec(text)?.[1] ?? /^Proxy Authentication Required \((407)\)/.exec(text)?.[1];
}

const proxyWants: Readonly<Record<string, string>> = { 407: 'the proxy asks for a user name and a password' };

function isAtProxy({ port, hostname }: Failed, proxy: URL): boolean {
  const proxyPort = Number(proxy.port || (proxy.protocol === 'https:' ? 443 : 80));
  return port === proxyPort || hostname === proxy.hostname;
}

/** The proxy for a server; undefined for a direct connection. */
function findProxy(proxies: Proxies, target: URL): URL | undefined {
  const address = target.protocol === 'https:' ? (proxies.https ?? proxies.http) : proxies.http;
  return address === undefined ? undefined : new URL(address);
}

export function findConnectionProblem(thrown: unknown, url: string, proxies: Proxies): ConnectionProblem | undefined {
  const target = new URL(url);
  const proxy = findProxy(proxies, target);
  for (const error of listCauses(thrown)) {
    const text = ofCertificates[String(error.code)];
    if (text !== undefined) return { failure: 'untrusted', text };
    const status = findProxyStatus(error);
    if (status !== undefined)
      return { failure: 'proxy', text: proxyWants[status] ?? `the proxy refuses the way there (status ${status})` };
    if (proxy && typeof error.code === 'string' && isAtProxy(error, proxy) && !isAtProxy(error, target))
      return { failure: 'proxy', text: `the proxy ${proxy.host} cannot be reached (${error.code})` };
  }
  return undefined;
}
