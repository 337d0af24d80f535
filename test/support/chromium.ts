// The Chromium of the machine, if it has one: tests that need it say so when they are skipped.
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export const chromiumPath = places.find(place => place !== undefined && existsSync(place));

export const noChromium = 'no Chromium on this machine (install the package chromium, or name one in CHROMIUM)';

export const chromiumArguments: readonly string[] = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage', // a container may have 64 MiB there, and a page that wants more dies
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A browser with an empty profile that talks to nobody by itself. */
export async function launchChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error(noChromium);
  return chromium.launch({ executablePath: chromiumPath, args: [...chromiumArguments] });
}
