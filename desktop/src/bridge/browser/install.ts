// Installation of the app in a browser: the service worker, and files that other apps share with it, which the worker
// has put into a cache. Only these cached files belong to a user; they are deleted when the user signs out.
import type { SessionState, SharedFiles, Watched } from '../bridge.ts';
import { toScriptUrl } from './workers.ts';

const sharedCache = 'recordproof-shared';

/** A browser without service workers, or that refuses this one, shows the app all the same. */
export function installApp(state: Watched<SessionState>): void {
  if (!('serviceWorker' in navigator)) return;
  const url = toScriptUrl('service-worker');
  navigator.serviceWorker.register(url, { scope: '/app' }).catch(() => undefined);
  state.watch(() => {
    const now = state.get();
    if (now.kind === 'signed-out' && !now.ended) void sharedFiles.forget();
  });
}

export const sharedFiles: SharedFiles = {
  async read() {
    if (!('caches' in globalThis)) return [];
    const cache = await caches.open(sharedCache);
    const found: File[] = [];
    for (const request of await cache.keys()) {
      const response = await cache.match(request);
      const name = response?.headers.get('x-file-name');
      if (!response || !name) continue;
      const type = response.headers.get('content-type') ?? '';
      found.push(new File([await response.blob()], decodeURIComponent(name), { type }));
    }
    return found;
  },
  async forget() {
    if ('caches' in globalThis) await caches.delete(sharedCache);
  },
};
