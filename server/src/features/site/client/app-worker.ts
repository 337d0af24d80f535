// Service worker of the app: caches its page and its own files for visits without a network, and receives files that
// other apps share. It handles nothing else: API calls bypass it, and their answers are never cached.

type Waiting = Event & { waitUntil(work: Promise<unknown>): void };
type Fetching = Event & { readonly request: Request; respondWith(answer: Promise<Response>): void };

const page = '/app';
const files = '/app/assets/';
const shareTarget = '/app/share';
const appCache = 'recordproof-app';
const sharedCache = 'recordproof-shared';
/** Some releases of the app, the oldest first to go. */
const mostFiles = 200;
const mostShared = 100;

addEventListener('install', event => {
  (event as Waiting).waitUntil(install());
});

addEventListener('fetch', event => {
  const { request, respondWith } = event as Fetching;
  const { origin, pathname } = new URL(request.url);
  if (origin !== location.origin) return;
  const answer = answerOf(request, pathname);
  if (answer !== null) respondWith.call(event, answer());
});

/** Null for all other requests, which the browser handles as without a worker. */
function answerOf(request: Request, pathname: string): (() => Promise<Response>) | null {
  if (request.method === 'POST') return pathname === shareTarget ? () => takeShared(request) : null;
  if (request.method !== 'GET' || request.headers.has('range')) return null;
  if (pathname === page && request.mode === 'navigate') return () => openPage(request);
  return pathname.startsWith(files) && pathname.endsWith('.js') ? () => openFile(request) : null;
}

/** The initial files of the page, which were loaded before this worker was installed. */
async function install(): Promise<void> {
  const response = await fetch(page);
  if (!isWhole(response)) return;
  const text = await response.clone().text();
  const cache = await caches.open(appCache);
  await cache.put(page, response);
  const names = new Set([...text.matchAll(/"(\/app\/assets\/[\w.-]+\.js)"/g)].map(([, name = '']) => name));
  names.delete(location.pathname);
  await Promise.all([...names].map(async name => keep(cache, name, await fetch(name))));
}

const isWhole = ({ ok, type, redirected }: Response): boolean => ok && type === 'basic' && !redirected;

async function keep(cache: Cache, key: string, response: Response): Promise<void> {
  if (isWhole(response)) await cache.put(key, response);
}

/** From the network, so that a new release is used at once; from the cache if the server is unreachable. */
async function openPage(request: Request): Promise<Response> {
  const cache = await caches.open(appCache);
  try {
    const response = await fetch(request);
    await keep(cache, page, response.clone()).catch(() => undefined); // a full disk
    return response;
  } catch (error) {
    const kept = await cache.match(page);
    if (kept === undefined) throw error;
    return kept;
  }
}

/** File names depend on the content, so cached files never change. */
async function openFile(request: Request): Promise<Response> {
  const cache = await caches.open(appCache);
  const { pathname } = new URL(request.url);
  const kept = await cache.match(pathname);
  if (kept !== undefined) return kept;
  const response = await fetch(request);
  if (isWhole(response)) {
    await cache.put(pathname, response.clone()).catch(() => undefined);
    const cachedRequests = await cache.keys();
    for (const old of cachedRequests.slice(0, Math.max(0, cachedRequests.length - mostFiles))) await cache.delete(old);
  }
  return response;
}

/**
 * Cached until the app asks the user whether to upload them. Any page can send such a form: nothing is uploaded
 * without confirmation.
 */
async function takeShared(request: Request): Promise<Response> {
  const form = await request.formData();
  const shared = form.getAll('files').filter(value => value instanceof File);
  await caches.delete(sharedCache);
  const cache = await caches.open(sharedCache);
  for (const [at, file] of shared.slice(0, mostShared).entries()) {
    const headers = { 'content-type': file.type, 'x-file-name': encodeURIComponent(file.name) };
    await cache.put(`${shareTarget}/${at}`, new Response(file, { headers }));
  }
  return Response.redirect(`${page}#/files?shared=${shared.length}`, 303);
}
