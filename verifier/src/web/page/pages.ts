// Routes of the page and their policies. The page that verifies in the browser may not connect anywhere; the one that
// sends files may connect to this service only.
import { toEtag } from '@recordproof/shared/node/web-digests.ts';
import { once } from '@recordproof/shared/once.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import type { PageSources } from './build-page.ts';
import { type PageMode, toPageHtml } from './page-html.ts';

export type Page = { type: string; bytes: Uint8Array; etag: string; headers: Readonly<Record<string, string>> };

export type Pages = { get(path: string, query: string, language: Language): Promise<Page> };

const script = 'text/javascript; charset=utf-8';
const document = 'text/html; charset=utf-8';

export const pagePaths = ['/', '/verifier.html', '/assets/page.js', '/assets/worker.js', '/assets/page.css'] as const;

const base = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const pagePolicy = (connect: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; worker-src 'self'; connect-src ${connect}; ${base}`;
const assetPolicy = `default-src 'none'; ${base}`;

/** `load` is called on the first request, and again only if it failed. */
export function openPages(load: () => Promise<PageSources>, isOnline: boolean): Pages {
  const sources = once(load);
  const cache = new Map<string, Page>();
  return {
    async get(path, query, language) {
      const through = path === '/' && new URLSearchParams(query).get('through') === 'service' ? 'service' : 'browser';
      const key = `${path} ${through} ${language}`;
      const page = cache.get(key);
      if (page !== undefined) return page;
      const made = make(path, { kind: 'served', through, isOnline }, await sources(), language);
      cache.set(key, made);
      return made;
    },
  };
}

function make(path: string, mode: PageMode & { kind: 'served' }, sources: PageSources, language: Language): Page {
  switch (path) {
    case '/assets/page.js':
      return toPage(script, sources.script, assetPolicy);
    // A worker has the policy of its own response.
    case '/assets/worker.js':
      return toPage(script, sources.worker, assetPolicy);
    case '/assets/page.css':
      return toPage('text/css; charset=utf-8', sources.styles, assetPolicy);
    case '/verifier.html':
      return toPage(document, toPageHtml({ kind: 'saved' }, sources, language), assetPolicy, {
        'content-disposition': 'attachment; filename="recordproof-verifier.html"',
      });
    default: {
      const connect = mode.through === 'service' ? "'self'" : "'none'";
      return toPage(document, toPageHtml(mode, sources, language), pagePolicy(connect));
    }
  }
}

function toPage(type: string, text: string, policy: string, headers: Readonly<Record<string, string>> = {}): Page {
  const bytes = Buffer.from(text);
  return {
    type,
    bytes,
    etag: toEtag(bytes),
    headers: { 'content-security-policy': policy, vary: 'accept-language', ...headers },
  };
}
