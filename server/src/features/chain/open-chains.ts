// Opening the configured chains. Without a contract, everything goes to the embedded ledger; with one, batch roots go
// to the contract, and file records only if configured so.
import { nameDatabase } from '../../platform/db/database-options.ts';
import { identifyDatabase } from '../../platform/db/open-db.ts';
import type { Platform, Server } from '../../platform/server.ts';
import { traced } from '../../platform/telemetry/traced.ts';
import { type EvmChain, isNodeDown, openEvmChain } from './evm/evm-chain.ts';
import { openContractRecords, openLedgerRecords } from './file-records.ts';
import { openLedger } from './ledger/ledger.ts';
import { openLocalChain, readLedgerStatus } from './local-chain.ts';

export type Chains = Pick<Server, 'ledger' | 'chain' | 'chains' | 'records' | 'readChainStatus'>;

type Dependencies = Pick<Platform, 'database' | 'objects' | 'clock' | 'log' | 'keys' | 'config'> &
  Partial<Pick<Platform, 'tracing' | 'breakers' | 'isTakeOver'>>;

const rootCalls = ['findRoot', 'submitRoot'] as const;
const recordCalls = ['findRecord', 'recordFile'] as const;

/** Files wait for the node: it is tried again soon, and its first success closes the circuit. */
const breaker = { openMs: 2000, halfOpenCalls: 10, decidingCalls: 1, isFailure: isNodeDown };

/** The caller closes the ledger. */
export async function openChains({
  database,
  objects,
  clock,
  log,
  keys,
  config,
  ...more
}: Dependencies): Promise<Chains> {
  const { tracing, breakers, isTakeOver = false } = more;
  const { db, kind: engine } = database;
  const { name, isPostQuantum } = config.ledger;
  const writer = {
    database: nameDatabase(config.db),
    identity: await identifyDatabase(database, config.db),
    isTakeOver,
  };
  const ledger = await openLedger({ db, objects, clock, log, privateKey: keys.ledger, name, isPostQuantum, writer });
  const local = traced(tracing, 'chain', openLocalChain(ledger), rootCalls);
  const records = traced(tracing, 'chain', openLedgerRecords(ledger), recordCalls);
  if (config.chain.kind === 'ledger') {
    const readChainStatus = () => readLedgerStatus(ledger, clock);
    return { ledger, chain: local, chains: [local], records, readChainStatus };
  }
  const { rpcUrl, contract, senderKey, confirmations, timeoutSeconds, fileRecords } = config.chain;
  const guard = breakers?.guard('chain', breaker);
  const contractChain = openEvmChain({
    db,
    engine,
    clock,
    rpcUrl: rpcUrl.reveal(),
    contract,
    senderKey: senderKey.reveal(),
    confirmations,
    timeoutMs: timeoutSeconds * 1000,
    ...(guard && { guard }),
  });
  const chain: EvmChain = traced(tracing, 'chain', contractChain, [...rootCalls, ...recordCalls]);
  return {
    ledger,
    chain,
    chains: [local, chain],
    records: fileRecords === 'chain' ? openContractRecords(chain, ledger) : records,
    readChainStatus: () => chain.readStatus(),
  };
}
