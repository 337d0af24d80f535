// Settings of online mode: URLs and hosts. Rejects ambiguous URLs: credentials, queries, placeholders in the host,
// unknown placeholders. Nothing here ever comes from an archive.
import { UsageError } from '@recordproof/shared/node/read-arguments.ts';
import type { OnlineOptions } from '../options.ts';
import { oneLine, toShownUrl } from '../shell/terminal.ts';
import type { ChainAddress } from '../verify/live-evidence.ts';

type OnlineSettings = {
  issuerBase: URL;
  chainTemplate: string;
  ledgerBase: URL | undefined;
  allowedHosts: readonly string[];
};

const placeholders = ['chainType', 'chainId', 'groupId', 'contractAddress', 'batchNo'] as const;
const placeholder = /\{([^{}]*)\}/g;

export function parseOnlineSettings(options: OnlineOptions): OnlineSettings {
  return {
    issuerBase: parseBase(options.issuerBaseUrl, '--issuer-base-url'),
    chainTemplate: parseTemplate(options.chainUrlTemplate),
    ledgerBase: options.ledgerUrl === undefined ? undefined : parseBase(options.ledgerUrl, '--ledger-url'),
    allowedHosts: options.allowedHosts.map(parseHost),
  };
}

function parseWebUrl(text: string, option: string, written = text): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new UsageError(`${option} must be an https address, not "${toShownUrl(written)}"`);
  if (url.username !== '' || url.password !== '')
    throw new UsageError(`${option} must not hold a user name or password`);
  if (url.hash !== '') throw new UsageError(`${option} must not have a fragment`);
  return url;
}

function parseBase(text: string, option: string): URL {
  const url = parseWebUrl(text, option);
  if (url.search !== '') throw new UsageError(`${option} must not have a query`);
  return url;
}

function parseTemplate(text: string): string {
  const names = [...text.matchAll(placeholder)].map(match => match[1] ?? '');
  const unknown = names.some(name => !placeholders.some(known => known === name));
  if (unknown || !names.includes('batchNo') || /[{}]/.test(text.replaceAll(placeholder, '')))
    throw new UsageError(
      `--chain-url-template takes the placeholders ${placeholders.map(name => `{${name}}`).join(' ')}`,
    );
  const [one, other] = ['a', 'b'].map(filler =>
    parseWebUrl(text.replaceAll(placeholder, filler), '--chain-url-template', text),
  );
  if (one?.origin !== other?.origin)
    throw new UsageError('--chain-url-template must not have placeholders in its host');
  return text;
}

function parseHost(text: string): string {
  const bracketed = /^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$/.test(text) ? `[${text}]` : text;
  const url = /[/?#@\\\s]/.test(text) ? null : URL.parse(`https://${bracketed}`);
  if (url === null || url.hostname === '')
    throw new UsageError(`--allow-host takes a host name, with a port or without, not "${oneLine(text)}"`);
  // The default port of HTTPS is omitted, here as in the queried URLs.
  return url.host;
}

export function toUrlUnder(base: URL, path: string): URL {
  const url = new URL(base);
  url.pathname = base.pathname.replace(/\/+$/, '') + path;
  return url;
}

export function toChainUrl(template: string, address: ChainAddress): URL {
  return new URL(
    template.replaceAll(placeholder, (_, name: string) =>
      encodeURIComponent(placeholders.some(known => known === name) ? address[name as keyof ChainAddress] : ''),
    ),
  );
}

const anyRoot: ChainAddress = { chainType: 'a', chainId: 'a', groupId: 'a', contractAddress: 'a', batchNo: 'a' };

/** The URLs given by the caller. */
export const listNamedUrls = ({ issuerBase, chainTemplate, ledgerBase }: OnlineSettings): URL[] => [
  toUrlUnder(issuerBase, '/'),
  toChainUrl(chainTemplate, anyRoot),
  ...(ledgerBase === undefined ? [] : [ledgerBase]),
];
