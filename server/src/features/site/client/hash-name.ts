// Digest of a file in the form of the API.
import { bytesToHex } from '@noble/hashes/utils.js';

/** A digest in the server's format. */
export const hashNameOf = (digest: Uint8Array): string => `sha256:${bytesToHex(digest)}`;
