// Client address of a request: the connection's peer or, behind trusted proxies, the address they forward.
// X-Forwarded-For is attacker-controlled except for the last part, which the trusted proxy has added.
import { type BlockList, isIP, SocketAddress } from 'node:net';
import type { ComponentHealth } from '@recordproof/shared/api/monitor.ts';
import { type Clock, toIso } from '../clock.ts';
import type { LogPort } from '../log-port.ts';
import { isListed, toBlockList } from './networks.ts';

/** IPv4-mapped addresses as IPv4, IPv6 in its short form without a zone; null if it is no address. */
export function foldAddress(text: string): string | null {
  const kind = isIP(text);
  if (kind !== 6) return kind === 4 ? text : null;
  const { address } = new SocketAddress({ address: text.replace(/%.*/, ''), family: 'ipv6' });
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1] ?? address;
}

/** The forms that proxies write: with or without port, brackets and quotation marks. */
const written = /^"?(?:\[([0-9a-f:.]{2,45})\](?::\d{1,5})?|([\d.]{7,15})(?::\d{1,5})?|([0-9a-f:.]{2,45}))"?$/i;

function readAddress(text: string): string | null {
  const [, bracketed, ipv4, plain] = written.exec(text.trim()) ?? [];
  return foldAddress(bracketed ?? ipv4 ?? plain ?? '');
}

/** Networks that the configuration can name by a word. */
export const namedNetworks: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

const toTrusted = (networks: readonly string[]): BlockList =>
  toBlockList(networks.flatMap(name => namedNetworks[name] ?? [name]));

type Forwarding = { readonly 'x-forwarded-for'?: string | undefined; readonly forwarded?: string | undefined };

const warnEveryMs = 3600_000;

/** The trusted proxies, and the last peer that sent forwarding headers without being one. */
export class Proxies {
  readonly #trusted: BlockList;
  readonly #clock: Clock;
  readonly #log: LogPort;
  #ignored: { readonly peer: string; readonly at: number } | undefined;
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(trusted: readonly string[], { clock, log }: { readonly clock: Clock; readonly log: LogPort }) {
    this.#trusted = toTrusted(trusted);
    this.#clock = clock;
    this.#log = log;
  }

  /** The nearest address that is no trusted proxy; the peer if any part is no address. */
  clientAddress(peerAddress: string, headers: Forwarding): string {
    const peer = foldAddress(peerAddress) ?? peerAddress;
    const forwarded = headers['x-forwarded-for'];
    if (forwarded === undefined && headers.forwarded === undefined) return peer;
    if (!this.#isTrusted(peer)) return this.#ignore(peer);
    let client = peer;
    for (const part of (forwarded ?? '').split(',').reverse()) {
      const address = readAddress(part);
      if (address === null) return peer;
      client = address;
      if (!this.#isTrusted(address)) return address;
    }
    return client;
  }

  health(): ComponentHealth {
    if (this.#ignored === undefined) return { status: 'UP', details: {} };
    const { peer, at } = this.#ignored;
    const warning = `${peer} sends forwarding headers and is not in trusted-proxies: if it is a proxy, all its clients share one rate limit; add it to trusted-proxies`;
    return { status: 'UP', details: { warning, lastSeen: toIso(at) } }; // UP: any stranger can send such a header
  }

  #isTrusted(address: string): boolean {
    return isListed(this.#trusted, address);
  }

  #ignore(peer: string): string {
    const now = this.#clock.now();
    this.#ignored = { peer, at: now };
    if (now - this.#warnedAt >= warnEveryMs) {
      this.#warnedAt = now;
      this.#log.warn({ peer }, 'ignored forwarding headers from an address that is not in trusted-proxies');
    }
    return peer;
  }
}
