// The Firefox of the machine, if it has one, over its built-in WebDriver BiDi: no driver, no patched browser.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { collectOutput, spawnTied, stopChild, waitUntilReady } from './child-process.ts';

const places = [process.env.FIREFOX, '/usr/bin/firefox-esr', '/usr/bin/firefox'];

export const firefoxPath = places.find(place => place !== undefined && existsSync(place));

export const noFirefox = 'no Firefox on this machine (install the package firefox-esr, or name one in FIREFOX)';

type Answer = { readonly id?: number; readonly type: string; readonly result?: unknown; readonly message?: string };
type Send = <T>(method: string, params: object) => Promise<T>;
type Waiting = { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void };

/** Commands are answered by number, one at a time. */
async function connect(url: string): Promise<{ readonly send: Send; readonly close: () => void }> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, Waiting>();
  let last = 0;
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error(`nobody answers at ${url}`));
  });
  socket.onmessage = ({ data }) => {
    const { id, type, result, message } = JSON.parse(String(data)) as Answer;
    const asked = id === undefined ? undefined : waiting.get(id);
    if (type === 'success') asked?.resolve(result);
    else asked?.reject(new Error(message));
    if (id !== undefined) waiting.delete(id);
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
  return { send, close: () => socket.close() };
}

type Node = { readonly sharedId: string };
type Locator =
  | { readonly type: 'css'; readonly value: string }
  | { readonly type: 'accessibility'; readonly value: Role };
type Role = { readonly role?: string; readonly name: string };

/** A page driven as a user does: elements are found by name, pressed and typed into. */
export class FirefoxPage {
  readonly #send: Send;
  readonly #context: string;

  constructor(send: Send, context: string) {
    this.#send = send;
    this.#context = context;
  }

  async goTo(url: string): Promise<void> {
    await this.#send('browsingContext.navigate', { context: this.#context, url, wait: 'complete' });
  }

  /** The only matching element, once it exists. */
  async #find(locator: Locator): Promise<Node> {
    const poll = async () => {
      const found = await this.#send<{ nodes: Node[] }>('browsingContext.locateNodes', {
        context: this.#context,
        locator,
      });
      return found.nodes;
    };
    await expect.poll(async () => (await poll()).length, { message: JSON.stringify(locator) }).toBeGreaterThan(0);
    const [node] = await poll();
    if (!node) throw new Error(`${JSON.stringify(locator)} came and went`);
    return node;
  }

  async #act(type: 'pointer' | 'key', actions: readonly object[]): Promise<void> {
    await this.#send('input.performActions', { context: this.#context, actions: [{ type, id: type, actions }] });
  }

  async press(wanted: Role): Promise<void> {
    const { sharedId } = await this.#find({ type: 'accessibility', value: wanted });
    const origin = { type: 'element', element: { sharedId } };
    await this.#act('pointer', [
      { type: 'pointerMove', x: 0, y: 0, origin },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ]);
  }

  async fill(wanted: Role, text: string): Promise<void> {
    await this.press(wanted);
    const strokes = [...text].flatMap(value => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    await this.#act('key', strokes);
  }

  /** The files that a user would choose in the system's dialog. */
  async choose(input: string, files: readonly string[]): Promise<void> {
    const { sharedId } = await this.#find({ type: 'css', value: input });
    await this.#send('input.setFiles', { context: this.#context, element: { sharedId }, files });
  }

  async evaluate(expression: string): Promise<unknown> {
    const { result } = await this.#send<{ result: { value?: unknown } }>('script.evaluate', {
      expression,
      target: { context: this.#context },
      awaitPromise: true,
    });
    return result.value;
  }

  async text(): Promise<string> {
    return String((await this.evaluate('document.body.innerText')) ?? '');
  }

  async expectText(text: string): Promise<void> {
    await expect.poll(() => this.text()).toContain(text);
  }
}

export type Firefox = AsyncDisposable & { readonly page: FirefoxPage };

/** With an empty profile, and no window. */
export async function launchFirefox(): Promise<Firefox> {
  if (firefoxPath === undefined) throw new Error(noFirefox);
  const profile = await mkdtemp(join(tmpdir(), 'recordproof-firefox-'));
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
  const { send, close } = await connect(url);
  await send('session.new', { capabilities: {} });
  const { contexts } = await send<{ contexts: { context: string }[] }>('browsingContext.getTree', {});
  return {
    page: new FirefoxPage(send, contexts[0]?.context ?? ''),
    async [Symbol.asyncDispose]() {
      close();
      await stopChild(child);
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
