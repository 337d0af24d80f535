// OpenTimestamps files for tests: every operation and attestation in one tree, and block headers that confirm them.
import { sha256, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { type OtsAttestation, type OtsFile, type OtsNode, otsPath } from '@recordproof/shared/evidence/ots.ts';
import { append, type OtsOperation, prepend } from '@recordproof/shared/evidence/ots-operations.ts';

export const calendarUri = 'https://calendar.example.org/';

const endAt =
  (...attestations: OtsAttestation[]) =>
  (message: Uint8Array): OtsNode => ({
    message,
    attestations,
    branches: [],
  });

/** The first step is in the list of the branches. */
const branchOf = (message: Uint8Array, operations: readonly OtsOperation[], ...ends: OtsAttestation[]) =>
  otsPath(message, operations, endAt(...ends)).branches;

export function bushyOts(): OtsFile {
  const message = sha256(toUtf8('a file'));
  const root: OtsNode = {
    message,
    attestations: [{ kind: 'PENDING', uri: calendarUri }],
    branches: [
      ...branchOf(message, [{ kind: 'sha1' }, { kind: 'ripemd160' }], {
        kind: 'OTHER',
        tag: toUtf8('strange!'),
        payload: Uint8Array.of(1, 2),
      }),
      ...branchOf(message, [append(toUtf8('tail')), { kind: 'sha256' }], { kind: 'BITCOIN', height: 358391 }),
      ...branchOf(message, [prepend(toUtf8('head')), { kind: 'reverse' }, { kind: 'hexlify' }, { kind: 'sha256' }], {
        kind: 'BITCOIN',
        height: 7,
      }),
    ],
  };
  return { hash: 'sha256', root };
}

export const bitcoinOts = (digest: Uint8Array, operations: readonly OtsOperation[], height: number): OtsFile => ({
  hash: 'sha256',
  root: otsPath(digest, operations, endAt({ kind: 'BITCOIN', height })),
});

/** One line of a file of headers. */
export function headerLine(height: number, merkleRoot: Uint8Array, seconds: number): string {
  const header = Buffer.alloc(80);
  header.writeUInt32LE(2, 0);
  header.set(merkleRoot, 36);
  header.writeUInt32LE(seconds, 68);
  return `${height} ${header.toString('hex')}\n`;
}
