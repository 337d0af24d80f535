// Stand-in for the module `electron` where its binary is missing: the built program runs on it unchanged, and its
// windows are pages of a real Chromium. Calls to the operating system are simulated and recorded, so that tests can
// check them.
import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BrowserContext, chromium, type Page, type Route } from 'playwright-core';
import { decodeCloned, encodeCloned } from './cloned.ts';
import { hearBinding, invokeBinding, toInitScript } from './page-side.ts';
import { type Noted, parseOrder, standInSettings } from './settings.ts';

const settings = standInSettings();
const note = (noted: Noted): void => void process.send?.(noted);

/** Pages see the app's own scheme as an origin that Chromium knows. */
const shown = 'https://recordproof.app.invalid';
const own = 'app://recordproof';
const toShown = (url: string): string => (url.startsWith(own) ? shown + url.slice(own.length) : url);
const toOwn = (url: string): string => (url.startsWith(shown) ? own + url.slice(shown.length) : url);

type Handler = (event: object, input: unknown) => unknown;
type Answer = (request: { url: string; method: string }) => Promise<Response>;

const handlers = new Map<string, Handler>();
const schemes = new Map<string, Answer>();
let saveTo: string | undefined;

class App extends EventEmitter {
  #isQuitting = false;
  whenReady = async () => undefined;
  requestSingleInstanceLock = () => true;
  getVersion = () => '0.0.0';
  getLocale = () => 'en-GB';
  getPath = (name: string) => join(settings.folder, name);
  setAsDefaultProtocolClient = (scheme: string) => note({ kind: 'protocol', scheme });
  setLoginItemSettings = ({ openAtLogin }: { openAtLogin: boolean }) => note({ kind: 'login-item', openAtLogin });
  quit(): void {
    let isHeldBack = false;
    const hold = () => {
      isHeldBack = true;
    };
    if (!this.#isQuitting) this.emit('before-quit', { preventDefault: hold });
    if (isHeldBack) return;
    this.#isQuitting = true;
    process.exit();
  }
}
export const app = new App();

export const protocol = {
  registerSchemesAsPrivileged: () => undefined,
  handle: (scheme: string, answer: Answer) => void schemes.set(scheme, answer),
};

export const ipcMain = { handle: (channel: string, handler: Handler) => void handlers.set(channel, handler) };

export const safeStorage = {
  isEncryptionAvailable: () => settings.hasKeyring,
  encryptString: (text: string) => Buffer.from(text).map(byte => byte ^ 0x5a),
  decryptString: (bytes: Buffer) => Buffer.from(bytes.map(byte => byte ^ 0x5a)).toString(),
};

export const dialog = {
  showSaveDialog: async () =>
    saveTo === undefined ? { canceled: true, filePath: '' } : { canceled: false, filePath: saveTo },
};
export const clipboard = { writeText: (text: string) => note({ kind: 'clipboard', text }) };
export const shell = { showItemInFolder: (path: string) => note({ kind: 'shown', path }) };
export const screen = { getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1280, height: 800 } }] };
export const nativeImage = { createFromBitmap: (pixels: Buffer) => ({ bytes: pixels.length }) };
export const Menu = { buildFromTemplate: (items: readonly object[]) => items };

type Permission = (contents: object, permission: string, answer: (does: boolean) => void) => void;
let mayHave: Permission = (_contents, _permission, answer) => answer(true);
export const session = {
  defaultSession: {
    setPermissionRequestHandler: (handler: Permission) => {
      mayHave = handler;
    },
    setPermissionCheckHandler: () => undefined,
    setDevicePermissionHandler: () => undefined,
  },
};

export class Tray extends EventEmitter {
  setToolTip = (text: string) => note({ kind: 'tray', text });
  setImage = () => undefined;
  setContextMenu = (items: readonly { label?: string }[]) =>
    note({ kind: 'menu', labels: items.flatMap(({ label }) => label ?? []) });
}

export class Notification extends EventEmitter {
  readonly #notice: { title: string; body: string };
  static isSupported = () => true;
  constructor(notice: { title: string; body: string }) {
    super();
    this.#notice = notice;
  }
  show = () => note({ kind: 'notice', ...this.#notice });
}

const parentPort = fileURLToPath(new URL('./parent-port.ts', import.meta.url));

export const utilityProcess = {
  fork(path: string, args: readonly string[]) {
    const child: ChildProcess = fork(path, args, { execArgv: ['--import', parentPort], serialization: 'advanced' });
    note({ kind: 'process', pid: child.pid ?? 0 });
    return {
      once: (name: string, hear: () => void) => child.once(name, hear),
      on: (name: string, hear: (message: unknown) => void) => child.on(name, hear),
      // Already closed, it receives nothing more.
      postMessage: (message: object) => void (child.connected && child.send(message, () => undefined)),
      kill: () => child.kill(),
    };
  },
};

let context: Promise<BrowserContext> | undefined;
async function openContext(): Promise<BrowserContext> {
  const browser = await chromium.connectOverCDP(settings.browser, { timeout: 120_000 });
  const [first] = browser.contexts();
  if (!first) throw new Error('the browser has no context');
  return first;
}

class WebContents extends EventEmitter {
  page: Page | undefined;
  opening: () => { action: string } = () => ({ action: 'allow' });
  setWindowOpenHandler = (handler: () => { action: string }) => {
    this.opening = handler;
  };
  send(channel: string, value: unknown): void {
    const text = JSON.stringify(encodeCloned(value));
    this.page?.evaluate(`window.${hearBinding}(${JSON.stringify(channel)}, ${text})`).catch(() => undefined);
  }
}

async function answerBinding(
  { frame }: { frame: { url(): string; parentFrame(): unknown } },
  channel: string,
  input: string,
): Promise<string> {
  const handler = handlers.get(channel);
  if (!handler) throw new Error(`No handler registered for '${channel}'`);
  const senderFrame = { url: toOwn(frame.url()), parent: frame.parentFrame() };
  return encodeCloned(await handler({ senderFrame }, decodeCloned(input)));
}

async function answerRoute(contents: WebContents, route: Route): Promise<void> {
  const request = route.request();
  const url = toOwn(request.url());
  const isFirst = request.isNavigationRequest() && contents.page?.url() === 'about:blank';
  if (request.isNavigationRequest() && !isFirst) {
    let isPrevented = false;
    const preventDefault = () => {
      isPrevented = true;
    };
    contents.emit('will-navigate', { preventDefault, url });
    note({ kind: 'navigation', url, isPrevented });
    // As Electron does, instead of an error page.
    if (isPrevented) return route.abort('aborted');
  }
  const answer = schemes.get(new URL(url).protocol.slice(0, -1));
  if (!answer) return route.continue();
  const response = await answer({ url, method: request.method() });
  const body = Buffer.from(await response.arrayBuffer());
  await route.fulfill({ status: response.status, headers: Object.fromEntries(response.headers), body });
}

type WindowOptions = { readonly webPreferences: { readonly preload: string; readonly [name: string]: unknown } };

export class BrowserWindow extends EventEmitter {
  readonly webContents = new WebContents();
  readonly #options: WindowOptions;

  constructor(options: WindowOptions) {
    super();
    this.#options = options;
    note({ kind: 'window', preferences: { ...options.webPreferences, preload: undefined } });
    app.emit('web-contents-created', {}, this.webContents);
  }

  async loadURL(url: string): Promise<void> {
    context ??= openContext();
    const page = await (await context).newPage();
    this.webContents.page = page;
    page.setDefaultTimeout(120_000);
    await page.exposeBinding(invokeBinding, answerBinding);
    await page.addInitScript(toInitScript(readFileSync(this.#options.webPreferences.preload, 'utf8'), settings.files));
    await page.route('**/*', route => answerRoute(this.webContents, route));
    page.on('popup', popup => {
      const { action } = this.webContents.opening();
      note({ kind: 'popup', action });
      if (action === 'deny') popup.close().catch(() => undefined);
    });
    page.on('close', () => {
      this.emit('close');
      this.emit('closed');
      app.emit('window-all-closed');
    });
    mayHave(this.webContents, 'notifications', does => note({ kind: 'permission', does }));
    await page.goto(toShown(url));
    this.emit('ready-to-show');
  }

  show = () => undefined;
  focus = () => undefined;
  maximize = () => undefined;
  restore = () => undefined;
  isMinimized = () => false;
  isMaximized = () => false;
  isFocused = () => false;
  getNormalBounds = () => ({ x: 0, y: 0, width: 1180, height: 780 });
  setProgressBar = () => undefined;
}

process.on('message', (given: unknown) => {
  const order = parseOrder(given);
  if (order.kind === 'save-to') saveTo = order.path;
  else if (order.kind === 'second-start') app.emit('second-instance', {}, order.words);
  else app.quit();
  note({ kind: 'taken' });
});
