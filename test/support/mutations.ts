// Mutations of honest proofs: byte mutations of whole archives, and of single entries repacked into a well-formed
// archive (with the manifest's list of digests updated), as an attacker without the key would.
import { createHash } from 'node:crypto';
import { toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { proofEntryNames, readProofArchive } from '@recordproof/shared/evidence/proof-archive.ts';
import { writeZip } from './zip.ts';

/** A small generator with a seed, so that a failure can be repeated. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return below => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Random = (below: number) => number;

// Fragments that break naive parsers.
const words = [
  '{',
  '}',
  '[',
  ']',
  '"',
  '\\',
  ',',
  ':',
  'null',
  'true',
  '-0',
  '1e999',
  '9007199254740993',
  '\\ud800',
  '__proto__',
  '"a":1,',
  '\u0000',
  '\ufeff',
  '../',
  'sha256:',
];
const fragments = words.map(toUtf8);
const interesting = [0, 1, 0x7f, 0x80, 0xff, 0x22, 0x5c, 0x7b, 0x50];

/** One to four changes: flip, set, delete, double, insert, cut, swap. */
export function mutateBytes(bytes: Uint8Array, random: Random): Uint8Array {
  let result = bytes;
  for (let left = 1 + random(4); left > 0; left--) result = mutateOnce(result, random);
  return result;
}

function mutateOnce(bytes: Uint8Array, random: Random): Uint8Array {
  if (bytes.length === 0) return Uint8Array.of(random(256));
  const at = random(bytes.length);
  const end = Math.min(bytes.length, at + 1 + random(16));
  const kind = random(8);
  if (kind === 0) return bytes.with(at, (bytes[at] ?? 0) ^ (1 << random(8)));
  if (kind === 1) return bytes.with(at, interesting[random(interesting.length)] ?? 0);
  if (kind === 2) return splice(bytes, at, end, new Uint8Array(0));
  if (kind === 3) return splice(bytes, at, at, bytes.subarray(at, end));
  if (kind === 4) return splice(bytes, at, at, fragments[random(fragments.length)] ?? new Uint8Array(0));
  if (kind === 5) return splice(bytes, at, end, fragments[random(fragments.length)] ?? new Uint8Array(0));
  if (kind === 6) return random(8) === 0 ? bytes.slice(0, at) : bytes.with(at, random(256));
  const other = random(bytes.length);
  return bytes.with(at, bytes[other] ?? 0).with(other, bytes[at] ?? 0);
}

function splice(bytes: Uint8Array, start: number, end: number, insert: Uint8Array): Uint8Array {
  const result = new Uint8Array(bytes.length - (end - start) + insert.length);
  result.set(bytes.subarray(0, start));
  result.set(insert, start);
  result.set(bytes.subarray(end), start + insert.length);
  return result;
}

const digest = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** One entry mutated; half of the time the manifest lists its new digest (and the signature no longer matches). */
export function mutateEntry(archive: Uint8Array, random: Random): Uint8Array {
  const honest = readProofArchive(archive);
  const name = proofEntryNames[random(proofEntryNames.length)] ?? 'manifest.json';
  const changed = mutateBytes(honest[name], random);
  const entries: Record<string, Uint8Array> = { ...honest, [name]: changed };
  if (random(2) === 0 && name !== 'manifest.json') {
    const manifest = new TextDecoder().decode(honest['manifest.json']);
    entries['manifest.json'] = toUtf8(
      manifest
        .replace(digest(honest[name]), digest(changed))
        .replace(new RegExp(`("name":"${name.replaceAll('.', '\\.')}".*?"size":)\\d+`), `$1${changed.length}`),
    );
  }
  return writeZip(proofEntryNames.map(entry => ({ name: entry, data: entries[entry] ?? new Uint8Array(0) })));
}
