// Opens what the configuration asks for. Without a contract configured, batch roots go to the embedded ledger; file
// records always do.
import { readLedgerStatus } from './chain-status.ts';
import type { Chains } from './chains.ts';
import { type EvmOptions, openEvmChain } from './evm/evm-chain.ts';
import { type LedgerPorts, openLedger } from './ledger/ledger.ts';
import { openLocalChain } from './local-chain.ts';

export async function openChains(ports: LedgerPorts, evm?: EvmOptions): Promise<Chains> {
  const ledger = await openLedger(ports);
  const local = openLocalChain(ledger);
  const common = { ledger, [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose]() };
  if (evm === undefined)
    return { ...common, chain: local, all: [local], readStatus: () => readLedgerStatus(ledger, ports.clock) };
  const chain = openEvmChain(evm);
  return { ...common, chain, all: [local, chain], readStatus: () => chain.readStatus() };
}
