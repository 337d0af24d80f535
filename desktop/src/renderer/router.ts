// Where we are in the app, in the part of the address that never leaves the browser: `#/shares`, `#/files?folder=a%2Fb`.
import { useSyncExternalStore } from 'react';

type Place = { readonly path: string; readonly query: URLSearchParams };

const watch = (changed: () => void): (() => void) => {
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
};

function parse(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  return { path, query: new URLSearchParams(query) };
}

export function usePlace(): Place {
  return parse(useSyncExternalStore(watch, () => location.hash));
}

export function toHref(path: string, query: Readonly<Record<string, string>> = {}): string {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return `#/${path}${text === '' ? '' : `?${text}`}`;
}

export function go(path: string, query?: Readonly<Record<string, string>>): void {
  location.hash = toHref(path, query);
}
