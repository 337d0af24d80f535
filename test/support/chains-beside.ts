// The chains of a second server on the data of the first.
import { openStoreOf } from '../../server/src/compose/open-store.ts';
import type { Config } from '../../server/src/config/config.ts';
import { type Chains, openChains } from '../../server/src/features/chain/index.ts';
import type { Clock } from '../../server/src/platform/clock.ts';
import { openServerKeys } from '../../server/src/platform/crypto/server-keys.ts';
import type { Database } from '../../server/src/platform/db/open-db.ts';
import { silentLog } from '../../server/src/platform/telemetry/log.ts';

type Beside = { readonly app: { readonly database: Database }; readonly config: Config; readonly clock: Clock };

export async function openChainsBeside({ app, config, clock }: Beside): Promise<Chains & AsyncDisposable> {
  const keys = openServerKeys(config.keysFolder, { create: false });
  const objects = await openStoreOf(config, keys);
  const chains = await openChains({ database: app.database, objects, clock, log: silentLog, keys, config });
  return { ...chains, [Symbol.asyncDispose]: () => chains.ledger[Symbol.asyncDispose]() };
}
