// The form of one verification vector, and the honest material that all of them are made from.
import { gcmChunkSuite } from '@recordproof/shared/evidence/content-suites.ts';
import { toBase64, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { type ProofEntryName, proofEntryNames } from '@recordproof/shared/evidence/proof-archive.ts';
import { type TestKey, testKey } from '../../support/ed25519.ts';
import { issuerIdentity, issuerKey, proofOf, someContent } from '../../support/proofs.ts';
import { writeZip, type ZipChanges } from '../../support/zip.ts';

export type CannedAnswer = { status: number; body?: string; mediaType?: string };
/** By path: `checkpoint`, `key`, `tile/…`. */
export type CannedLedger = Record<string, { status: number; base64?: string }>;
export type Live = { key?: CannedAnswer; proofStatus: CannedAnswer; chain: CannedAnswer; ledger?: CannedLedger };

export type Expected = {
  outcome: 'VALID' | 'INVALID' | 'INDETERMINATE' | 'ERROR';
  /** A check that must not have passed, and the code it must give. */
  check?: string;
  code?: string;
};

export type Case = {
  /** Without its ending: `_ok` is added when nothing speaks against the proof, else `_fail`. */
  name: string;
  why: string;
  archive: Uint8Array | Promise<Uint8Array>;
  /** Names in test/vectors/common. */
  original?: string;
  trustedKey?: string;
  /** Zero bytes are put behind the archive up to this size. */
  padArchiveTo?: number;
  /** This input is named and cannot be read. */
  unreadable?: 'archive' | 'original' | 'trustedKey';
  maxFileBytes?: number;
  requireTrustedKey?: true;
  live?: Live;
  expected: Expected;
};

export type EntryMap = Map<string, Uint8Array>;

export const plainContent = someContent(2500);
export const lateContent = plainContent.toReversed();
export const plainProof = await proofOf({ content: plainContent, chunkSize: 1000 });
export const encryptedProof = await proofOf({ content: plainContent, chunkSize: 1000, suite: gcmChunkSuite });
export const singleProof = await proofOf({ content: plainContent, chunkSize: 4096, leafIndex: 0, treeSize: 1 });
export const attackerKey = testKey('attacker');

export const originals: Readonly<Record<string, Uint8Array>> = {
  'plain.bin': plainContent,
  'one-bit-changed.bin': plainContent.with(1234, (plainContent[1234] ?? 0) ^ 1),
  'one-byte-shorter.bin': plainContent.slice(0, -1),
  'one-byte-longer.bin': Uint8Array.from([...plainContent, 0]),
  'empty.bin': new Uint8Array(0),
  'chunks-swapped.bin': Uint8Array.from([
    ...plainContent.slice(1000, 2000),
    ...plainContent.slice(0, 1000),
    ...plainContent.slice(2000),
  ]),
  'late.bin': lateContent,
  'another-file.bin': someContent(2501).slice(1),
};

export const keyFile = (key: TestKey, changes: Record<string, unknown> = {}): string =>
  JSON.stringify({
    algorithm: 'EdDSA',
    ...issuerIdentity,
    publicKeyFingerprint: key.fingerprint,
    publicKeySpki: toBase64(key.spki),
    ...changes,
  });

export const toEntries = (proof: Readonly<Record<ProofEntryName, Uint8Array>>): EntryMap =>
  new Map(proofEntryNames.map(name => [name, proof[name]]));

export function zip(entries: EntryMap | readonly { name: string; data: Uint8Array }[], changes: ZipChanges = {}) {
  const list = Array.isArray(entries) ? entries : [...(entries as EntryMap)].map(([name, data]) => ({ name, data }));
  return writeZip(list as { name: string; data: Uint8Array }[], changes);
}

export const textOf = (entries: EntryMap, name: ProofEntryName): string =>
  new TextDecoder().decode(entries.get(name) ?? new Uint8Array(0));

export function withEntry(entries: EntryMap, name: string, data: Uint8Array | string): EntryMap {
  return new Map(entries).set(name, typeof data === 'string' ? toUtf8(data) : data);
}

export { issuerIdentity, issuerKey };
