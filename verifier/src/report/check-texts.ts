import type { CheckId } from '../verify/check-codes.ts';

/** What each check asks, in words for somebody who reads a report for the first time. */
export const checkTexts: Readonly<Record<CheckId, string>> = {
  'archive.structure':
    'Is the ZIP exactly of the one form that a proof archive may have? Nothing can be hidden beside or between its eight entries.',
  'json.manifest.json': 'Can manifest.json be read in exactly one way?',
  'json.chunk-manifest.json': 'Can chunk-manifest.json be read in exactly one way?',
  'json.merkle-proof.json': 'Can merkle-proof.json be read in exactly one way?',
  'json.blockchain-receipt.json': 'Can blockchain-receipt.json be read in exactly one way?',
  'json.verification-policy.json': 'Can verification-policy.json be read in exactly one way?',
  'manifest.contract': 'Does the manifest say what it must, and does it agree with itself?',
  'manifest.entry-digests':
    'Are the other entries those that the signed manifest lists, with the same SHA-256 and size?',
  'policy.contract': 'Is the verification policy the published text, unchanged?',
  'policy.readme': 'Are the instructions in the archive the published text, unchanged?',
  'chunks.contract':
    'Does the list of chunks agree with itself, and does its hash, computed anew, equal the one that was anchored?',
  'content.original': 'Has the file that you chose the SHA-256 that was recorded?',
  'content.size': 'Has the file the recorded size?',
  'content.file-hash': 'Do the places in the archive that state the SHA-256 of the file agree with it?',
  'content.chunk-hashes': 'Has every piece of the file the SHA-256 that was recorded for it?',
  'merkle.path': 'Does the path lead from this record to the root of its batch?',
  'chain.receipt': 'Does the receipt of the chain speak of the same record, batch and root?',
  'signature.key': 'Is the signing key one that comes from outside the archive, and the one that the proof names?',
  'signature.jws': 'Was the manifest signed with that key?',
  'status.current': 'Does the issuer say today that the proof is in force?',
  'chain.live-root': 'Does the chain show the recorded root today?',
};
