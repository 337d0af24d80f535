// The operations of OpenTimestamps on a message, and their limits (docs/spec/vouchers.md section 10).
import { ripemd160, sha1 } from '@noble/hashes/legacy.js';
import { concatBytes, sha256, toHex, toUtf8 } from './digest.ts';

export const maxMessageBytes = 4096;

export const operationTags = {
  sha1: 0x02,
  ripemd160: 0x03,
  sha256: 0x08,
  append: 0xf0,
  prepend: 0xf1,
  reverse: 0xf2,
  hexlify: 0xf3,
} as const;

export type OtsOperation =
  | { readonly kind: 'append' | 'prepend'; readonly argument: Uint8Array }
  | { readonly kind: 'sha1' | 'ripemd160' | 'sha256' | 'reverse' | 'hexlify' };

export const append = (argument: Uint8Array): OtsOperation => ({ kind: 'append', argument });
export const prepend = (argument: Uint8Array): OtsOperation => ({ kind: 'prepend', argument });

/** Throws RangeError if the message or the result exceeds the limit. */
export function applyOperation(operation: OtsOperation, message: Uint8Array): Uint8Array {
  const result = compute(operation, message);
  if (message.length > maxMessageBytes || result.length > maxMessageBytes)
    throw new RangeError(`a message of a time stamp has at most ${maxMessageBytes} bytes`);
  return result;
}

function compute(operation: OtsOperation, message: Uint8Array): Uint8Array {
  switch (operation.kind) {
    case 'append':
      return concatBytes(message, operation.argument);
    case 'prepend':
      return concatBytes(operation.argument, message);
    case 'reverse':
      return message.toReversed();
    case 'hexlify':
      return toUtf8(toHex(message));
    case 'sha1':
      return sha1(message);
    case 'ripemd160':
      return ripemd160(message);
    case 'sha256':
      return sha256(message);
  }
}
