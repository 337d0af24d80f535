// Command line options of the gateway (gateway-command.ts). Rejects incompletely specified chains, and a ledger without
// its verifier key.
import { value } from '@recordproof/shared/command-line/command.ts';
import { type NoteKey, parseVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import { type ParsedArguments, UsageError } from '@recordproof/shared/node/read-arguments.ts';
import { readArguments } from '../shell/arguments.ts';

export type GatewayOptions = {
  readonly host: string;
  readonly port: number;
  readonly source:
    | { readonly kind: 'ledger'; readonly url: string; readonly key: NoteKey }
    | { readonly kind: 'evm'; readonly rpcUrl: string; readonly contract: string; readonly confirmations: number };
};

export const gatewayDeclaration = {
  path: 'gateway',
  summary: 'Answers which root of a batch stands on a chain, for verifiers that need not ask the issuer',
  usage: ['gateway --ledger-url URL --ledger-key KEY [options]', 'gateway --rpc-url URL --contract ADDRESS [options]'],
  options: {
    'ledger-url': value(
      'URL',
      "where the ledger's checkpoint and tiles lie, for example https://proof.example.org/ledger",
    ),
    'ledger-key': value('KEY', 'the verifier key that its checkpoints must be signed by'),
    'rpc-url': value('URL', 'JSON-RPC of a node of an EVM chain'),
    contract: value('ADDRESS', 'the contract that holds the roots'),
    confirmations: value('N', 'blocks on top before a root counts (default 12)'),
    host: value('ADDRESS', 'where to listen (default 127.0.0.1)'),
    port: value('N', 'default 8090; 0 picks a free one'),
  },
  notes: `Verifiers then use
    --chain-url-template 'http://HOST:PORT/chain-roots/{chainType}/{chainId}/{groupId}/{contractAddress}/{batchNo}'
`,
} as const;

type Values = ParsedArguments<(typeof gatewayDeclaration)['options']>['options'];

export function parseGatewayOptions(args: readonly string[]): GatewayOptions {
  const { options } = readArguments(args, gatewayDeclaration);
  return {
    host: options.host ?? '127.0.0.1',
    port: readNumber('port', options.port ?? '8090', 65_535),
    source: readSource(options),
  };
}

function readSource(values: Values): GatewayOptions['source'] {
  const { 'ledger-url': ledgerUrl, 'rpc-url': rpcUrl } = values;
  if ((ledgerUrl === undefined) === (rpcUrl === undefined))
    throw new UsageError('give --ledger-url for an embedded ledger, or --rpc-url for an EVM chain, and not both');
  if (ledgerUrl !== undefined) {
    reject(values, ['contract', 'confirmations'], '--rpc-url');
    return { kind: 'ledger', url: readUrl('ledger-url', ledgerUrl), key: readKey(values['ledger-key']) };
  }
  reject(values, ['ledger-key'], '--ledger-url');
  return {
    kind: 'evm',
    rpcUrl: readUrl('rpc-url', rpcUrl ?? ''),
    contract: readContract(values.contract),
    confirmations: readNumber('confirmations', values.confirmations ?? '12', 10_000),
  };
}

function reject(values: Values, names: readonly (keyof Values)[], needed: string): void {
  const stray = names.find(name => values[name] !== undefined);
  if (stray !== undefined) throw new UsageError(`--${stray} has a meaning only together with ${needed}`);
}

function readUrl(name: string, value: string): string {
  const url = URL.parse(value);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError(`--${name} must be an http or https address`);
  return value;
}

function readKey(value: string | undefined): NoteKey {
  if (value === undefined)
    throw new UsageError('--ledger-key is needed: the verifier key of the ledger, from a source that you trust');
  try {
    return parseVerifierKey(value.trim());
  } catch {
    throw new UsageError('--ledger-key must be written <name>+<key id>+<base64>');
  }
}

function readContract(value: string | undefined): string {
  if (value === undefined || !/^0x[0-9a-fA-F]{40}$/.test(value))
    throw new UsageError('--contract is needed: 0x and 40 hex digits');
  return value.toLowerCase();
}

function readNumber(name: string, value: string, max: number): number {
  const number = /^[0-9]{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number <= max)) throw new UsageError(`--${name} must be a whole number up to ${max}`);
  return number;
}
