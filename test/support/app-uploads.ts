// Controlled uploads of the app: held in the middle, and from folders that a browser may open again.
import type { Page, Route } from 'playwright-core';

/** Passes the given number of parts, and holds the others for ever. */
export async function holdParts(
  page: Page,
  after: number,
): Promise<{ passed: () => number; release: () => Promise<void> }> {
  let passed = 0;
  const hold = async (route: Route) => {
    if (passed >= after) return;
    passed += 1;
    await route.continue();
  };
  await page.route('**/api/v1/objects?**', hold);
  const release = async () => {
    await page.unroute('**/api/v1/objects?**', hold);
    await page.route('**/api/v1/objects?**', route => {
      passed += 1;
      return route.continue();
    });
  };
  return { passed: () => passed, release };
}

/** A folder in the browser's own storage, which it may open again: a large file and small ones. */
export async function pickFolderOf(page: Page, { large, small }: { large: number; small: number }): Promise<void> {
  await page.addInitScript(() => {
    const pick = async () => (await navigator.storage.getDirectory()).getDirectoryHandle('photos', { create: true });
    Object.assign(globalThis, { showDirectoryPicker: pick });
  });
  await page.reload();
  await page.evaluate(
    async ([bytes, many]) => {
      const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('photos', { create: true });
      const write = async (name: string, content: Uint8Array<ArrayBuffer>) => {
        const file = await (await folder.getFileHandle(name, { create: true })).createWritable();
        await file.write(content);
        await file.close();
      };
      await write('film.bin', new Uint8Array(bytes ?? 0).fill(7));
      for (let at = 0; at < (many ?? 0); at += 1) await write(`${at}.txt`, new TextEncoder().encode(`picture ${at}`));
    },
    [large, small],
  );
}

/** Drops files onto the middle of the page, as a drag from the system does. */
export async function dropOnto(page: Page, paths: readonly string[]): Promise<void> {
  const tab = await page.context().newCDPSession(page);
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver'] as const)
    await tab.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data });
  await page.locator('.dropping').waitFor();
  await tab.send('Input.dispatchDragEvent', { type: 'drop', x: 600, y: 400, data });
}

/** The number of parts of direct uploads that the page has recorded as sent. */
export const countNoted = (page: Page): Promise<number> =>
  page.evaluate(() => Object.keys(localStorage).filter(key => key.includes(':etag:')).length);

type Gate = { readonly stored: () => number; readonly refused: () => number; readonly open: () => void };

/**
 * Passes the given number of parts, and holds the others until it is opened. Counts the parts that the store has
 * accepted and rejected.
 */
export async function gateParts(page: Page, first: number): Promise<Gate> {
  const gate = Promise.withResolvers<void>();
  let asked = 0;
  const answered = new Map<number, number>();
  const countOf = (status: number) => answered.get(status) ?? 0;
  page.on('response', response => {
    if (!response.url().includes('/api/v1/objects?')) return;
    answered.set(response.status(), countOf(response.status()) + 1);
  });
  await page.route('**/api/v1/objects?**', async route => {
    asked += 1;
    if (asked > first) await gate.promise;
    await route.continue();
  });
  return { stored: () => countOf(200), refused: () => countOf(403), open: gate.resolve };
}
