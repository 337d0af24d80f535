// OpenTimestamps files for test/vectors/existence.json: from a file to a block, and each wrong in one way.
import { concatBytes, sha256, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { type OtsAttestation, type OtsNode, otsPath, writeOts } from '@recordproof/shared/evidence/ots.ts';
import { fileToRoot } from '@recordproof/shared/evidence/ots-file-path.ts';
import type { makeProof, makeTree } from '../../support/existence-world.ts';
import { bitcoinOts, headerLine } from '../../support/ots-files.ts';
import type { Changes, Expected } from './existence-cases.ts';

export type Common = {
  readonly proof: Awaited<ReturnType<typeof makeProof>>;
  readonly entry: Uint8Array;
  readonly tree: ReturnType<typeof makeTree>;
  readonly content: Uint8Array;
  readonly stamp: Uint8Array;
  readonly roots: Uint8Array;
};
export type NamedCase = readonly [name: string, expected: Expected, changes: Changes];

const height = 900_000;
const seconds = 1_790_001_000;
const hoursLater = 1000 * (seconds + 7200);
const notShown: Expected = ['NOT_SHOWN', 'NO_TRUSTED_VOUCHER'];
const damaged: Expected = ['ERROR', 'OTS_DAMAGED'];

export function otsCases({ proof, entry, tree, content }: Common): NamedCase[] {
  const { index, size: treeSize, path } = tree;
  const [fileHash, manifest] = [proof.entries['file.hash'], proof.entries['manifest.json']];
  const operations = fileToRoot({ fileHash, manifest, entry, index, treeSize, path });
  const digest = sha256(content);
  const ots = writeOts(bitcoinOts(digest, operations, height));
  const headers = toUtf8(headerLine(height, tree.root, seconds));
  const alone = { archive: undefined, tlogProof: undefined, policy: undefined };
  const endOf = (...attestations: OtsAttestation[]): Uint8Array => {
    const end = (message: Uint8Array): OtsNode => ({ message, attestations, branches: [] });
    return writeOts({ hash: 'sha256', root: otsPath(digest, operations, end) });
  };
  const pending: OtsAttestation = { kind: 'PENDING', uri: 'https://calendar.example.org/' };
  const other: OtsAttestation = { kind: 'OTHER', tag: toUtf8('strange!'), payload: Uint8Array.of(1, 2) };
  const many = Array.from({ length: 65 }, (_, at): OtsAttestation => ({ kind: 'BITCOIN', height: at }));
  const binary = concatBytes(
    new Uint8Array(80 * 3),
    Buffer.from(headerLine(3, tree.root, seconds).slice(2, -1), 'hex'),
  );
  const contradicted = (reason: string): Expected => ['CONTRADICTED', reason];
  return [
    ['OpenTimestamps alone: two hours after the block', ['EXISTED', hoursLater], { ...alone, ots, headers }],
    [
      'OpenTimestamps and witnesses are asked for',
      ['EXISTED', hoursLater],
      { ots, headers, require: 'witness:2,bitcoin' },
    ],
    ['OpenTimestamps beside witnesses: the earlier time', ['EXISTED'], { ots, headers }],
    [
      'all headers from the first block on',
      ['EXISTED', hoursLater],
      { ...alone, ots: writeOts(bitcoinOts(digest, operations, 3)), headers: binary },
    ],
    ['no headers', notShown, { ...alone, ots }],
    ['the header of another block', notShown, { ...alone, ots, headers: toUtf8(headerLine(7, tree.root, seconds)) }],
    [
      'a block that does not hold it',
      contradicted('BLOCK_MISMATCH'),
      { ots, headers: toUtf8(headerLine(height, digest, seconds)) },
    ],
    [
      'OpenTimestamps of another file',
      contradicted('OTS_OF_OTHER_FILE'),
      { ots: writeOts(bitcoinOts(sha256(digest), operations, height)), headers },
    ],
    ['a promise of a calendar', notShown, { ...alone, ots: endOf(pending), headers }],
    ['an attestation of another kind', notShown, { ...alone, ots: endOf(other), headers }],
    [
      'several attestations',
      ['EXISTED', hoursLater],
      { ...alone, ots: endOf(pending, other, { kind: 'BITCOIN', height }), headers },
    ],
    ['more than 64 attestations', damaged, { ...alone, ots: endOf(...many), headers }],
    ['OpenTimestamps that are cut off', damaged, { ots: ots.subarray(0, -1) }],
    ['OpenTimestamps with a byte behind', damaged, { ots: concatBytes(ots, Uint8Array.of(0)) }],
    ['OpenTimestamps with another beginning', damaged, { ots: ots.with(1, 0x6f) }],
    ['OpenTimestamps of another version', damaged, { ots: ots.with(31, 2) }],
    ['an operation that is not known', damaged, { ots: concatBytes(ots.subarray(0, 65), Uint8Array.of(0x67, 0)) }],
    ['headers that are cut off', ['ERROR', 'HEADERS_DAMAGED'], { ots, headers: new Uint8Array(81) }],
    [
      'headers with a line that is none',
      ['ERROR', 'HEADERS_DAMAGED'],
      { ots, headers: concatBytes(headers, toUtf8('x\n')) },
    ],
  ];
}
