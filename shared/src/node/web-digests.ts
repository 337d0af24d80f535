// Digests in web formats: content security policy sources and ETags.
import { createHash } from 'node:crypto';

/** The policy source that permits exactly this text. */
export const toPolicySource = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export const toEtag = (bytes: Uint8Array): string =>
  `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
