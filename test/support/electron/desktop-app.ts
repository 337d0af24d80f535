// The built desktop app, started as a user starts it, on the stand-in for Electron and a real Chromium.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { findFreePort, hasExited } from '../child-process.ts';
import { chromiumArguments, chromiumPath, noChromium } from '../chromium.ts';
import { type Noted, type Order, type StandInSettings, settingsVariable } from './settings.ts';

/** Generous: two processors may have much other work. */
const timeoutMs = 120_000;

const hooks = fileURLToPath(new URL('./hooks.ts', import.meta.url));

export type DesktopOptions = {
  /** desktop/out, or another folder with the bundles. */
  readonly out: string;
  readonly folder: string;
  readonly files: string;
  readonly hasKeyring?: boolean;
};

export type DesktopApp = AsyncDisposable & {
  readonly noted: Noted[];
  /** The newest window. */
  page(): Promise<Page>;
  /** Resolves when it was carried out. */
  order(order: Order): Promise<void>;
  /** Ends it by kill -9, or as a user who quits. */
  end(how: 'kill' | 'quit'): Promise<void>;
  start(): Promise<void>;
};

async function openBrowser(folder: string): Promise<{ context: BrowserContext; address: string }> {
  if (chromiumPath === undefined) throw new Error(noChromium);
  const port = await findFreePort();
  const context = await chromium.launchPersistentContext(join(folder, 'browser'), {
    executablePath: chromiumPath,
    args: [...chromiumArguments, `--remote-debugging-port=${port}`],
    viewport: { width: 1280, height: 800 },
    timeout: timeoutMs,
  });
  context.setDefaultTimeout(timeoutMs);
  return { context, address: `http://127.0.0.1:${port}` };
}

const countTaken = (noted: readonly Noted[]): number => noted.filter(({ kind }) => kind === 'taken').length;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error('it did not come to that in time');
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}

export async function startDesktopApp({ out, folder, files, hasKeyring = true }: DesktopOptions): Promise<DesktopApp> {
  await mkdir(folder, { recursive: true });
  const { context, address } = await openBrowser(folder);
  const settings: StandInSettings = { browser: address, folder, files, hasKeyring };
  const noted: Noted[] = [];
  let child: ChildProcess | undefined;
  let window: Promise<Page> | undefined;

  const started = {
    noted,
    page: () => window ?? Promise.reject(new Error('the app has not been started')),
    async order(order: Order) {
      const before = countTaken(noted);
      child?.send(order);
      await until(() => countTaken(noted) > before);
    },
    async end(how: 'kill' | 'quit') {
      if (!child || hasExited(child)) return;
      const exited = once(child, 'exit');
      if (how === 'kill') child.kill('SIGKILL');
      else child.send({ kind: 'quit' } satisfies Order);
      await exited;
      // The transfer process ends with it, shortly after.
      await until(() => noted.every(one => one.kind !== 'process' || !isAlive(one.pid)));
      // The window of an ended program would be closed, too.
      await (await window)?.close();
    },
    async start() {
      window = context.waitForEvent('page');
      window.catch(() => undefined);
      const env = { ...process.env, [settingsVariable]: JSON.stringify(settings), NODE_OPTIONS: '' };
      child = fork(join(out, 'main', 'main.js'), [], { env, execArgv: ['--import', hooks] });
      child.on('message', message => noted.push(message as Noted));
      const gone = once(child, 'exit').then(([code]) => {
        throw new Error(`the app ended with ${code} before it had a window`);
      });
      gone.catch(() => undefined);
      await Promise.race([window, gone]);
    },
    async [Symbol.asyncDispose]() {
      await started.end('kill');
      await context.close();
    },
  };
  await started.start();
  return started;
}
