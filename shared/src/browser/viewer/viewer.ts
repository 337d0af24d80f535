// Full-window viewer of files, by pointer and by keys, for the app and for the page of a share. It works without a
// framework: the page of a share has none.
import { toShownName } from '../../shown-name.ts';
import { type ViewerTexts, viewerWords } from '../../words/viewer.ts';
import type { Language } from '../../words/words.ts';
import { element, strokes } from '../elements.ts';
import { show } from './shown.ts';
import { NotShown, type Showing, type Shown, type ViewedFile } from './viewed-file.ts';

type Viewing = Pick<Showing, 'openPdf' | 'toSize'> & {
  readonly count: number;
  readonly start: number;
  readonly language: Language;
  /** Undefined if the file is no longer available. */
  readonly find: (at: number) => Promise<ViewedFile | undefined>;
  readonly download: (at: number) => void;
  /** The error message for the user. */
  readonly explain: (error: unknown) => string;
  /** Called once, with the file that was shown last. */
  readonly onClose: (at: number) => void;
};

const icons = {
  previous: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
  zoomIn: 'M12 5v14M5 12h14',
  zoomOut: 'M5 12h14',
  download: 'M12 5v11M7.5 11.5 12 16l4.5-4.500M5 19.500h14',
  close: 'M6 6l12 12M18 6 6 18',
} as const;

const zoomStep = 1.5;
const maxZoom = 8;

export function openViewer(viewing: Viewing): { close(): void } {
  const viewer = new Viewer(viewing);
  return { close: () => viewer.close() };
}

class Viewer {
  readonly #viewing: Viewing;
  readonly #texts: ViewerTexts;
  readonly #frame: Frame;
  #at: number;
  #zoom = 1;
  #stop = new AbortController();
  #shown: Shown | undefined;

  constructor(viewing: Viewing) {
    this.#viewing = viewing;
    this.#at = viewing.start;
    this.#texts = viewerWords[viewing.language];
    this.#frame = new Frame(this.#texts);
    const { dialog, buttons } = this.#frame;
    for (const name of buttonNames) buttons[name].addEventListener('click', () => this.#act(name));
    dialog.addEventListener('keydown', event => this.#press(event));
    dialog.addEventListener('close', () => {
      this.#clear();
      dialog.remove();
      viewing.onClose(this.#at);
    });
    document.body.append(dialog);
    dialog.showModal();
    void this.#load();
  }

  close(): void {
    this.#frame.dialog.close();
  }

  #clear(): void {
    this.#stop.abort();
    this.#shown?.close?.();
    this.#shown = undefined;
    this.#zoom = 1;
  }

  async #load(): Promise<void> {
    this.#clear();
    const stop = new AbortController();
    this.#stop = stop;
    const { signal } = stop;
    this.#frame.begin(this.#at, this.#viewing.count);
    try {
      const file = await this.#viewing.find(this.#at);
      if (signal.aborted) return;
      if (!file) throw new NotShown(this.#texts.gone);
      this.#frame.name(file.name);
      const shown = await show(file, { ...this.#viewing, texts: this.#texts, signal });
      if (signal.aborted) shown.close?.();
      else this.#put(shown);
    } catch (error) {
      if (!signal.aborted)
        this.#frame.showMessage(error instanceof NotShown ? error.message : this.#viewing.explain(error));
    }
  }

  #put(shown: Shown): void {
    this.#shown = shown;
    this.#frame.put(shown);
  }

  #act(name: ButtonName): void {
    if (name === 'previous') this.#go(-1);
    else if (name === 'next') this.#go(1);
    else if (name === 'zoomIn') this.#zoomBy(zoomStep);
    else if (name === 'zoomOut') this.#zoomBy(1 / zoomStep);
    else if (name === 'previousPage') this.#turn(-1);
    else if (name === 'nextPage') this.#turn(1);
    else if (name === 'download') this.#viewing.download(this.#at);
    else this.close();
  }

  /** Keys do not reach the page behind, which has shortcuts of its own. */
  #press(event: KeyboardEvent): void {
    event.stopPropagation();
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey) return;
    const name = keys[key];
    if (key === ' ' && this.#shown?.toggle && !(target instanceof HTMLButtonElement)) this.#shown.toggle();
    else if (key === '0') this.#zoomBy(0);
    else if (name && (!key.startsWith('Page') || this.#shown?.pages)) this.#act(name);
    else return;
    event.preventDefault();
  }

  #go(step: number): void {
    const next = this.#at + step;
    if (next < 0 || next >= this.#viewing.count) return;
    this.#at = next;
    void this.#load();
  }

  /** 0: back to the size of the window. */
  #zoomBy(factor: number): void {
    if (!this.#shown?.zoom) return;
    this.#zoom = Math.max(1, Math.min(maxZoom, this.#zoom * factor));
    this.#shown.zoom(1);
    if (this.#zoom > 1) this.#shown.zoom(this.#zoom);
  }

  #turn(step: number): void {
    const shown = this.#shown;
    void shown?.pages?.turn(step).then(
      () => shown === this.#shown && this.#frame.showPage(shown),
      () => shown === this.#shown && this.#frame.showMessage(this.#texts.pdfFailed),
    );
  }
}

type IconName = keyof typeof icons;
const iconNames = Object.keys(icons) as IconName[];
type ButtonName = IconName | 'previousPage' | 'nextPage';
const buttonNames: readonly ButtonName[] = [...iconNames, 'previousPage', 'nextPage'];

const keys: Readonly<Record<string, ButtonName>> = {
  ArrowLeft: 'previous',
  ArrowRight: 'next',
  '+': 'zoomIn',
  '=': 'zoomIn',
  '-': 'zoomOut',
  PageUp: 'previousPage',
  PageDown: 'nextPage',
};

/** The elements around the content. */
class Frame {
  readonly dialog: HTMLDialogElement;
  readonly buttons: Readonly<Record<ButtonName, HTMLButtonElement>>;
  readonly #texts: ViewerTexts;
  readonly #title = element('h2', { id: 'viewer-title', dir: 'auto' });
  readonly #count = element('span', { class: 'quiet' });
  readonly #stage = element('div', {
    class: 'stage',
    tabindex: '0',
    autofocus: '',
    role: 'region',
    'aria-labelledby': 'viewer-title',
  });
  readonly #page = element('span');
  readonly #pages: HTMLElement;
  readonly #about = element('p', { class: 'quiet' });
  readonly #status = element('p', { class: 'unseen', role: 'status' });

  constructor(texts: ViewerTexts) {
    this.#texts = texts;
    const button = (name: IconName) => {
      const label = { 'aria-label': texts[name], title: texts[name] };
      return element('button', { type: 'button', class: `plain ${name}`, ...label }, strokes(icons[name]));
    };
    const turner = (name: 'previousPage' | 'nextPage') =>
      element('button', { type: 'button', class: 'plain' }, texts[name]);
    const made = Object.fromEntries(iconNames.map(name => [name, button(name)])) as Record<IconName, HTMLButtonElement>;
    this.buttons = { ...made, previousPage: turner('previousPage'), nextPage: turner('nextPage') };
    this.#pages = element('p', { class: 'pages' }, this.buttons.previousPage, this.#page, this.buttons.nextPage);
    const keys = element('p', { class: 'unseen', id: 'viewer-keys' }, texts.keys);
    const tools = element('div', { class: 'tools' }, made.zoomOut, made.zoomIn, made.download, made.close);
    const head = element('header', {}, this.#title, this.#count, tools);
    const foot = element('footer', {}, this.#pages, this.#about);
    this.dialog = element(
      'dialog',
      { class: 'viewer', 'aria-labelledby': 'viewer-title', 'aria-describedby': 'viewer-keys' },
      ...[head, this.#stage, made.previous, made.next, foot, keys, this.#status],
    );
  }

  begin(at: number, count: number): void {
    this.#count.textContent = this.#texts.of(String(at + 1), String(count));
    this.#enable(at > 0, 'previous');
    this.#enable(at < count - 1, 'next');
    this.#put(element('p', {}, this.#texts.loading));
  }

  name(name: string): void {
    this.#title.textContent = toShownName(name);
    this.#status.textContent = `${toShownName(name)}, ${this.#count.textContent}`;
  }

  put(shown: Shown): void {
    this.#put(shown.node);
    this.#about.textContent = shown.about ?? '';
    this.#enable(shown.zoom !== undefined, 'zoomIn', 'zoomOut');
    this.showPage(shown);
  }

  showPage({ pages }: Shown): void {
    this.#pages.hidden = pages === undefined;
    this.#page.textContent = pages?.label() ?? '';
  }

  /** Shown instead of a content. */
  showMessage(text: string): void {
    this.#put(element('p', { role: 'alert' }, text));
  }

  #put(node: HTMLElement): void {
    this.#stage.replaceChildren(node);
    this.#about.textContent = '';
    this.#pages.hidden = true;
    this.#enable(false, 'zoomIn', 'zoomOut');
  }

  /** A disabled button would swallow the keys: the focus goes to the content. */
  #enable(isEnabled: boolean, ...names: readonly ButtonName[]): void {
    for (const name of names) {
      if (!isEnabled && document.activeElement === this.buttons[name]) this.#stage.focus();
      this.buttons[name].disabled = !isEnabled;
    }
  }
}
