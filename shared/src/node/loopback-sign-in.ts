// Sign-in of a program through a provider: listens on a loopback port, opens a browser and exchanges the returned code
// (RFC 8252, with PKCE). Requests with another state are answered and ignored.
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, TransportError } from '../api/client.ts';
import type { AnswerOf, BodyOf } from '../api/endpoint.ts';
import { ApiError } from '../api/errors.ts';
import { exchangeSignInCode, startLoopbackSignIn } from '../api/program-sign-in.ts';
import {
  finishProviderStepUp,
  type SignInProblem,
  signInProblems,
  startProviderStepUp,
} from '../api/single-sign-on.ts';

type Waiting = {
  /** Opens the URL in a browser. */
  readonly open: (url: string) => unknown;
  readonly signal?: AbortSignal;
};

/** The provider or the server rejected the sign-in. */
export class SignInRejected extends Error {
  readonly problem: SignInProblem;

  constructor(problem: SignInProblem) {
    super(`the sign-in was rejected: ${problem}`);
    this.name = 'SignInRejected';
    this.problem = problem;
  }
}

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>RecordProof</title>
<p>RecordProof: you can close this page and return to the program.</p><p lang="zh">RecordProof：您可以关闭此页面并返回程序。</p>`;

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  connection: 'close',
};

const newSecret = (): string => randomBytes(32).toString('base64url');
const isProblem = (text: string | null): text is SignInProblem => signInProblems.some(problem => problem === text);

/** Waits for the browser's request with the right state. */
function listenFor(state: string) {
  const answered = Promise.withResolvers<URLSearchParams>();
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const url = URL.parse(request.url ?? '', 'http://127.0.0.1');
    const isOurs = request.method === 'GET' && url?.pathname === '/' && url.searchParams.get('state') === state;
    response.writeHead(isOurs ? 200 : 404, headers).end(isOurs ? page : '');
    if (isOurs) answered.resolve(url.searchParams);
  };
  return { server: createServer(answer), answered };
}

/** The URL is passed to a system program, which would open anything. */
function toWebAddress(url: string): string {
  const { protocol } = new URL(url);
  if (/^https?:$/.test(protocol)) return url;
  throw new TransportError('not-recordproof', `the server sent a sign-in page at ${protocol} instead of https:`);
}

type Steps<T> = {
  start(loopback: BodyOf<typeof startLoopbackSignIn>): Promise<AnswerOf<typeof startProviderStepUp>>;
  finish(body: BodyOf<typeof exchangeSignInCode>): Promise<T>;
};

async function waitForBrowser<T>({ open, signal }: Waiting, { start, finish }: Steps<T>): Promise<T> {
  const state = newSecret();
  const codeVerifier = newSecret();
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const { server, answered } = listenFor(state);
  const stop = () => answered.reject(signal?.reason);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  try {
    signal?.throwIfAborted();
    signal?.addEventListener('abort', stop, { once: true });
    const { port } = server.address() as AddressInfo;
    const { url, expiresIn } = await start({ port, codeChallenge, state });
    const late = setTimeout(() => answered.reject(new SignInRejected('expired')), expiresIn * 1000).unref();
    await open(toWebAddress(url));
    const query = await answered.promise.finally(() => clearTimeout(late));
    const problem = query.get('problem');
    if (isProblem(problem)) throw new SignInRejected(problem);
    const code = query.get('code');
    if (code === null) throw new ApiError('AUTH_CODE_ERROR', 'the browser brought no code: begin the sign-in again');
    return await finish({ code, codeVerifier });
  } finally {
    signal?.removeEventListener('abort', stop);
    server.close();
  }
}

export const signInByLoopback = (client: Client, { provider, ...waiting }: Waiting & { readonly provider: string }) =>
  waitForBrowser(waiting, {
    start: body => client.call(startLoopbackSignIn, { params: { provider }, body }),
    finish: body => client.call(exchangeSignInCode, { body }),
  });

/** Step-up at the provider of the client's session, which is fresh afterwards. */
export const stepUpByLoopback = (client: Pick<Client, 'call'>, waiting: Waiting) =>
  waitForBrowser(waiting, {
    start: loopback => client.call(startProviderStepUp, { body: { loopback } }),
    finish: body => client.call(finishProviderStepUp, { body }),
  });
