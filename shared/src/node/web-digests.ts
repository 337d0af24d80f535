// Digests as the web writes them: of what a page may run, and of what a browser may have already.
import { createHash } from 'node:crypto';

/** The one text that a content security policy lets through. */
export const toPolicySource = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export const toEtag = (bytes: Uint8Array): string =>
  `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
