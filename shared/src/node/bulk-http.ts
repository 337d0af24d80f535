// Bulk HTTP with node:http, for the bytes of parts and downloads. Compared with fetch and undici on one machine it took
// a third to a half of the processor time and the least memory (docs/decisions/0182-undici-and-node-http.md).
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { SecureContext } from 'node:tls';
import { type Http, type HttpAnswer, HttpBroken, type SendRequest } from '../transfer/ports.ts';
import { findConnectionProblem } from './connection-problem.ts';
import { noProxies, type Proxies } from './proxies.ts';

export type BulkHttp = Http & Disposable;

type BulkHttpOptions = {
  /** Time limit for a connection without traffic. */
  readonly idleSeconds?: number;
  readonly proxies?: Proxies;
  readonly secureContext?: SecureContext;
  readonly userAgent?: string;
};

const usualAnswerBytes = 64 * 1024;
const maxHeaderBytes = 32 * 1024;
const maxConnections = 32;
/** Time limit for connecting. */
const connectSeconds = 10;

const isTaken = (status: number): boolean => status >= 200 && status < 300;

function toHeaders(response: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(response.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return headers;
}

const broken = (cause: unknown): HttpBroken => {
  const { code, message } = cause as { code?: string; message?: string };
  return new HttpBroken(`the connection broke: ${code ?? message ?? String(cause)}`, cause);
};

type Broken = typeof broken;

async function readSmall(
  response: IncomingMessage,
  signal: AbortSignal,
  mostBytes = usualAnswerBytes,
): Promise<Uint8Array<ArrayBuffer>> {
  const blocks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const block of response as AsyncIterable<Buffer>) {
      bytes += block.length;
      if (bytes > mostBytes) break;
      blocks.push(block);
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : broken(error);
  }
  return new Uint8Array(Buffer.concat(blocks));
}

async function* readBlocks(response: IncomingMessage): AsyncIterable<Uint8Array> {
  try {
    yield* response as AsyncIterable<Buffer>;
  } catch (error) {
    throw broken(error);
  }
}

/** Rejects with what ended the request: the caller's signal or a broken connection. */
function responseOf(request: ClientRequest, signal: AbortSignal, toBroken: Broken): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', error => reject(signal.aborted ? signal.reason : toBroken(error)));
    request.on('close', () => reject(signal.aborted ? signal.reason : broken(new Error('closed without an answer'))));
  });
}

function limitConnecting(request: ClientRequest): void {
  request.on('socket', socket => {
    if (!socket.connecting) return;
    const giveUp = () => request.destroy(new Error(`it could not be reached within ${connectSeconds} seconds`));
    const timer = setTimeout(giveUp, connectSeconds * 1000);
    const stop = () => clearTimeout(timer);
    socket.once('connect', stop);
    request.once('close', stop);
  });
}

function openAgents({ proxies = noProxies, secureContext }: BulkHttpOptions) {
  const pool = {
    keepAlive: true,
    maxSockets: maxConnections,
    scheduling: 'fifo' as const,
    proxyEnv: { HTTP_PROXY: proxies.http, HTTPS_PROXY: proxies.https ?? proxies.http, NO_PROXY: proxies.none },
  };
  return { http: new HttpAgent(pool), https: new HttpsAgent({ ...pool, ...(secureContext && { secureContext }) }) };
}

/**
 * Resolves to true when the block has left this process, so that its memory can be reused; to false if the connection
 * accepts no more, for a reason contained in the response.
 */
const write = (request: ClientRequest, block: Uint8Array): Promise<boolean> =>
  new Promise(resolve => {
    request.write(block, error => resolve(!error));
  });

/** Rejects only with an error of the body itself. */
async function writeBody(request: ClientRequest, { body }: SendRequest, isAnswered: () => boolean): Promise<void> {
  for await (const block of body) {
    if (isAnswered() || request.destroyed || !(await write(request, block))) return;
  }
  request.end();
}

export function openBulkHttp(options: BulkHttpOptions = {}): BulkHttp {
  const { idleSeconds = 60, proxies = noProxies } = options;
  const agents = openAgents(options);
  const brokenAt =
    (url: string): Broken =>
    cause => {
      const problem = findConnectionProblem(cause, url, proxies);
      return problem ? new HttpBroken(`no way to ${new URL(url).host}: ${problem.text}`, cause) : broken(cause);
    };

  function open(
    method: 'GET' | SendRequest['method'],
    url: string,
    headers: Readonly<Record<string, string | number>>,
    signal: AbortSignal,
  ): ClientRequest {
    signal.throwIfAborted();
    const isPlain = new URL(url).protocol === 'http:';
    const more = options.userAgent ? { 'user-agent': options.userAgent } : {};
    const request = (isPlain ? httpRequest : httpsRequest)(url, {
      method,
      headers: { ...more, ...headers },
      agent: isPlain ? agents.http : agents.https,
      maxHeaderSize: maxHeaderBytes,
      signal,
    });
    limitConnecting(request);
    request.setTimeout(idleSeconds * 1000, () =>
      request.destroy(new Error(`nothing has moved for ${idleSeconds} seconds`)),
    );
    return request;
  }

  async function send(input: SendRequest): Promise<HttpAnswer> {
    const request = open(input.method, input.url, { ...input.headers, 'content-length': input.size }, input.signal);
    let isAnswered = false;
    const answered = responseOf(request, input.signal, brokenAt(input.url)).finally(() => {
      isAnswered = true;
    });
    answered.catch(() => undefined);
    const bodyFailed = new Promise<never>((_resolve, reject) => {
      writeBody(request, input, () => isAnswered).catch(reject);
    });
    try {
      const response = await Promise.race([answered, bodyFailed]);
      const body = await readSmall(response, input.signal, input.mostAnswerBytes);
      return { status: response.statusCode ?? 0, headers: toHeaders(response), body };
    } finally {
      // After a response that came before the end of the body the connection cannot be reused.
      if (!request.writableFinished) request.destroy();
    }
  }

  return {
    send,
    async get({ url, headers, signal }) {
      const request = open('GET', url, headers, signal);
      request.end();
      const response = await responseOf(request, signal, brokenAt(url));
      const status = response.statusCode ?? 0;
      const head = { status, headers: toHeaders(response) };
      if (isTaken(status)) return { ...head, body: new Uint8Array(), blocks: readBlocks(response) };
      const none = (async function* () {})();
      return { ...head, body: await readSmall(response, signal), blocks: none };
    },
    [Symbol.dispose]() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}
