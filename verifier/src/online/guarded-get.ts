// All HTTP requests of the verifier: one GET to an allowed host, resolved once, all addresses checked and the
// connection pinned to them, no redirects, limited in time and bytes. Answers are untrusted and never logged.
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { LookupFailure } from '../verify/check-codes.ts';
import { isLoopbackAddress, isLoopbackHost, isPublicAddress } from './address-guard.ts';

export type Guard = {
  /** Exact host names, or host:port, in lower case. */
  allowedHosts: readonly string[];
  allowHttp: boolean;
  allowPrivateAddresses: boolean;
  /** Loopback hosts named by the caller, which need neither HTTPS nor a public address. */
  loopbackHosts?: readonly string[];
  connectTimeoutMillis: number;
  /** For the whole exchange, including name resolution. */
  requestTimeoutMillis: number;
  /** Replaces the system's resolver in tests. */
  resolve?: (host: string) => Promise<LookupAddress[]>;
  /** Additional authorities for HTTPS, in PEM; tests only. */
  ca?: string;
};

type RejectionCode = Exclude<LookupFailure, 'ANSWER_MALFORMED' | 'UNAVAILABLE'>;

export type Answer =
  | { kind: 'answer'; bytes: Uint8Array }
  | { kind: 'not-found' }
  | { kind: 'refused'; code: RejectionCode; retryAfterSeconds?: number | undefined };

/** JSON, or raw bytes: a full bundle of the ledger holds 256 entries of at most 4 KiB. */
export type AnswerForm = 'json' | 'bytes';

export const maxAnswerBytes = 256 * 1024;
const largest: Readonly<Record<AnswerForm, number>> = { json: maxAnswerBytes, bytes: 1025 * 1024 };

class Rejection extends Error {
  readonly code: RejectionCode;
  readonly retryAfterSeconds: number | undefined;
  constructor(code: RejectionCode, retryAfterSeconds?: number) {
    super(code);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Never rejects, and settles by the deadline in any case. */
export async function guardedGet(url: URL, guard: Guard, form: AnswerForm = 'json'): Promise<Answer> {
  const deadline = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  // AbortSignal.timeout is unsuitable: its timer does not keep the process alive, which would end without an answer.
  const timer = setTimeout(() => {
    reject(new Rejection('TIMED_OUT'));
    deadline.abort();
  }, guard.requestTimeoutMillis);
  try {
    return await Promise.race([ask(url, guard, form, deadline.signal), late]);
  } catch (problem) {
    if (!(problem instanceof Rejection)) return { kind: 'refused', code: 'CONNECTION_FAILED' };
    return { kind: 'refused', code: problem.code, retryAfterSeconds: problem.retryAfterSeconds };
  } finally {
    clearTimeout(timer);
  }
}

async function ask(url: URL, guard: Guard, form: AnswerForm, deadline: AbortSignal): Promise<Answer> {
  const isHttpFine = guard.allowHttp || isNamedLoopback(url, guard);
  if (url.protocol !== 'https:' && !(isHttpFine && url.protocol === 'http:')) throw new Rejection('SCHEME_REFUSED');
  if (!isAllowedHost(url, guard.allowedHosts)) throw new Rejection('HOST_NOT_ALLOWED');
  const addresses = await resolveOnce(url, guard);
  deadline.throwIfAborted();
  return await exchange({ url, addresses, form }, guard, deadline);
}

/** Loopback named by the caller: it cannot be intercepted. */
const isNamedLoopback = (url: URL, { loopbackHosts = [] }: Guard): boolean =>
  isLoopbackHost(url.hostname) && loopbackHosts.includes(url.host);

const isAllowedHost = (url: URL, allowed: readonly string[]): boolean =>
  url.username === '' && url.password === '' && (allowed.includes(url.hostname) || allowed.includes(url.host));

const running = new Map<string, Promise<LookupAddress[]>>();

/**
 * A look-up cannot be aborted: it occupies a thread, and keeps the process alive, until the system's resolver stops.
 * The resolver is therefore limited to about a request's time (two attempts of a second per server, unless configured
 * otherwise), and concurrent requests for one name share one look-up.
 */
function lookUp(host: string): Promise<LookupAddress[]> {
  process.env.RES_OPTIONS ??= 'timeout:1 attempts:2';
  const found = running.get(host) ?? lookup(host, { all: true }).finally(() => running.delete(host));
  running.set(host, found);
  return found;
}

async function resolveOnce(url: URL, guard: Guard): Promise<LookupAddress[]> {
  const { resolve = lookUp, allowPrivateAddresses } = guard;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  const unresolved = () => Promise.reject(new Rejection('NAME_NOT_RESOLVED'));
  const addresses = family === 0 ? await resolve(host).catch(unresolved) : [{ address: host, family }];
  if (addresses.length === 0) throw new Rejection('NAME_NOT_RESOLVED');
  const isFitting = isNamedLoopback(url, guard) ? isLoopbackAddress : isPublicAddress;
  // A single bad address rejects the name: it may be the next one used.
  const isAcceptable = addresses.every(({ address }) => isFitting(address));
  if (!isAcceptable && !allowPrivateAddresses) throw new Rejection('ADDRESS_REFUSED');
  return addresses;
}

/** Pins the connection to the checked addresses, regardless of the name. */
const pinned =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };

type Question = { readonly url: URL; readonly addresses: readonly LookupAddress[]; readonly form: AnswerForm };

async function exchange({ url, addresses, form }: Question, guard: Guard, deadline: AbortSignal): Promise<Answer> {
  const isHttps = url.protocol === 'https:';
  const agent = isHttps ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false });
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options = {
    agent,
    lookup: pinned(addresses),
    signal: deadline,
    // Explicit, because an environment variable can disable the default.
    rejectUnauthorized: true,
    maxHeaderSize: 16 * 1024,
    headers: {
      accept: form === 'json' ? 'application/json' : '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'recordproof-verify',
    },
    ca: guard.ca,
  };
  const request = isHttps ? requestHttps(url, options, resolve) : requestHttp(url, options, resolve);
  const slow = setTimeout(() => request.destroy(new Rejection('TIMED_OUT')), guard.connectTimeoutMillis);
  request.on('socket', socket => socket.once(isHttps ? 'secureConnect' : 'connect', () => clearTimeout(slow)));
  request.on('error', reject);
  // Also covers a connection that ends without answer or error: 101 Switching Protocols is no answer.
  request.on('close', () => reject(new Rejection('CONNECTION_FAILED')));
  request.end();
  try {
    return await readAnswer(await promise, form);
  } finally {
    clearTimeout(slow);
    request.destroy();
    agent.destroy();
  }
}

async function readAnswer(response: IncomingMessage, form: AnswerForm): Promise<Answer> {
  const status = response.statusCode ?? 0;
  if (status >= 300 && status < 400) throw new Rejection('REDIRECT_REFUSED');
  if (status === 404) return { kind: 'not-found' };
  if (status !== 200) throw new Rejection('ANSWER_NOT_OK', findRetryAfter(status, response));
  if (!isOfForm(response, form)) throw new Rejection('MEDIA_TYPE_REFUSED');
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > largest[form]) throw new Rejection('ANSWER_TOO_LARGE');
    parts.push(part);
  }
  if (!response.complete) throw new Rejection('CONNECTION_FAILED');
  return { kind: 'answer', bytes: Buffer.concat(parts) };
}

/** The Retry-After of an answer. */
function findRetryAfter(status: number, { headers }: IncomingMessage): number | undefined {
  const text = headers['retry-after'] ?? '';
  return (status === 429 || status === 503) && /^[0-9]{1,6}$/.test(text) ? Number(text) : undefined;
}

function isOfForm({ headers }: IncomingMessage, form: AnswerForm): boolean {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') return false;
  return form === 'bytes' || /^application\/(?:json|[a-z0-9!#$&^_.+-]+\+json)$/.test(type.trim().toLowerCase());
}
