// Network access by environment and profile: proxies and certificates.
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Network, openNetwork } from '@recordproof/shared/node/network.ts';
import { type Proxies, readProxies, WrongProxy } from '@recordproof/shared/node/proxies.ts';
import { CommandError } from './command-error.ts';
import { findFileProblem } from './system-error.ts';

type Settings = { readonly ca: string; readonly timeoutSeconds: number; readonly userAgent: string };

const tryCa = 'recordproof config set ca <file.pem>, or: recordproof config unset ca';

async function readAuthority(path: string): Promise<string | undefined> {
  if (path === '') return undefined;
  try {
    const text = await readFile(path, 'utf8');
    new X509Certificate(text);
    return text;
  } catch (cause) {
    const what = findFileProblem(cause) ?? `${path} holds no certificate in PEM`;
    throw new CommandError('config', `the setting ca: ${what}`, { try: tryCa, cause });
  }
}

function findProxies(): Proxies {
  try {
    return readProxies(process.env);
  } catch (error) {
    if (error instanceof WrongProxy) throw new CommandError('config', error.message, { cause: error });
    throw error;
  }
}

export const openCliNetwork = async ({ ca, timeoutSeconds, userAgent }: Settings): Promise<Network> =>
  openNetwork({
    proxies: findProxies(),
    authority: await readAuthority(ca),
    userAgent,
    idleSeconds: Math.max(120, timeoutSeconds),
  });
