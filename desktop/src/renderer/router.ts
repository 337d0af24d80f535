// Router: the screen is named by the hash of the address, which never leaves the browser: `#/shares`, `#/share/7gK2mQ9xTb4R`,
// `#/files?folder=a%2Fb`.
import { useSyncExternalStore } from 'react';

/** `path` is the screen, `rest` its parameters. */
type Route = { readonly path: string; readonly rest: string; readonly query: URLSearchParams };

const watch = (changed: () => void): (() => void) => {
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
};

function parse(hash: string): Route {
  const [where = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [path = '', ...rest] = where.split('/');
  return { path, rest: rest.join('/'), query: new URLSearchParams(query) };
}

export function useRoute(): Route {
  return parse(useSyncExternalStore(watch, () => location.hash));
}

/** Forms before sign-in. */
const signInForms: readonly string[] = ['register', 'reset', 'sign-in-link'];

/** The address names a screen; otherwise the first one is shown. */
export const namesScreen = (path: string): boolean => path !== '' && !signInForms.includes(path);

/** The screen after sign-in: the one in the address, kept by the forms before it. */
export function toTarget({ path, rest, query }: Pick<Route, 'path' | 'rest' | 'query'>): string {
  if (signInForms.includes(path)) return query.get('next') ?? '';
  return rest === '' ? path : `${path}/${rest}`;
}

export function toHref(path: string, query: Readonly<Record<string, string>> = {}): string {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return `#/${path}${text === '' ? '' : `?${text}`}`;
}

export function go(path: string, query?: Readonly<Record<string, string>>): void {
  location.hash = toHref(path, query);
}

/**
 * Changes parts of the query of the current screen; an empty text removes one. `push`: the back button leads to the
 * state before it.
 */
export function changeQuery(change: Readonly<Record<string, string>>, how: 'push' | 'replace' = 'replace'): void {
  const { path, rest, query } = parse(location.hash);
  const where = path === '' ? 'files' : path;
  const href = toHref(rest === '' ? where : `${where}/${rest}`, { ...Object.fromEntries(query), ...change });
  if (how === 'push') location.hash = href;
  else location.replace(href);
}
