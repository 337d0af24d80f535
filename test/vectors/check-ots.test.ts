// The public Python library and ours agree on every mutant of an OpenTimestamps file: what is read, and what is not.
import { toHex } from '@recordproof/shared/evidence/digest.ts';
import { listOtsClaims, type OtsClaim, type OtsNode, parseOts, writeOts } from '@recordproof/shared/evidence/ots.ts';
import { expect } from 'vitest';
import { bushyOts } from '../support/ots-files.ts';
import { otsLibrary, readByPython } from '../support/ots-python.ts';
import { testWith } from '../support/programs.ts';

const test = testWith(otsLibrary);
const mutants = Number(process.env.MUTANTS ?? 1000);
const whole = writeOts(bushyOts());

function toRow({ message, attestation }: OtsClaim): string[] {
  if (attestation.kind === 'PENDING') return [toHex(message), 'PENDING', attestation.uri];
  if (attestation.kind === 'BITCOIN') return [toHex(message), 'BITCOIN', String(attestation.height)];
  return [toHex(message), 'OTHER', toHex(attestation.tag)];
}

function readByUs(file: Uint8Array): { digest: string; claims: string[][] } | { error: string } {
  try {
    const { root } = parseOts(file);
    return { digest: toHex(root.message), claims: listOtsClaims(keepLastTwins(root)).map(toRow).sort() };
  } catch (problem) {
    if (problem instanceof RangeError) return { error: problem.message };
    throw problem;
  }
}

/** Python keeps one branch for each operation on a message, the last; we keep all. */
function keepLastTwins({ branches, ...node }: OtsNode): OtsNode {
  const last = new Map(branches.map(branch => [JSON.stringify(branch.operation), branch]));
  const kept = [...last.values()].map(({ operation, node: next }) => ({ operation, node: keepLastTwins(next) }));
  return { ...node, branches: kept };
}

/** Python keeps a set of attestations. */
const withoutTwins = (rows: readonly string[][]) => [...new Set(rows.map(row => row.join(' ')))].sort();

/** One to three changes that follow from the number: a byte set, taken out, or put in. */
function mutantOf(number: number): Uint8Array {
  let state = number * 2654435761 + 1;
  const next = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const bytes = [...whole];
  const tags = [0x00, 0x02, 0x03, 0x08, 0xf0, 0xf1, 0xf2, 0xf3, 0xff, 0x80];
  for (let left = 1 + next(3); left > 0; left--) {
    const at = next(4) === 0 ? next(bytes.length) : 64 + next(bytes.length - 64);
    const byte = next(2) === 0 ? (tags[next(tags.length)] ?? 0) : next(256);
    bytes.splice(at, next(3) === 0 ? 0 : 1, ...(next(4) === 0 ? [] : [byte]));
  }
  return Uint8Array.from(bytes);
}

test('Python reads our file, and we read it as written by Python in another order', () => {
  const [read] = readByPython([whole]);
  if (read === undefined || 'error' in read) throw new Error(JSON.stringify(read));
  const ours = readByUs(whole);
  expect({ digest: read.digest, claims: read.claims }).toEqual(ours);
  const again = readByUs(Buffer.from(read.written ?? '', 'hex'));
  expect(again).toEqual(ours);
});

test(`TypeScript and Python read ${mutants} mutants alike`, { tags: 'long', timeout: 300_000 }, () => {
  const files = Array.from({ length: mutants }, (_, number) => mutantOf(number));
  const theirs = readByPython(files);
  let accepted = 0;
  for (const [at, file] of files.entries()) {
    const [their, our] = [theirs[at], readByUs(file)];
    if (their === undefined) throw new Error('an answer is missing');
    // KECCAK-256 is no operation of ours.
    if ('error' in our && our.error.includes('operation that is not known') && file.includes(0x67)) continue;
    if ('error' in our || 'error' in their) {
      expect([at, Buffer.from(file).toString('hex'), 'error' in our, our]).toEqual([
        at,
        Buffer.from(file).toString('hex'),
        'error' in their,
        our,
      ]);
      continue;
    }
    accepted++;
    expect([at, their.digest, withoutTwins(their.claims)]).toEqual([at, our.digest, withoutTwins(our.claims)]);
  }
  expect(accepted).toBeGreaterThan(mutants / 20);
});
