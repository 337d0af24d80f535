// The two fixed texts of every proof archive. They are part of RP-SIGNED-PROOF-ZIP-V2: a verifier compares them byte
// for byte, so any change requires a new archive version.
import { canonicalBytes } from './canonical-json.ts';
import { toUtf8 } from './digest.ts';

export const verificationPolicyBytes: Uint8Array = canonicalBytes({
  schemaVersion: 'service-proof-verification-policy.v1',
  archiveFormat: 'RP-SIGNED-PROOF-ZIP-V2',
  signatureSuite: 'JWS-EDDSA-ED25519-V1',
  proofSuite: 'RP-MERKLE-SHA256-V1',
  digestAlgorithm: 'SHA-256',
  trust: {
    keySource: 'CALLER',
    embeddedKeys: 'NEVER_TRUSTED',
    embeddedLocations: 'NEVER_FOLLOWED',
  },
  validRequires: [
    'CONTENT_HASH',
    'CHUNK_HASHES',
    'MANIFEST_HASH',
    'MERKLE_PATH',
    'TRUSTED_SIGNATURE',
    'STATUS_ACTIVE',
    'LIVE_CHAIN_ROOT',
  ],
  offlineOutcome: 'INDETERMINATE',
});

export const readmeBytes: Uint8Array = toUtf8(`# How to check this proof

This archive says that one file, byte for byte, was recorded by its issuer, and that the record was anchored in a
public log together with others. It holds no part of the file itself.

## What you need

1. The original file.
2. This archive, unchanged.
3. The issuer's public key, obtained from the issuer by a way that you trust. A key or an address found inside this
   archive proves nothing: whoever forges an archive also forges those.

## With the verifier

    recordproof-verify --file ORIGINAL --proof ARCHIVE.zip --trusted-key KEY.json

Without a network the best possible answer is INDETERMINATE: everything that can be checked at your desk agrees, but
whether the proof is still in force and whether the log still shows its root can only be asked online. Add --online,
--issuer-base-url, --chain-url-template and --allow-host to ask. Only then can the answer be VALID.

## By hand

1. SHA-256 of the original file equals the line in file.hash and contentHash in chunk-manifest.json.
2. Cut the file into pieces of chunkSize bytes. SHA-256 of each piece equals plainHash of its chunk.
3. Rebuild the chunk manifest from chunk-manifest.json and hash its canonical form: that is manifestHash.
4. The leaf is SHA-256 of the byte 00 and the 32 bytes of manifestHash. Follow proofPath in merkle-proof.json: a node
   is SHA-256 of the byte 01, the left hash and the right hash. The last hash is merkleRoot.
5. merkleRoot stands in blockchain-receipt.json as batchChainRoot. Ask the chain named there whether it agrees.
6. manifest.json lists the SHA-256 and size of the other entries. issuer-signature.jws signs the exact bytes of
   manifest.json with Ed25519. Check it with the key that you obtained yourself.
7. Ask the issuer for the current status of proofId: only ACTIVE counts.

## What a valid proof does not say

It does not say who wrote the file, that its content is true, or that nobody else holds a copy. It says that these
bytes existed when the batch was anchored, and that the issuer stands by the record today.
`);
