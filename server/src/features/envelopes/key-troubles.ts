// Diagnosis of key problems: every provider in use wraps and unwraps a fresh key, and one stored envelope of each key
// version in use is opened.
import {
  type KeyProvider,
  KeyProviderError,
  toKeyFailure,
  toProviderName,
  tryProvider,
} from '../../platform/crypto/envelope.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import type { Server } from '../../platform/server.ts';
import { listWrappingProviders } from '../crypto-policy/index.ts';
import { listKeysInUse, type WrappedRow } from './queries.ts';

type Dependencies = Pick<Server, 'keyProvider' | 'keyProviders'> & {
  readonly database: Pick<Server['database'], 'db'>;
};

export type UnusableKey = {
  readonly provider: string;
  /** Null if new keys cannot be wrapped; else the version whose envelopes cannot be opened. */
  readonly keyVersion: string | null;
  readonly failure: KeyProviderError;
};

export async function findUnusableKeys({
  database: { db },
  keyProvider,
  keyProviders,
}: Dependencies): Promise<UnusableKey[]> {
  const wrapping = new Set([keyProvider.id, ...(await listWrappingProviders(db))]);
  const trials = await inParallel([...wrapping], async id => toUnusableKey(id, null, await tryById(keyProviders, id)));
  const opened = await inParallel(await listKeysInUse(db), async row =>
    toUnusableKey(row.provider, row.provider_key_version, await tryEnvelope(keyProviders, row)),
  );
  return [...trials, ...opened].filter(unusableKey => unusableKey !== null);
}

const toUnusableKey = (
  provider: string,
  keyVersion: string | null,
  failure: KeyProviderError | null,
): UnusableKey | null => (failure === null ? null : { provider, keyVersion, failure });

const notConfigured = (id: string) =>
  new KeyProviderError(
    'CONFIGURATION',
    `the key provider ${id} is not configured on this server; add its settings again`,
  );

async function tryById(providers: readonly KeyProvider[], id: string): Promise<KeyProviderError | null> {
  const provider = providers.find(each => each.id === id);
  return provider === undefined ? notConfigured(id) : tryProvider(provider);
}

/** A changed envelope is damage of a file, not of the key: its key version was available. */
async function tryEnvelope(providers: readonly KeyProvider[], row: WrappedRow): Promise<KeyProviderError | null> {
  const provider = providers.find(({ id, contract }) => id === row.provider && contract === row.provider_contract);
  if (provider === undefined) return notConfigured(`${row.provider}/${row.provider_contract}`);
  const { provider_key_version: keyVersion, algorithm, wrapped_key: wrapped } = row;
  try {
    await provider.unwrap({ keyVersion, algorithm, wrapped }, Buffer.from(row.aad_digest, 'hex'));
    return null;
  } catch (error) {
    const failure = toKeyFailure(error, toProviderName(provider));
    return failure.isOutage ? failure : null;
  }
}
