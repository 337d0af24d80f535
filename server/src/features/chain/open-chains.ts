// Opens what the configuration asks for. Without a contract configured, everything goes to the embedded ledger; with one,
// batch roots go there, and file records only if they are told to.
import { readLedgerStatus } from './chain-status.ts';
import type { Chains } from './chains.ts';
import { type EvmOptions, openEvmChain } from './evm/evm-chain.ts';
import { openContractRecords, openLedgerRecords } from './file-records.ts';
import { type LedgerPorts, openLedger } from './ledger/ledger.ts';
import { openLocalChain } from './local-chain.ts';

export type ContractOptions = EvmOptions & { readonly fileRecords: 'ledger' | 'chain' };

export async function openChains(ports: LedgerPorts, evm?: ContractOptions): Promise<Chains> {
  const ledger = await openLedger(ports);
  const local = openLocalChain(ledger);
  const records = openLedgerRecords(ledger);
  const common = { ledger, [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose]() };
  if (evm === undefined)
    return { ...common, chain: local, all: [local], records, readStatus: () => readLedgerStatus(ledger, ports.clock) };
  const chain = openEvmChain(evm);
  return {
    ...common,
    chain,
    all: [local, chain],
    records: evm.fileRecords === 'chain' ? openContractRecords(chain, ledger) : records,
    readStatus: () => chain.readStatus(),
  };
}
