// A minimal browser for sign-ins: it keeps cookies by their paths and follows redirects one at a time.
import { appHeader } from '@recordproof/shared/api/auth.ts';

type Cookie = { readonly value: string; readonly path: string };

export class CookieBrowser {
  readonly cookies = new Map<string, Cookie>();
  readonly #origin: string;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** A request; redirects are not followed. */
  async send(address: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(address, this.#origin);
    const isOwn = url.origin === this.#origin;
    const sent = [...this.cookies].filter(([, { path }]) => isOwn && url.pathname.startsWith(path));
    const headers = new Headers(init.headers);
    if (sent.length > 0) headers.set('cookie', sent.map(([name, { value }]) => `${name}=${value}`).join('; '));
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    if (isOwn) for (const line of response.headers.getSetCookie()) this.#keep(line);
    return response;
  }

  /** A call of the app, and its answer. */
  async ask(method: string, path: string, body?: unknown, token?: string): Promise<{ status: number; data: unknown }> {
    const headers = {
      [appHeader]: 'browser',
      'sec-fetch-site': 'same-origin',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const response = await this.send(path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, data: ((await response.json()) as { data: unknown }).data };
  }

  /** Follows redirects up to one without a server: a page of the app, or the port of a program. */
  async follow(address: string, isEnd: (url: URL) => boolean = ({ pathname }) => pathname === '/app'): Promise<URL> {
    let url = new URL(address, this.#origin);
    while (!isEnd(url) && !url.pathname.startsWith('/app/')) {
      const response = await this.send(url.href);
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${url.pathname} answered ${response.status} without a redirect`);
      url = new URL(location, url);
    }
    return url;
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ');
    const at = pair.indexOf('=');
    const name = pair.slice(0, at);
    const path = attributes.find(one => one.startsWith('Path='))?.slice('Path='.length) ?? '/';
    if (attributes.includes('Max-Age=0')) this.cookies.delete(name);
    else this.cookies.set(name, { value: pair.slice(at + 1), path });
  }
}
