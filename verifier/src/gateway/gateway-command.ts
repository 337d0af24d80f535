// The command `recordproof-verify gateway`: an HTTP server that verifiers query for the batch root that a chain or a
// ledger recorded, instead of reading the chain themselves. Rejects incompletely specified chains, and a ledger without
// its verifier key.
import { once } from 'node:events';
import { value } from '@recordproof/shared/command-line/command.ts';
import { openHttpLog } from '@recordproof/shared/evidence/log-over-http.ts';
import type { NoteKey } from '@recordproof/shared/evidence/signed-note.ts';
import { type ParsedArguments, UsageError } from '@recordproof/shared/node/read-arguments.ts';
import { readArguments, readVerifierKey, readWholeNumber } from '../shell/arguments.ts';
import type { Command } from '../shell/run-command.ts';
import { listenAt, untilSignal } from '../shell/serving.ts';
import { oneLine, type Terminal, toShownUrl } from '../shell/terminal.ts';
import { verifierVersion } from '../version.ts';
import { openEvmSource } from './evm-source.ts';
import { LedgerSource } from './ledger-source.ts';
import { openGateway, type RootSource } from './serve-gateway.ts';

type GatewayOptions = {
  readonly host: string;
  readonly port: number;
  readonly source:
    | { readonly kind: 'ledger'; readonly url: string; readonly key: NoteKey }
    | { readonly kind: 'evm'; readonly rpcUrl: string; readonly contract: string; readonly confirmations: number };
};

const gatewayDeclaration = {
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
    port: readWholeNumber('port', options.port ?? '8090', 65_535),
    source: readSource(options),
  };
}

function readSource(values: Values): GatewayOptions['source'] {
  const { 'ledger-url': ledgerUrl, 'rpc-url': rpcUrl } = values;
  if ((ledgerUrl === undefined) === (rpcUrl === undefined))
    throw new UsageError('give --ledger-url for an embedded ledger, or --rpc-url for an EVM chain, and not both');
  if (ledgerUrl !== undefined) {
    reject(values, ['contract', 'confirmations'], '--rpc-url');
    return { kind: 'ledger', url: readUrl('ledger-url', ledgerUrl), key: readLedgerKey(values['ledger-key']) };
  }
  reject(values, ['ledger-key'], '--ledger-url');
  return {
    kind: 'evm',
    rpcUrl: readUrl('rpc-url', rpcUrl ?? ''),
    contract: readContract(values.contract),
    confirmations: readWholeNumber('confirmations', values.confirmations ?? '12', 10_000),
  };
}

function reject(values: Values, names: readonly (keyof Values)[], needed: string): void {
  const stray = names.find(name => values[name] !== undefined);
  if (stray !== undefined) throw new UsageError(`--${stray} requires ${needed}`);
}

function readUrl(name: string, value: string): string {
  const url = URL.parse(value);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError(`--${name} must be an http or https address, not "${toShownUrl(value)}"`);
  return value;
}

function readLedgerKey(value: string | undefined): NoteKey {
  if (value === undefined)
    throw new UsageError('--ledger-key is needed: the verifier key of the ledger, from a source that you trust');
  return readVerifierKey('ledger-key', value);
}

function readContract(value: string | undefined): string {
  if (value === undefined)
    throw new UsageError('--contract is needed: the address of the contract, 0x and 40 hex digits');
  if (!/^0x[0-9a-fA-F]{40}$/.test(value))
    throw new UsageError(`--contract must be 0x and 40 hex digits, not "${oneLine(value)}"`);
  return value.toLowerCase();
}

type Streams = Pick<Terminal, 'stdout' | 'stderr'>;

/** Resolves on abort. */
export async function runGateway(options: GatewayOptions, streams: Streams, signal: AbortSignal): Promise<void> {
  const { stdout, stderr } = streams;
  const server = openGateway(openSource(options.source, streams), line => void stderr.write(`${line}\n`));
  stdout.write(`${await listenAt(server, options.host, options.port)}\n`);
  if (!signal.aborted) await once(signal, 'abort');
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

function openSource(source: GatewayOptions['source'], { stderr }: Streams): RootSource {
  if (source.kind === 'evm') return openEvmSource(source);
  const log = openHttpLog({ baseUrl: source.url, userAgent: `recordproof-verify/${verifierVersion}` });
  const ledger = new LedgerSource(log, source.key);
  // Reading a long log takes a while, and a wrong key or URL is reported at start rather than on the first request.
  void ledger.refresh().catch(error => stderr.write(`${(error as Error).message}\n`));
  return ledger;
}

async function runUntilSignal(args: readonly string[], terminal: Terminal): Promise<number> {
  await runGateway(parseGatewayOptions(args), terminal, untilSignal());
  return 0;
}

export const gatewayCommand: Command = {
  declaration: gatewayDeclaration,
  run: runUntilSignal,
  describeFailure: problem => (problem instanceof Error ? problem.message : 'the gateway failed'),
};
