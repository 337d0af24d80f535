// Signed URL of a stored object.
import { openStoreOf } from '../../server/src/compose/open-store.ts';
import { openServerKeys } from '../../server/src/platform/crypto/server-keys.ts';
import type { TestApp } from './app.ts';

/** No client is given such an address yet; a second client of the store signs one. */
export async function signForReading(app: TestApp, key: string): Promise<string> {
  const keys = openServerKeys(app.config.keysFolder, { create: false });
  await using store = await openStoreOf(app.config, keys, { baseUrl: () => app.app.url, clock: app.clock });
  return (await store.presignGet(key, { expiresInSeconds: 60 })).url;
}
