// From the configuration to the chains of this server.
import type { Config } from './config.ts';
import { type Chains, openChains } from './features/chain/index.ts';
import type { Platform } from './open-platform.ts';

type Ground = Pick<Platform, 'database' | 'objects' | 'clock' | 'log' | 'keys'>;

export function openChainsOf({ database, objects, clock, log, keys }: Ground, config: Config): Promise<Chains> {
  const ledger = { db: database.db, objects, clock, log, privateKey: keys.ledger, name: config.ledger.name };
  if (config.chain.kind === 'ledger') return openChains(ledger);
  const { rpcUrl, contract, senderKey, confirmations, timeoutSeconds, fileRecords } = config.chain;
  return openChains(ledger, {
    db: database.db,
    engine: database.kind,
    clock,
    rpcUrl: rpcUrl.reveal(),
    contract,
    senderKey: senderKey.reveal(),
    confirmations,
    timeoutMs: timeoutSeconds * 1000,
    fileRecords,
  });
}
