// Keyboard use of the app in journeys: key presses, and checks that the focus is visible.
import type { FileChooser, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** More tab stops than any screen of the journeys has. */
const mostStops = 120;

type File = { readonly name: string; readonly mimeType: string; readonly buffer: Buffer };

export class Keys {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
    // Installed before the first key press: asking afterwards may be too late.
    page.on('filechooser', () => undefined);
  }

  /** Tabs from the focused element to the named one. Each stop must be visible. */
  async tabTo(wanted: Locator): Promise<void> {
    await wanted.waitFor();
    const passed: string[] = [];
    while (!(await isFocused(wanted))) {
      if (passed.length === mostStops) throw new Error(`${wanted} is not among: ${passed.join(' | ')}`);
      await this.page.keyboard.press('Tab');
      const stop = await this.page.evaluate(inspectFocus);
      expect(stop.fault, `${stop.name} after ${passed.at(-1)}`).toBeNull();
      passed.push(stop.name);
    }
  }

  async press(wanted: Locator, key = 'Enter'): Promise<void> {
    await this.tabTo(wanted);
    await this.page.keyboard.press(key);
  }

  async fill(wanted: Locator, text: string): Promise<void> {
    await this.tabTo(wanted);
    await this.page.keyboard.press('ControlOrMeta+a');
    await this.page.keyboard.type(text);
  }

  /** A key opens the file dialog; a file is chosen in it. */
  async choose(wanted: Locator, file: File, key = 'Enter'): Promise<void> {
    await this.tabTo(wanted);
    const opened = this.page.waitForEvent('filechooser');
    await this.page.keyboard.press(key);
    const chooser: FileChooser = await opened;
    await chooser.setFiles(file);
  }

  /** Through the list of all commands. */
  async goTo(part: string): Promise<void> {
    await this.page.keyboard.press('ControlOrMeta+k');
    await this.page.getByRole('combobox', { name: 'Search, navigate or run a command' }).waitFor();
    await this.page.keyboard.type(part);
    await this.page.getByRole('option', { name: part, selected: true }).waitFor();
    await this.page.keyboard.press('Enter');
    await this.page.waitForFunction(name => document.title.startsWith(name), part);
    await this.expectKept();
  }

  /** After an element was removed, the focus is on another element and not on the body. */
  async expectKept(): Promise<void> {
    await expect.poll(() => this.page.evaluate(() => document.activeElement?.tagName ?? 'BODY')).not.toBe('BODY');
  }
}

const isFocused = (wanted: Locator): Promise<boolean> => wanted.evaluate(one => one === document.activeElement);

/** Runs in the page: the focused element, and why it is not visible. */
function inspectFocus(): { readonly name: string; readonly fault: string | null } {
  const at = document.activeElement;
  // The end of the page: the next press starts from the top.
  if (!(at instanceof HTMLElement) || at === document.body) return { name: 'the page', fault: null };
  const name = `${at.tagName} ${at.getAttribute('aria-label') ?? at.textContent?.trim().slice(0, 40) ?? ''}`;
  const isMarked = (one: Element | null): boolean => {
    if (!one) return false;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
    return (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
  };
  const shown = at.matches('input[type=radio]') ? (at.closest('label') ?? at) : at;
  const { top, bottom, left, right, width, height } = shown.getBoundingClientRect();
  const isInView = width > 0 && height > 0 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
  if (!isInView) return { name, fault: 'is out of view' };
  return { name, fault: isMarked(shown) ? null : 'does not show that it has the focus' };
}
