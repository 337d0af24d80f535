// From the configuration to the chains of this server.
import type { Config } from './config.ts';
import { type Chains, openChains } from './features/chain/index.ts';
import type { Platform } from './open-platform.ts';

export const openChainsOf = (
  { database, objects, clock, log, keys }: Pick<Platform, 'database' | 'objects' | 'clock' | 'log' | 'keys'>,
  config: Config,
): Promise<Chains> =>
  openChains({ db: database.db, objects, clock, log, privateKey: keys.ledger, name: config.ledger.name });
