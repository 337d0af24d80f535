// A page in Firefox, driven as a user does: elements are found by name, pressed, typed into and dragged.
import { expect } from 'vitest';
import type { Bidi } from './firefox.ts';
import { type Described, dragOnto, findDescribed, focusOn, hasFocus, isBeforeFocus, isReady } from './firefox-find.ts';

type Node = { readonly sharedId: string };
type Role = { readonly role?: string; readonly name: string };

/** By role and accessible name, or by label, or by selector and text. `within`: a selector of what holds it. */
export type Wanted = (Role | Described) & { readonly within?: string };

const keyCodes: Readonly<Record<string, string>> = {
  ...{ Tab: '\uE004', Enter: '\uE007', Shift: '\uE008', Control: '\uE009', Escape: '\uE00C', End: '\uE010' },
  ...{ Home: '\uE011', ArrowLeft: '\uE012', ArrowUp: '\uE013', ArrowRight: '\uE014', ArrowDown: '\uE015' },
  ...{ Delete: '\uE017', F2: '\uE032', Space: ' ' },
};

export type FirefoxDownload = { readonly name: string; readonly path: string };

export class FirefoxPage {
  readonly #bidi: Bidi;
  readonly #context: string;
  /** Errors in the page's console and uncaught ones. Rejections by the server are no errors. */
  readonly complaints: string[] = [];

  constructor(bidi: Bidi, context: string) {
    this.#bidi = bidi;
    this.#context = context;
    bidi.listen(({ method, params }) => {
      const { source, level, text } = params as { source?: { context?: string }; level?: string; text?: string };
      if (method === 'log.entryAdded' && source?.context === context && level === 'error')
        this.complaints.push(text ?? '');
    });
  }

  #send<T>(method: string, params: object): Promise<T> {
    return this.#bidi.send<T>(method, { context: this.#context, ...params });
  }

  async goTo(url: string): Promise<void> {
    await this.#send('browsingContext.navigate', { url, wait: 'complete' });
  }

  async reload(): Promise<void> {
    await this.#send('browsingContext.reload', { wait: 'complete' });
  }

  async goBack(): Promise<void> {
    await this.#send('browsingContext.traverseHistory', { delta: -1 });
  }

  async setViewport(width: number, height: number): Promise<void> {
    await this.#send('browsingContext.setViewport', { viewport: { width, height } });
  }

  /** A page behind another one is not drawn. */
  async bringToFront(): Promise<void> {
    await this.#send('browsingContext.activate', {});
  }

  async close(): Promise<void> {
    await this.#send('browsingContext.close', {});
  }

  /** All that match now. */
  async #list({ within, ...wanted }: Wanted): Promise<Node[]> {
    if (!('name' in wanted)) return this.#call<Node[]>(findDescribed, [{ ...wanted, within }]);
    const startNodes = within === undefined ? undefined : await this.#list({ css: within });
    if (startNodes?.length === 0) return [];
    const locator = { type: 'accessibility', value: wanted };
    return (await this.#send<{ nodes: Node[] }>('browsingContext.locateNodes', { locator, startNodes })).nodes;
  }

  /** Runs a function in the page. Nodes are passed and returned as references. */
  async #call<T>(run: (...given: never[]) => unknown, given: readonly unknown[]): Promise<T> {
    type Returned = { value?: unknown; type: string; sharedId?: string };
    const { result, exceptionDetails } = await this.#bidi.send<{
      result: Returned;
      exceptionDetails?: { text: string };
    }>('script.callFunction', {
      functionDeclaration: String(run),
      arguments: given.map(one => (isNode(one) ? one : { type: 'string', value: JSON.stringify(one) })),
      target: { context: this.#context },
      awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result.value as T;
  }

  /** The first that is in view, at rest, enabled and not covered, once there is one. */
  async find(wanted: Wanted): Promise<Node> {
    let found: Node | undefined;
    const look = async () => {
      for (const node of await this.#list(wanted)) {
        if (!(await this.#call<boolean>(isReady, [node]))) continue;
        found = node;
        return 'ready';
      }
      return 'not ready';
    };
    try {
      await expect.poll(look).toBe('ready');
    } catch (cause) {
      throw new Error(`${JSON.stringify(wanted)} cannot be pressed in: ${await this.text()}`, { cause });
    }
    return found as Node;
  }

  async count(wanted: Wanted): Promise<number> {
    return (await this.#list(wanted)).length;
  }

  async isFocused(wanted: Wanted): Promise<boolean> {
    for (const node of await this.#list(wanted)) if (await this.#call<boolean>(hasFocus, [node])) return true;
    return false;
  }

  async isBeforeFocus(wanted: Wanted): Promise<boolean> {
    const [node] = await this.#list(wanted);
    return node !== undefined && this.#call<boolean>(isBeforeFocus, [node]);
  }

  async expectCount(wanted: Wanted, count: number): Promise<void> {
    await expect.poll(() => this.count(wanted), { message: JSON.stringify(wanted) }).toBe(count);
  }

  async #act(...actions: readonly object[]): Promise<void> {
    await this.#send('input.performActions', { actions });
  }

  async press(wanted: Wanted, pointerType: 'mouse' | 'touch' = 'mouse'): Promise<void> {
    const element = await this.find(wanted);
    const move = { type: 'pointerMove', x: 0, y: 0, origin: { type: 'element', element } };
    const buttons = [
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ];
    await this.#act({ type: 'pointer', id: pointerType, parameters: { pointerType }, actions: [move, ...buttons] });
  }

  tap(wanted: Wanted): Promise<void> {
    return this.press(wanted, 'touch');
  }

  /** The events of a drag: with a pointer, this Firefox begins one but never drops without a window. */
  async drag(from: Wanted, to: Wanted): Promise<void> {
    await this.#call(dragOnto, [await this.find(from), await this.find(to)]);
  }

  /** Replaces what the field holds. */
  async fill(wanted: Wanted, text: string): Promise<void> {
    await this.press(wanted);
    await this.keys('Control+a');
    await this.type(text);
  }

  /** An option of a list, by what it shows; by keys, as the open list is no part of the page. */
  async select(wanted: Wanted, option: string): Promise<void> {
    const field = await this.find(wanted);
    await this.#call(focusOn, [field]);
    await this.type(option);
  }

  async type(text: string): Promise<void> {
    const actions = [...text].flatMap(value => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    await this.#act({ type: 'key', id: 'key', actions });
  }

  /** Keys by name, with their modifiers: `Control+a`, `ArrowDown`. */
  async keys(...pressed: readonly string[]): Promise<void> {
    const actions = pressed.flatMap(one => {
      const values = one.split('+').map(name => keyCodes[name] ?? name);
      const down = values.map(value => ({ type: 'keyDown', value }));
      return [...down, ...values.toReversed().map(value => ({ type: 'keyUp', value }))];
    });
    await this.#act({ type: 'key', id: 'key', actions });
  }

  /** The files that a user would choose in the system's dialog. */
  async choose(input: string, files: readonly string[]): Promise<void> {
    await expect.poll(() => this.count({ css: input }), { message: input }).toBeGreaterThan(0);
    const [element] = await this.#list({ css: input });
    await this.#send('input.setFiles', { element, files });
  }

  /** The dialog for files that an action opens, answered with these. */
  async chooseInDialog(act: () => Promise<void>, files: readonly string[]): Promise<void> {
    const opened = this.#next('input.fileDialogOpened');
    await act();
    await this.#send('input.setFiles', { element: (await opened).element, files });
  }

  /** What the action saves. */
  async download(act: () => Promise<void>): Promise<FirefoxDownload> {
    const [begun, ended] = [this.#next('browsingContext.downloadWillBegin'), this.#next('browsingContext.downloadEnd')];
    await act();
    const name = String((await begun).suggestedFilename);
    const { status, filepath } = await ended;
    if (status !== 'complete') throw new Error(`${name} was not saved: ${status}`);
    return { name, path: String(filepath) };
  }

  /** The next event of this page; fails with what the page shows where none comes in a minute. */
  #next(method: string): Promise<BidiParams> {
    const { promise, resolve, reject } = Promise.withResolvers<BidiParams>();
    const stop = this.#bidi.listen(event => {
      if (event.method !== method || event.params.context !== this.#context) return;
      stop();
      clearTimeout(timer);
      resolve(event.params);
    });
    const fail = async () => {
      stop();
      reject(new Error(`no ${method} from: ${await this.text()}`));
    };
    promise.catch(() => undefined); // the action may have failed before
    const timer = setTimeout(() => void fail().catch(reject), 60_000);
    return promise;
  }

  /** Requests to these paths wait until they are released. */
  async hold(pathname: string): Promise<{ held: () => number; release: () => Promise<void> }> {
    const held: string[] = [];
    const urlPatterns = [{ type: 'pattern', pathname }];
    await this.#bidi.send('session.subscribe', { events: ['network.beforeRequestSent'], contexts: [this.#context] });
    const stop = this.#bidi.listen(({ method, params }) => {
      if (method === 'network.beforeRequestSent' && params.context === this.#context && params.isBlocked === true)
        held.push((params.request as { request: string }).request);
    });
    const { intercept } = await this.#bidi.send<{ intercept: string }>('network.addIntercept', {
      ...{ phases: ['beforeRequestSent'], urlPatterns, contexts: [this.#context] },
    });
    const release = async () => {
      await this.#bidi.send('network.removeIntercept', { intercept });
      stop();
      // A reload ends requests that were held.
      for (const request of held) await this.#bidi.send('network.continueRequest', { request }).catch(() => undefined);
    };
    return { held: () => held.length, release };
  }

  async evaluate(expression: string): Promise<unknown> {
    const { result } = await this.#bidi.send<{ result: { value?: unknown } }>('script.evaluate', {
      expression,
      target: { context: this.#context },
      awaitPromise: true,
    });
    return result.value;
  }

  /** A value that JSON can hold. */
  async read<T>(expression: string): Promise<T> {
    return JSON.parse(String(await this.evaluate(`(async () => JSON.stringify(await (${expression})))()`))) as T;
  }

  /** Until no animation runs: colours change while one does. */
  async atRest(): Promise<void> {
    const count = `document.getAnimations().filter(one => one.effect?.getTiming().iterations !== Infinity).length`;
    await expect.poll(() => this.evaluate(count)).toBe(0);
  }

  async screenshot(): Promise<Buffer> {
    return Buffer.from((await this.#send<{ data: string }>('browsingContext.captureScreenshot', {})).data, 'base64');
  }

  async text(): Promise<string> {
    return String((await this.evaluate('document.body.innerText')) ?? '');
  }

  async expectText(text: string): Promise<void> {
    await expect.poll(() => this.text()).toContain(text);
  }

  async expectNoText(text: string): Promise<void> {
    await expect.poll(() => this.text()).not.toContain(text);
  }
}

type BidiParams = Readonly<Record<string, unknown>>;

const isNode = (given: unknown): given is Node => typeof given === 'object' && given !== null && 'sharedId' in given;
