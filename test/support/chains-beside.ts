// The chains of a second server on the data of the first.

import type { Config } from '../../server/src/config.ts';
import type { Chains } from '../../server/src/features/chain/index.ts';
import { openChainsOf } from '../../server/src/open-chains.ts';
import { openStoreOf } from '../../server/src/open-platform.ts';
import { type Clock, systemClock } from '../../server/src/platform/clock.ts';
import { openServerKeys } from '../../server/src/platform/crypto/server-keys.ts';
import type { Database } from '../../server/src/platform/db/open-db.ts';
import { silentLog } from '../../server/src/platform/telemetry/log.ts';

type Beside = { readonly app: { readonly database: Database }; readonly config: Config; readonly clock: Clock };

export async function openChainsBeside({ app, config, clock }: Beside): Promise<Chains> {
  const keys = openServerKeys(config.keysFolder, { create: false });
  const objects = await openStoreOf(config, keys, { url: '' }, systemClock);
  return openChainsOf({ database: app.database, objects, clock, log: silentLog, keys }, config);
}
