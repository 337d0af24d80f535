// Checks of the key providers: each one in use wraps and unwraps a fresh data key, and opens one stored envelope of
// every key version.
import { remedyOf, toProblem } from '../../compose/check-keys.ts';
import { migrations } from '../../compose/features.ts';
import { openInstallation } from '../../compose/open-schema.ts';
import type { Config } from '../../config/config.ts';
import { findUnusableKeys } from '../../features/envelopes/index.ts';
import type { KeyProvider } from '../../platform/crypto/envelope.ts';
import { tryProvider } from '../../platform/crypto/envelope.ts';
import type { Db } from '../../platform/db/tables.ts';
import { NotFoundError } from '../../platform/installation.ts';
import { openProvidersOf } from '../key-providers.ts';
import { type Finding, failure, ok } from './finding.ts';

const about = 'key-provider';

export async function inspectKeyProviders(config: Config): Promise<Finding[]> {
  await using opening = new AsyncDisposableStack();
  const schema = await openInstallation(config, migrations).catch((error: unknown) => {
    if (error instanceof NotFoundError) return null;
    throw error;
  });
  opening.use(schema?.database);
  const providers = await openProvidersOf(config, schema?.database.db ?? null, opening);
  if (providers === null) return [ok(about, 'local: the first start of the server makes its master key')];
  return await (schema === null ? tryOne(providers.keyProvider) : tryAll(schema.database, providers));
}

const remedy = (provider: string): string => `${remedyOf(provider)} The server does not start, or is not ready.`;

async function tryOne(provider: KeyProvider): Promise<Finding[]> {
  const found = await tryProvider(provider);
  if (found === null) return [ok(about, `${provider.id}: wraps and opens data keys`)];
  const unusableKey = { provider: provider.id, keyVersion: null, failure: found };
  return [failure(about, toProblem(unusableKey), remedy(provider.id))];
}

type Providers = { readonly keyProvider: KeyProvider; readonly keyProviders: readonly KeyProvider[] };

async function tryAll(database: { readonly db: Db }, providers: Providers): Promise<Finding[]> {
  const unusableKeys = await findUnusableKeys({ database, ...providers });
  if (unusableKeys.length > 0)
    return unusableKeys.map(unusableKey => failure(about, toProblem(unusableKey), remedy(unusableKey.provider)));
  return [ok(about, `${providers.keyProvider.id}: wraps data keys, and every key version in use opens`)];
}
