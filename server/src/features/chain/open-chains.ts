// Opens what the configuration asks for. Without a chain configured, batch roots go to the embedded ledger.
import { readLedgerStatus } from './chain-status.ts';
import type { Chains } from './chains.ts';
import { type LedgerPorts, openLedger } from './ledger.ts';
import { openLocalChain } from './local-chain.ts';

export async function openChains(ports: LedgerPorts): Promise<Chains> {
  const ledger = await openLedger(ports);
  const chain = openLocalChain(ledger);
  return {
    ledger,
    chain,
    all: [chain],
    readStatus: () => readLedgerStatus(ledger, ports.clock),
    [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose](),
  };
}
