// Rebuilds a proof around a changed entry, as an attacker with or without the issuer's key would: lists the new digest
// and size, signs again. What then still refuses the proof is exactly the check that the vector is about.
import { createHash } from 'node:crypto';
import { canonicalBytes, type JsonValue } from '@recordproof/shared/evidence/canonical-json.ts';
import { toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { signJws, toJwsHeader } from '@recordproof/shared/evidence/jws.ts';
import type { ProofEntryName } from '@recordproof/shared/evidence/proof-archive.ts';
import type { TestKey } from '../../support/ed25519.ts';
import { type EntryMap, issuerIdentity, issuerKey, textOf, withEntry, zip } from './case.ts';

// biome-ignore lint/suspicious/noExplicitAny: vectors change parsed JSON in every way that a type would forbid.
export type Loose = any;
type Change = (value: Loose) => unknown;

const digest = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Lists the entries' present digests and signs, whatever manifest.json has become. */
export async function resigned(entries: EntryMap, key: TestKey = issuerKey): Promise<EntryMap> {
  const manifest = JSON.parse(textOf(entries, 'manifest.json'));
  for (const record of manifest.entries) {
    const bytes = entries.get(record.name);
    if (bytes !== undefined) Object.assign(record, { sha256: digest(bytes), size: bytes.length });
  }
  return signedOver(withEntry(entries, 'manifest.json', canonicalBytes(manifest)), key);
}

/** Signs the bytes of manifest.json as they stand. */
export async function signedOver(entries: EntryMap, key: TestKey = issuerKey, header: object = {}): Promise<EntryMap> {
  const fields = { ...toJwsHeader(issuerIdentity.keyId, issuerIdentity.keyVersion), ...header };
  const jws = await signJws(fields, entries.get('manifest.json') ?? new Uint8Array(0), key.sign);
  return withEntry(entries, 'issuer-signature.jws', jws);
}

/** The archive with one JSON entry changed as an object, everything around it consistent again. */
export async function changed(entries: EntryMap, name: ProofEntryName, change: Change): Promise<Uint8Array> {
  const value = JSON.parse(textOf(entries, name));
  change(value);
  const next = withEntry(entries, name, canonicalBytes(value as JsonValue));
  return zip(name === 'manifest.json' ? await signedOver(next) : await resigned(next));
}

/** The archive with one entry changed as text, everything around it consistent again. */
export async function respelled(
  entries: EntryMap,
  name: ProofEntryName,
  change: (text: string) => string | Uint8Array,
): Promise<Uint8Array> {
  const text = change(textOf(entries, name));
  const next = withEntry(entries, name, typeof text === 'string' ? toUtf8(text) : text);
  return zip(name === 'manifest.json' ? await signedOver(next) : await resigned(next));
}
