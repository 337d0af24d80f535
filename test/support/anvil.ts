// A real EVM node as a child of the test. Its state is a file, so that it can be stopped and started again.
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRpc, type RpcCall } from '@recordproof/shared/evidence/evm-rpc.ts';
import { collectOutput, findFreePort, spawnTied, stopChild, waitUntilReady } from './child-process.ts';

/** The node's own well-known accounts, without value anywhere else. */
export const writerKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
export const strangerKey = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';

const program = fileURLToPath(
  new URL(
    `../../node_modules/@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : 'arm64'}/bin/anvil`,
    import.meta.url,
  ),
);

export type Anvil = AsyncDisposable & {
  readonly url: string;
  readonly rpc: RpcCall;
  mine(blocks: number): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
};

export async function startAnvil(...flags: string[]): Promise<Anvil> {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-anvil-'));
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const rpc = openRpc({ url });
  const begin = async () => {
    const state = ['--state', join(folder, 'state.json')];
    const child = spawnTied(program, ['--host', '127.0.0.1', '--port', String(port), '--silent', ...state, ...flags]);
    const output = collectOutput(child);
    await waitUntilReady(child, () => rpc('eth_chainId', []), { timeoutMs: 120_000, pollMs: 20, output });
    return child;
  };
  let child = await begin();
  return {
    url,
    rpc,
    mine: async blocks => void (await rpc('anvil_mine', [`0x${blocks.toString(16)}`])),
    stop: () => stopChild(child),
    start: async () => {
      child = await begin();
    },
    [Symbol.asyncDispose]: async () => {
      await stopChild(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type LossyProxy = AsyncDisposable & {
  readonly url: string;
  /** The next calls of this method reach the node, but their answers are lost. */
  swallow: { readonly method: string; times: number } | null;
  /** Requested methods, in order. */
  readonly asked: string[];
};

/** A proxy to the node that can lose answers. */
export async function openLossyProxy(to: string): Promise<LossyProxy> {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
    const { method } = JSON.parse(body.toString()) as { method: string };
    proxy.asked.push(method);
    const onward = send(to, { method: 'POST', headers: { 'content-type': 'application/json' } }, answer => {
      if (proxy.swallow?.method === method && proxy.swallow.times-- > 0) {
        answer.resume();
        request.socket.destroy();
      } else {
        response.writeHead(answer.statusCode ?? 500);
        answer.pipe(response);
      }
    });
    onward.on('error', () => request.socket.destroy());
    onward.end(body);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const proxy: LossyProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    swallow: null,
    asked: [],
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return proxy;
}

/** Accepts every call and answers none. */
export async function openSilentProxy(): Promise<AsyncDisposable & { readonly url: string; asked(): number }> {
  let asked = 0;
  const server = createServer(request => {
    asked += 1;
    request.resume();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
