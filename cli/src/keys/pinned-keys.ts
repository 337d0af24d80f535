// Pinned keys: for each profile and server, the keys that sign its proofs. A pinned key is never replaced by another of
// the same name and version.
import { type IssuerKey, issuerKey } from '@recordproof/shared/api/proofs.ts';
import { z } from 'zod';
import { CommandError } from '../platform/command-error.ts';
import type { SessionKey } from '../platform/credentials-file.ts';
import type { Paths } from '../platform/folders.ts';
import { alone } from '../platform/lock.ts';
import { parseJsonFile, readPrivate, writePrivate } from '../platform/private-file.ts';

const pin = z.strictObject({ profile: z.string(), server: z.string(), keys: z.array(issuerKey) });
const file = z.strictObject({ pins: z.array(pin) });
type Pin = z.infer<typeof pin>;

async function readPins(paths: Paths): Promise<Pin[]> {
  const text = await readPrivate(paths.pinnedKeys, 'writers');
  if (text === undefined) return [];
  const parsed = file.safeParse(parseJsonFile(paths.pinnedKeys, text));
  if (parsed.success) return parsed.data.pins;
  throw new CommandError('config', `${paths.pinnedKeys} does not hold pinned keys`, {
    try: 'move it away, and pin the keys again: recordproof keys pin',
    cause: parsed.error,
  });
}

const writePins = (paths: Paths, pins: readonly Pin[]): Promise<void> =>
  writePrivate(paths.pinnedKeys, `${JSON.stringify({ pins }, null, 2)}\n`);

const isOf =
  ({ profile, server }: SessionKey) =>
  (pin: Pin) =>
    pin.profile === profile && pin.server === server;

/** The newest first. */
export async function findPinnedKeys(paths: Paths, at: SessionKey): Promise<readonly IssuerKey[]> {
  return (await readPins(paths)).find(isOf(at))?.keys ?? [];
}

const isSameName = (a: IssuerKey, b: IssuerKey): boolean => a.keyId === b.keyId && a.keyVersion === b.keyVersion;

type Pinned = { readonly keys: readonly IssuerKey[]; readonly added: readonly IssuerKey[] };

/** Throws CommandError when the server's key contradicts the pinned one. */
export function pinKeys(paths: Paths, at: SessionKey, shown: readonly IssuerKey[]): Promise<Pinned> {
  return alone(`${paths.pinnedKeys}.lock`, async () => {
    const pins = await readPins(paths);
    const pinned = pins.find(isOf(at))?.keys ?? [];
    assertUnchanged(at, pinned, shown);
    const added = shown.filter(key => !pinned.some(each => isSameName(each, key)));
    const keys = [...added, ...pinned];
    const kept = [...pins.filter(each => !isOf(at)(each)), { ...at, keys }];
    await writePins(paths, kept);
    return { keys, added };
  });
}

/** Removes the pinned keys with the profile. */
export async function unpinKeysOfProfile(paths: Paths, profile: string): Promise<void> {
  await alone(`${paths.pinnedKeys}.lock`, async () => {
    const pins = await readPins(paths);
    const kept = pins.filter(pin => pin.profile !== profile);
    if (kept.length < pins.length) await writePins(paths, kept);
  });
}

function assertUnchanged({ server }: SessionKey, pinned: readonly IssuerKey[], shown: readonly IssuerKey[]): void {
  const ask = { try: 'ask the operator by another way; until then trust neither this server nor its keys' };
  for (const key of pinned) {
    const now = shown.find(each => isSameName(each, key));
    if (now === undefined)
      throw new CommandError(
        'damaged',
        `THE KEYS HAVE CHANGED: ${server} no longer knows its key ${key.keyId}, version ${key.keyVersion}, which you pinned as ${key.publicKeyFingerprint}`,
        ask,
      );
    if (now.publicKeyFingerprint !== key.publicKeyFingerprint || now.publicKeySpki !== key.publicKeySpki)
      throw new CommandError(
        'damaged',
        `THE KEY HAS CHANGED: ${server} shows ${now.publicKeyFingerprint} for ${key.keyId}, version ${key.keyVersion}, which you pinned as ${key.publicKeyFingerprint}`,
        ask,
      );
  }
}
