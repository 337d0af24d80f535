// Early requests of the page: the session and what the first screen shows, sent while the script of the app still
// loads. The app's own requests take these answers, each once. What has failed, has expired or belongs to a session
// that another tab has ended is not taken: the app then sends its own request. Loads first, so it imports only types;
// its test compares it with the contracts.
import type { Fetch } from '@recordproof/shared/api/client.ts';

type Early = { readonly answer: Promise<Response>; readonly stop: AbortController };

type EarlyRequests = { readonly fetch: Fetch; readonly forget: () => void };

const accept = 'application/json, */*;q=0.5';

/** The list at the top, with its folders. A folder or a search that the address names is left to the app. */
const listsOf = (hash: string): string[] =>
  /^(#\/?(files)?)?$/.test(hash)
    ? ['/api/v1/files?page=1&size=100&sort=createdAt%2Cdesc&folder=', '/api/v1/files/folders?path=&limit=200']
    : [];

const keyOf = (url: string, { method, headers }: RequestInit): string =>
  `${method} ${url} ${new Headers(headers).get('authorization')}`;

/** Undefined without a signed-in user. */
async function readToken(response: Response): Promise<string | undefined> {
  const token = response.ok && (await response.json()).data?.token;
  return typeof token === 'string' ? token : undefined;
}

/** `baseUrl` as the client has it; `hash` is that of the address. */
export function sendEarlyRequests(fetch: Fetch, baseUrl: string, hash: string): EarlyRequests {
  const untaken = new Map<string, Early>();
  let isOver = false;

  function send(path: string, options: RequestInit, onAnswer?: (response: Response) => Promise<void>): void {
    const stop = new AbortController();
    const init: RequestInit = { method: 'GET', redirect: 'manual', ...options };
    const answer = fetch(baseUrl + path, { ...init, signal: stop.signal }).then(async response => {
      await onAnswer?.(response.clone());
      return response;
    });
    answer.catch(() => undefined); // reported by the app's own request
    untaken.set(keyOf(baseUrl + path, init), { answer, stop });
  }

  // Resolves once the other requests are sent, so that the app does not send them again.
  const session = { method: 'PUT', headers: { accept, 'X-RecordProof-App': 'browser' } };
  send('/api/v1/auth/browser-session', session, async response => {
    const token = await readToken(response);
    if (token === undefined || isOver) return;
    const authorization = `Bearer ${token}`;
    // Events from before the list: what changes afterwards is not missed.
    send('/api/v1/sse/connect', { headers: { accept: 'text/event-stream', authorization } });
    for (const path of ['/api/v1/auth/me', ...listsOf(hash)]) send(path, { headers: { accept, authorization } });
  });

  async function take(url: string, init: RequestInit): Promise<Response> {
    const key = keyOf(url, init);
    const early = untaken.get(key);
    if (!early) return fetch(url, init);
    untaken.delete(key);
    const { signal } = init;
    const stop = () => early.stop.abort(signal?.reason);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
    return early.answer.catch(error => {
      if (signal?.aborted) throw error;
      return fetch(url, init);
    });
  }

  function forget(): void {
    isOver = true;
    for (const { stop } of untaken.values()) stop.abort();
    untaken.clear();
  }

  return { fetch: take, forget };
}
