// Link of a share: made from its code, and the code read from what a person pastes.
import { sharePagePrefix } from '@recordproof/shared/api/share-pages.ts';
import { shareCodePattern } from '@recordproof/shared/api/shares.ts';

export const toShareLink = (serverUrl: string, code: string): string =>
  `${serverUrl.replace(/\/+$/, '')}${sharePagePrefix}${encodeURIComponent(code)}`;

export function findShareCode(text: string): string | undefined {
  const code = text
    .trim()
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .split('/')
    .at(-1);
  return code !== undefined && shareCodePattern.test(code) ? code : undefined;
}

/** A loopback address, which other devices cannot reach. */
export function isLoopback(serverUrl: string): boolean {
  const host = URL.parse(serverUrl)?.hostname ?? '';
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}
