// Check of a key provider: wraps a fresh data key and unwraps it again, as an upload would.
import { createSecretKey, randomBytes } from 'node:crypto';
import { assertReopened, type KeyProvider, type KeyProviderError, toKeyFailure } from './envelope.ts';

const keyBytes = 32;

/** The error, or null if the provider wraps and unwraps. */
export async function tryProvider(provider: KeyProvider): Promise<KeyProviderError | null> {
  const dataKey = createSecretKey(randomBytes(keyBytes));
  const binding = randomBytes(keyBytes);
  try {
    const wrapped = await provider.wrap(dataKey, binding);
    assertReopened(dataKey, await provider.unwrap(wrapped, binding).catch(toKeyFailure));
    return null;
  } catch (error) {
    return toKeyFailure(error);
  }
}
