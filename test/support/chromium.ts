// The Chromium of the machine, if it has one: tests that need it are skipped with a message otherwise.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const findProgram = (name: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map(folder => join(folder, name))
    .find(existsSync);

const named = process.env.CHROMIUM;

export const chromiumPath =
  named !== undefined && existsSync(named)
    ? named
    : ['chromium', 'chromium-browser', 'google-chrome'].map(findProgram).find(path => path !== undefined);

/** The same engine without a window, which takes a third less processor time. It shows no notifications. */
const shellPath = findProgram('chromium-headless-shell');

export const noChromium = 'no Chromium on this machine (install the package chromium, or name one in CHROMIUM)';

export const chromiumArguments: readonly string[] = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage', // a container may have 64 MiB there, and a page that needs more crashes
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A browser with an empty profile and no requests of its own. `complete`: with notifications. */
export async function launchChromium({ complete = false } = {}): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error(noChromium);
  const shell = complete || process.env.CHROMIUM !== undefined ? undefined : shellPath;
  return chromium.launch({ executablePath: shell ?? chromiumPath, args: [...chromiumArguments] });
}
