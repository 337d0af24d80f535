// The Firefox of the machine, if it has one, over its built-in WebDriver BiDi: no driver, no patched browser.
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectOutput, spawnTied, stopChild, waitUntilReady } from './child-process.ts';
import { FirefoxPage } from './firefox-page.ts';

const candidates = [process.env.FIREFOX, '/usr/bin/firefox-esr', '/usr/bin/firefox'];

export const firefoxPath = candidates.find(path => path !== undefined && existsSync(path));

export const noFirefox = 'no Firefox on this machine (install the package firefox-esr, or name one in FIREFOX)';

type Answer = { readonly id?: number; readonly type: string; readonly result?: unknown; readonly message?: string };
type Send = <T>(method: string, params: object) => Promise<T>;
type Waiting = { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void };

export type BidiEvent = { readonly method: string; readonly params: Readonly<Record<string, unknown>> };
export type Bidi = {
  readonly send: Send;
  /** Returns a function that ends the subscription. */
  readonly listen: (listener: (event: BidiEvent) => void) => () => void;
  readonly close: () => void;
};

/** Commands are answered by number; events go to every listener. */
async function connect(url: string): Promise<Bidi> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, Waiting>();
  const listeners = new Set<(event: BidiEvent) => void>();
  let last = 0;
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error(`nobody answers at ${url}`));
  });
  socket.onmessage = ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer;
    if (answer.type === 'event') {
      for (const listener of listeners) listener(answer as unknown as BidiEvent);
      return;
    }
    const asked = answer.id === undefined ? undefined : waiting.get(answer.id);
    if (answer.type === 'success') asked?.resolve(answer.result);
    else asked?.reject(new Error(answer.message));
    if (answer.id !== undefined) waiting.delete(answer.id);
  };
  socket.onclose = () => {
    for (const { reject } of waiting.values()) reject(new Error('Firefox has gone'));
  };
  const send = <T>(method: string, params: object): Promise<T> => {
    last += 1;
    const { promise, ...asked } = Promise.withResolvers<unknown>();
    waiting.set(last, asked);
    socket.send(JSON.stringify({ id: last, method, params }));
    return promise as Promise<T>;
  };
  const listen = (listener: (event: BidiEvent) => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return { send, listen, close: () => socket.close() };
}

type PageOptions = {
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Language of the browser. */
  readonly locale?: string;
};

export type Firefox = AsyncDisposable & {
  /** A tab with cookies and storage of its own. */
  readonly newPage: (options?: PageOptions) => Promise<FirefoxPage>;
};

const events = [
  'browsingContext.downloadWillBegin',
  'browsingContext.downloadEnd',
  'input.fileDialogOpened',
  'log.entryAdded',
];

type Theme = 'light' | 'dark';

/** With an empty profile, and no window. A page is told the theme of the browser: WebDriver BiDi cannot change it. */
export async function launchFirefox(theme: Theme = 'light'): Promise<Firefox> {
  if (firefoxPath === undefined) throw new Error(noFirefox);
  const profile = await mkdtemp(join(tmpdir(), 'recordproof-firefox-'));
  const scheme = { dark: 0, light: 1 }[theme];
  await writeFile(
    join(profile, 'user.js'),
    `user_pref("layout.css.prefers-color-scheme.content-override", ${scheme});\n`,
  );
  const child = spawnTied(firefoxPath, [
    ...['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile],
    'about:blank',
  ]);
  const output = collectOutput(child);
  const find = async () => {
    const [, url] = /WebDriver BiDi listening on (ws:\S+)/.exec(output()) ?? [];
    if (url === undefined) throw new Error('it does not listen yet');
    return `${url}/session`;
  };
  const url = await waitUntilReady(child, find, { timeoutMs: 120_000, pollMs: 100, output });
  const bidi = await connect(url);
  const { send, close } = bidi;
  // Dialogs for files stay closed: a test chooses the files of their input.
  await send('session.new', { capabilities: { alwaysMatch: { unhandledPromptBehavior: { file: 'dismiss' } } } });
  await send('session.subscribe', { events });
  const destinationFolder = join(profile, 'downloads');
  await send('browser.setDownloadBehavior', { downloadBehavior: { type: 'allowed', destinationFolder } });

  const newPage = async ({ viewport = { width: 1280, height: 800 }, locale }: PageOptions = {}) => {
    const { userContext } = await send<{ userContext: string }>('browser.createUserContext', {});
    if (locale !== undefined) await send('emulation.setLocaleOverride', { locale, userContexts: [userContext] });
    const { context } = await send<{ context: string }>('browsingContext.create', { type: 'tab', userContext });
    await send('browsingContext.setViewport', { context, viewport });
    return new FirefoxPage(bidi, context);
  };
  return {
    newPage,
    async [Symbol.asyncDispose]() {
      close();
      await stopChild(child);
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
