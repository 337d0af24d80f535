// Network access to servers: the same proxies and trusted authorities for calls (undici) and for bulk bytes (node:http;
// docs/decisions/0182-undici-and-node-http.md).
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { type Fetch, TransportError } from '../api/client.ts';
import type { BulkHttp } from './bulk-http.ts';
import { findConnectionProblem } from './connection-problem.ts';
import { noProxies, type Proxies } from './proxies.ts';

type NetworkOptions = {
  readonly proxies?: Proxies;
  /** PEM certificates of an authority trusted in addition to those of the machine. */
  readonly authority?: string | undefined;
  readonly userAgent?: string;
  /** Time limit for a response without traffic. */
  readonly idleSeconds?: number;
};

export type Network = Disposable & {
  readonly fetch: Fetch;
  /** Separate connections for file transfers, closed by the caller. */
  openBulk(options?: { readonly idleSeconds?: number }): Promise<BulkHttp>;
};

/** Returns undefined if the machine's trusted authorities suffice. */
function toSecureContext(authority: string | undefined): SecureContext | undefined {
  if (authority === undefined) return undefined;
  return createSecureContext({ ca: [...getCACertificates('default'), authority] });
}

type Undici = typeof import('undici/index-fetch.js');
type Caller = Pick<Undici, 'fetch'> & { readonly dispatcher: InstanceType<Undici['EnvHttpProxyAgent']> };

/** Loaded with the first call: many runs make none. */
async function openCaller(options: NetworkOptions, secureContext: SecureContext | undefined): Promise<Caller> {
  const { EnvHttpProxyAgent, fetch } = await import('undici/index-fetch.js');
  const { proxies = noProxies, idleSeconds = 120 } = options;
  const connect = { timeout: 10_000, ...(secureContext && { secureContext }) };
  const dispatcher = new EnvHttpProxyAgent({
    httpProxy: proxies.http ?? '',
    httpsProxy: proxies.https ?? proxies.http ?? '',
    noProxy: proxies.none,
    connect,
    requestTls: connect,
    proxyTls: connect,
    // The client sets the time limit of a call as a whole.
    headersTimeout: 0,
    bodyTimeout: idleSeconds * 1000,
  });
  return { fetch, dispatcher };
}

export function openNetwork(options: NetworkOptions = {}): Network {
  const { proxies = noProxies, userAgent } = options;
  const secureContext = toSecureContext(options.authority);
  let caller: Promise<Caller> | undefined;

  return {
    async fetch(url, init) {
      caller ??= openCaller(options, secureContext);
      const { fetch, dispatcher } = await caller;
      try {
        return await fetch(url, { ...init, dispatcher });
      } catch (error) {
        const problem = findConnectionProblem(error, url, proxies);
        if (problem === undefined) throw error;
        throw new TransportError(problem.failure, `no answer from ${new URL(url).origin}: ${problem.text}`, error);
      }
    },
    async openBulk({ idleSeconds } = {}) {
      const { openBulkHttp } = await import('./bulk-http.ts');
      return openBulkHttp({
        proxies,
        ...(secureContext && { secureContext }),
        ...(userAgent !== undefined && { userAgent }),
        ...(idleSeconds !== undefined && { idleSeconds }),
      });
    },
    [Symbol.dispose]() {
      void caller?.then(({ dispatcher }) => dispatcher.destroy()).catch(() => undefined);
    },
  };
}
