// The command `recordproof-verify gateway`. The gateway is an HTTP server that verifiers query for the batch root that a
// chain or a ledger recorded, instead of reading the chain themselves.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { openHttpLog } from '@recordproof/shared/evidence/log-over-http.ts';
import type { Command } from '../shell/run-command.ts';
import type { Terminal } from '../shell/terminal.ts';
import { verifierVersion } from '../version.ts';
import { openEvmSource } from './evm-source.ts';
import { type GatewayOptions, gatewayDeclaration, parseGatewayOptions } from './gateway-options.ts';
import { LedgerSource } from './ledger-source.ts';
import type { RootSource } from './root-source.ts';
import { openGateway } from './serve-gateway.ts';

type Streams = Pick<Terminal, 'stdout' | 'stderr'>;

/** Resolves on abort. */
export async function runGateway(options: GatewayOptions, streams: Streams, signal: AbortSignal): Promise<void> {
  await serve(options, openSource(options.source, streams), streams, signal);
}

function openSource(source: GatewayOptions['source'], { stderr }: Streams): RootSource {
  if (source.kind === 'evm') return openEvmSource(source);
  const log = openHttpLog({ baseUrl: source.url, userAgent: `recordproof-verify/${verifierVersion}` });
  const ledger = new LedgerSource(log, source.key);
  // Reading a long log takes a while, and a wrong key or URL is reported at start rather than on the first request.
  void ledger.refresh().catch(error => stderr.write(`${(error as Error).message}\n`));
  return ledger;
}

async function serve(
  { host, port }: GatewayOptions,
  source: RootSource,
  { stdout, stderr }: Streams,
  signal: AbortSignal,
): Promise<void> {
  const server = openGateway(source, line => void stderr.write(`${line}\n`));
  server.listen(port, host);
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  const shown = host.includes(':') ? `[${host}]` : host;
  stdout.write(`http://${shown}:${taken}\n`);
  if (!signal.aborted) await once(signal, 'abort');
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

async function runUntilSignal(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = parseGatewayOptions(args);
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  await runGateway(options, terminal, stopping.signal);
  return 0;
}

export const gatewayCommand: Command = {
  declaration: gatewayDeclaration,
  run: runUntilSignal,
  describeFailure: problem => (problem instanceof Error ? problem.message : 'the gateway failed'),
};
