// Digests of the fixed texts in a proof archive, frozen for format RP-SIGNED-PROOF-ZIP-V2.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { readmeBytes, verificationPolicyBytes } from './proof-texts.ts';

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

// Archives are put together anew at every export, and signed manifests name these digests: with other texts a proof of
// today would not verify tomorrow. They never change within RP-SIGNED-PROOF-ZIP-V2; a new text is a new version beside it.
test('the fixed texts of an archive equal those of the first archive of this version', () => {
  expect(digestOf(verificationPolicyBytes)).toBe('71a3d85c380673e35ac75f6e67d7293fd582271d0d431d8a2c6d8dbd19fe6836');
  expect(digestOf(readmeBytes)).toBe('f80b489af947c4fdf0cdb1c73fe98bffe8464fcedf54810040450ee3f68a7102');
});
