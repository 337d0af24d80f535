// Links of the scheme recordproof:. Anyone can make one, so a link only opens a screen, with checked parameters; it fetches
// and changes nothing.
import { shareCodePattern } from '@recordproof/shared/api/shares.ts';
import type { DeepLink } from '../bridge/bridge.ts';

export const scheme = 'recordproof';

export function parseLink(text: string): DeepLink | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== `${scheme}:` || url.username || url.password || url.port) return undefined;
  if (url.hostname === 'verify' && ['', '/'].includes(url.pathname)) return { kind: 'verify' };
  if (url.hostname !== 'share') return undefined;
  const code = url.pathname.slice(1);
  return shareCodePattern.test(code) ? { kind: 'share', code } : undefined;
}

/** Among the arguments of a second start. */
export function findLink(words: readonly string[]): DeepLink | undefined {
  const links = words.filter(word => word.startsWith(`${scheme}:`)).map(parseLink);
  return links.find(link => link !== undefined);
}
