// An address of the embedded store that lets its holder read one object. The server gives none out yet, so a second pair of
// eyes on the same store signs it.
import { openStoreOf } from '../../server/src/open-platform.ts';
import { openServerKeys } from '../../server/src/platform/crypto/server-keys.ts';
import type { TestApp } from './app.ts';

export async function signForReading({ app, config, clock }: TestApp, key: string): Promise<string> {
  const keys = openServerKeys(config.keysFolder, { create: false });
  await using store = await openStoreOf(config, keys, { url: app.url }, clock);
  return (await store.presignGet(key, { expiresInSeconds: 60 })).url;
}
