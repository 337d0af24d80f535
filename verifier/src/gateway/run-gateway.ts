// The command `recordproof-verify gateway`: opens the chain that was named and serves until it is told to stop.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Terminal } from '../cli.ts';
import { UsageError } from '../options.ts';
import { verifierVersion } from '../version.ts';
import { type GatewayOptions, gatewayUsage, parseGatewayOptions } from './options.ts';
import type { RootSource } from './root-source.ts';
import { openGateway } from './serve-gateway.ts';

/** Resolves to the exit code when the signal fires. */
export async function runGateway(args: readonly string[], terminal: Terminal, signal: AbortSignal): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    terminal.stdout.write(gatewayUsage);
    return 0;
  }
  try {
    const options = parseGatewayOptions(args);
    await serve(options, await openSource(options.source, terminal), terminal, signal);
    return 0;
  } catch (problem) {
    if (problem instanceof UsageError) {
      terminal.stderr.write(`${problem.message}\nTry recordproof-verify gateway --help\n`);
      return 64;
    }
    terminal.stderr.write(`${problem instanceof Error ? problem.message : 'the gateway failed'}\n`);
    return 1;
  }
}

async function openSource(source: GatewayOptions['source'], terminal: Terminal): Promise<RootSource> {
  if (source.kind === 'evm') {
    const { openEvmSource } = await import('./evm-source.ts');
    return openEvmSource(source);
  }
  const { openHttpLog } = await import('@recordproof/shared/evidence/log-over-http.ts');
  const { LedgerSource } = await import('./ledger-source.ts');
  const log = openHttpLog({ baseUrl: source.url, userAgent: `recordproof-verify/${verifierVersion}` });
  const ledger = new LedgerSource(log, source.key);
  // A long log takes a while to be read, and a wrong key or address is better told now than to the first who asks.
  void ledger.refresh().catch(error => terminal.stderr.write(`${(error as Error).message}\n`));
  return ledger;
}

async function serve(
  { host, port }: GatewayOptions,
  source: RootSource,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const server = openGateway(source, line => void terminal.stderr.write(`${line}\n`));
  server.listen(port, host);
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  const shown = host.includes(':') ? `[${host}]` : host;
  terminal.stdout.write(`http://${shown}:${taken}\n`);
  if (!signal.aborted) await once(signal, 'abort');
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
