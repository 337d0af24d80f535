import { bytesToHex } from '@noble/hashes/utils.js';

/** A digest as the server writes it. */
export const hashNameOf = (digest: Uint8Array): string => `sha256:${bytesToHex(digest)}`;
